import * as LIMITS from "../../core/contract/limits.ts";
import {
  DeliveryLane,
  type LaneRules,
  isSuspectCall,
  type LastAnswer,
  sharePlace,
  type Taken,
  toLastAnswer,
} from "./delivery-lane.ts";

export interface Waiting {
  readonly seq: number;
  readonly dueAt: number;
}

/** A delivery whose turn it is. */
export interface Turn {
  readonly no: number;
  readonly seq: number;
}

export interface AttemptEnd {
  readonly failed: boolean;
  /** How long the endpoint's other deliveries are to wait. */
  readonly slowMs: number;
}

/** The places of an object, and what is kept of how an endpoint's last attempt went. */
export interface QueueOptions {
  readonly places?: number;
  readonly lastOf?: (no: number) => LastAnswer;
}

/**
 * The deliveries that wait in one object, and whose turn it is. In memory, pure: time is handed in.
 *
 * Endpoints take turns: the one that had none for longest comes first, and none has a second place while another waits for its first. Those
 * that may hold a place for long share a few, so that they take nothing from those that answer.
 */
export class DeliveryQueue {
  readonly #lanes = new Map<number, DeliveryLane>();
  /** The lanes with calls under way; of endpoints that are forgotten too, whose calls take places as before. */
  readonly #running = new Set<DeliveryLane>();
  readonly #places: number;
  readonly #lastOf: (no: number) => LastAnswer;

  constructor({ places = LIMITS.headerSlots, lastOf = () => "none" }: QueueOptions = {}) {
    this.#places = places;
    this.#lastOf = lastOf;
  }

  /** Say how an endpoint is to be delivered to; what waits for it goes on waiting. @param rules.isNew at an address that has not answered yet */
  set(no: number, { isNew = false, ...rules }: LaneRules & { readonly isNew?: boolean }): void {
    const known = this.#lanes.get(no);
    if (known === undefined) this.#lanes.set(no, new DeliveryLane(no, rules, this.#lastOf));
    else known.set(rules);
    if (isNew && known !== undefined) known.last = "none";
  }

  /** Have nothing wait for an endpoint any more, and give what did. */
  clear(no: number): number[] {
    const lane = this.#lanes.get(no);
    if (lane === undefined) return [];
    const seqs = [...lane.waiting.keys()];
    lane.waiting.clear();
    return seqs;
  }

  add(no: number, { seq, dueAt }: Waiting): void {
    this.#lanes.get(no)?.add(seq, dueAt);
  }

  has({ no, seq }: Turn): boolean {
    const lane = this.#lanes.get(no);
    return lane !== undefined && (lane.waiting.has(seq) || lane.running.has(seq));
  }

  isRunning({ no, seq }: Turn): boolean {
    return this.#lanes.get(no)?.running.has(seq) === true;
  }

  /** List the deliveries to an endpoint that wait or are under way. */
  open(no: number): number[] {
    const lane = this.#lanes.get(no);
    return lane === undefined ? [] : [...lane.waiting.keys(), ...lane.running.keys()];
  }

  sizeOf(no: number): number {
    const lane = this.#lanes.get(no);
    return lane === undefined ? 0 : lane.waiting.size + lane.running.size;
  }

  failuresOf(no: number): number {
    return this.#lanes.get(no)?.failures ?? 0;
  }

  /** Take the delivery whose turn it is; null where there is none now. */
  claim(nowMs: number): Turn | null {
    return this.#claim(nowMs, "now") ?? this.#claim(nowMs, "spare");
  }

  end(turn: Turn, nowMs: number, { failed, slowMs }: AttemptEnd): void {
    const startedAt = this.leave(turn);
    if (startedAt === null) return;
    const last = toLastAnswer(failed, nowMs - startedAt);
    this.#lanes.get(turn.no)?.note(nowMs, { last, slowMs });
  }

  /** Put off a delivery that was claimed and not attempted. */
  putOff(turn: Turn, dueAt: number): void {
    if (this.leave(turn) !== null) this.add(turn.no, { seq: turn.seq, dueAt });
  }

  /** Give the place of a delivery back; since when it had it, null where it had none. */
  leave({ no, seq }: Turn): number | null {
    for (const lane of this.#running) {
      const startedAt = lane.no === no ? lane.running.get(seq) : undefined;
      if (startedAt === undefined) continue;
      lane.running.delete(seq);
      if (lane.running.size === 0) this.#running.delete(lane);
      return startedAt;
    }
    return null;
  }

  /** Forget an endpoint. Calls to it that are under way end unnoticed, and keep their places until then. */
  drop(no: number): void {
    this.#lanes.delete(no);
  }

  dropAll(): void {
    this.#lanes.clear();
  }

  /** Say when a delivery that is due by itself is tried next at the earliest; null where time alone does not send it. */
  turnAt({ no, seq }: Turn, nowMs: number): number | null {
    return this.#lanes.get(no)?.turnAt(seq, nowMs) ?? null;
  }

  /** When the next turn is, as far as time decides it; null where nothing waits but for a call's end. */
  nextAt(nowMs: number): number | null {
    let next: number | null = null;
    const taken = this.#taken(nowMs);
    for (const lane of this.#lanes.values()) {
      const asker = lane.asker(nowMs);
      if (asker === null || sharePlace(asker, taken, this.#places) === null) continue;
      const at = lane.nextAt(nowMs);
      if (next === null || at < next) next = at;
    }
    return next;
  }

  #claim(nowMs: number, wanted: "now" | "spare"): Turn | null {
    const taken = this.#taken(nowMs);
    if (taken.all >= this.#places) return null;
    for (const [no, lane] of this.#lanes) {
      const asker = lane.asker(nowMs);
      if (asker === null || sharePlace(asker, taken, this.#places) !== wanted) continue;
      const seq = lane.begin(nowMs);
      if (seq === null) continue;
      this.#running.add(lane);
      // To the end: others have their turns first.
      this.#lanes.delete(no);
      this.#lanes.set(no, lane);
      return { no, seq };
    }
    return null;
  }

  #taken(nowMs: number): Taken {
    let [all, suspect] = [0, 0];
    for (const lane of this.#running) {
      const { size } = lane.running;
      all += size;
      if (isSuspectCall({ last: lane.last, lags: lane.lags(nowMs) })) suspect += size;
    }
    return { all, suspect };
  }
}
