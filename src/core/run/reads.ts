import type { Failure } from "../contract/failure.ts";
import { parseExact } from "../contract/json.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { Clock } from "../kit/clock.ts";
import { type Repeats, sharedKey } from "../plan/same-reads.ts";
import type { Call } from "../plan/step.ts";
import type { CachedAnswer, TenantReads } from "../egress/read-cache.ts";
import type { ByteBudget } from "../egress/byte-budget.ts";
import { ok, type Result } from "../kit/result.ts";
import { type SentWrite, Ticket } from "./ticket.ts";
import { getOrMake } from "../kit/get-or-make.ts";

interface ReadsOptions {
  readonly clock: Clock;
  /** When the batch began. */
  readonly startedAt: number;
  /** Null where every call was asked for on its own account. */
  readonly repeats: Repeats | null;
  /** Null likewise. */
  readonly remembered: TenantReads | null;
  /** Has the values that the batch's data may have. */
  readonly budget: ByteBudget;
}

/**
 * Answer a read by what is already known of the same question: remembered by the isolate, or asked by this batch and under
 * way. The same is the same tool, arguments and, for a call under way, timeout.
 *
 * A read that joins a call gets its outcome, takes no place under the tool's cap and sends nothing. A failure answers only the read
 * that asked: each of the others is then made for itself.
 */
export class Reads {
  readonly #options: ReadsOptions;
  readonly #pending = new Map<string, Map<string, PendingRead>>();
  /** The remembered answers of this batch, parsed once however often they are asked. */
  readonly #recalled = new Map<string, Result<unknown, Failure>>();

  constructor(options: ReadsOptions) {
    this.#options = options;
  }

  /**
   * Answer a call by what is known, or make it.
   *
   * @param id the action that asks; named in the results of those that join it
   * @param makeLate makes the call of a read that had joined one which failed
   */
  answer(
    ticket: Ticket,
    { id, call, makeLate }: { readonly id: string; readonly call: Call; readonly makeLate: Make },
    make: Make,
  ): void {
    const { tool } = call;
    // An answer from before a write does not tell the state after it. The plan's order sees to it that reads before the write are
    // over by then and reads after it begin when it has ended.
    if (tool.isWrite) this.#pending.delete(tool.domain);
    const remembered = this.#options.remembered?.find(call) ?? null;
    if (remembered !== null) return ticket.end(this.#recall(remembered));
    const key = this.#keyOf(call);
    if (key === null) return make(ticket);

    const pending = getOrMake(this.#pending, tool.domain, () => new Map<string, PendingRead>());
    const known = pending.get(key);
    if (known?.isShared === true) return known.join(ticket, makeLate);
    const asked = new PendingRead(id, ticket, this.#options);
    pending.set(key, asked);
    make(asked.ticket);
  }

  /** A remembered answer as an outcome: parsed anew, so that no batch can change what the next one reads. */
  #recall({ json, bytes, ageMs }: CachedAnswer): Outcome {
    const data = getOrMake(this.#recalled, json, () => {
      const taken = this.#options.budget.takeValues(json);
      return taken.ok ? ok(parseExact(json)) : taken;
    });
    const meta = { durationMs: 0, queuedMs: 0, attempts: 0, bytes, ageMs };
    return data.ok
      ? { status: "success", data: data.value, json, meta }
      : { status: "error", error: data.error, meta: { ...meta, sentNothing: true } };
  }

  #keyOf(call: Call): string | null {
    const { repeats } = this.#options;
    if (repeats === null || call.tool.isWrite) return null;
    const { open, keys } = repeats;
    if (open.has(call.tool)) return sharedKey(call);
    if (keys.size === 0) return null;
    const key = sharedKey(call);
    return keys.has(key) ? key : null;
  }
}

/** Make a call of one's own. */
type Make = (ticket: Ticket) => void;

/** A read that waits for another's call. */
interface Waiting {
  readonly since: number;
  readonly makeLate: Make;
}

/** One call and the reads that wait for it. It is stopped when no read waits any more. */
class PendingRead {
  /** The call's own ticket. */
  readonly ticket: Ticket;
  readonly #id: string;
  readonly #times: Pick<ReadsOptions, "clock" | "startedAt">;
  /** The first is who asked. */
  readonly #waiting = new Map<Ticket, Waiting>();
  #isAbandoned = false;

  constructor(id: string, asker: Ticket, times: Pick<ReadsOptions, "clock" | "startedAt">) {
    this.#id = id;
    this.#times = times;
    this.ticket = new Ticket({
      started: () => {
        asker.call = this.ticket.call;
        for (const waiting of this.#waiting.keys()) waiting.start();
      },
      settled: (outcome) => this.#tell(asker, outcome),
      isJob: () => asker.isJob,
    });
    this.join(asker, () => {});
  }

  /** Whether it may answer another read: it was not stopped before it was over, and has not failed. */
  get isShared(): boolean {
    return !this.#isAbandoned && (this.ticket.outcome?.status ?? "success") === "success";
  }

  join(ticket: Ticket, makeLate: Make): void {
    const since = this.#times.clock.now();
    const { outcome } = this.ticket;
    if (outcome !== null) return ticket.end(this.#share(outcome, since));
    this.#waiting.set(ticket, { since, makeLate });
    ticket.hold((failure, sentWrite) => this.#leave(ticket, failure, sentWrite));
    if (this.ticket.started) ticket.start();
  }

  #leave(ticket: Ticket, failure: Failure, sentWrite: SentWrite): void {
    if (this.#waiting.size > 1) {
      this.#waiting.delete(ticket);
      return ticket.end({ status: "error", error: failure, meta: {} });
    }
    // The call itself tells the last read how far it came.
    this.#isAbandoned = true;
    this.ticket.stop(failure, sentWrite);
  }

  #tell(asker: Ticket, outcome: Outcome): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    // Telling one may stop the others, which the call can do nothing about any more.
    for (const [ticket] of waiting) ticket.hold(null);
    for (const [ticket, { since, makeLate }] of waiting) {
      if (ticket === asker) ticket.end(outcome);
      // The last that waited was stopped with it, and one that goes on as a job is tried again there.
      else if (outcome.status === "success" || this.#isAbandoned || ticket.outcome !== null)
        ticket.end(this.#share(outcome, since));
      else if (!ticket.isOver) {
        ticket.queuedMs += Math.max(0, this.#times.clock.now() - since);
        makeLate(ticket);
      }
    }
  }

  /** Another's outcome as one's own: it took the time that was waited, and no work. */
  #share(outcome: Outcome, since: number): Outcome {
    const { clock, startedAt } = this.#times;
    const waitedMs = Math.max(0, clock.now() - since);
    const { bytes, startedMs = 0, durationMs: tookMs = 0 } = outcome.meta;
    const durationMs = Math.min(waitedMs, tookMs);
    return {
      ...outcome,
      meta: {
        // It joined a call that was under way by then, or over.
        startedMs: Math.max(startedMs, since - startedAt),
        durationMs,
        workMs: 0,
        queuedMs: waitedMs - durationMs,
        attempts: 0,
        ...(bytes !== undefined && { bytes }),
        deduplicatedOf: this.#id,
      },
    };
  }
}
