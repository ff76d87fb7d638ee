import * as LIMITS from "./limits.ts";
import type { FoundKey } from "./stored-key.ts";
import { attempt } from "../../feature/refuse.ts";
import type { Clock } from "../../feature/kit.ts";

/** The finding for a digest, and since when it is known. */
export interface KeyLook {
  readonly found: FoundKey | null;
  /** When the question was sent: what changed later may not be in it. */
  readonly askedAtMs: number;
}

export interface KeyLooksOptions {
  readonly clock: Clock;
  /** Ask one object for some digests, in their order. Rejects where it does not answer, in its own time. */
  readonly find: (shard: number, hashes: readonly string[]) => Promise<readonly (FoundKey | null)[]>;
  /** How long a request waits for an answer; `LIMITS.gateTimeoutMs` unless said. */
  readonly timeoutMs?: number;
}

/** A question that is waiting or under way. */
interface Open {
  readonly answer: Promise<KeyLook>;
  readonly settle: (look: KeyLook) => void;
  readonly fail: (error: unknown) => void;
  readonly sinceMs: number;
}

interface Lane {
  /** Questions that were not sent yet. */
  readonly waiting: Set<string>;
  readonly open: Map<string, Open>;
  sentAtMs: number;
}

/**
 * Looks keys up in the objects that keep them, many in one call.
 *
 * An object is asked at most once in `LIMITS.keyLookPauseMs`, whatever comes: digests that are looked for meanwhile go
 * together in the next call. So a flood of keys that look like ours costs an isolate `LIMITS.keyShards` calls in that time, and
 * a good key among them is found in the same call. One digest is looked for once at a time, however many wait for it.
 *
 * Nothing depends on a request that goes on: each waiting one has a timer of its own that sends the waiting digests, and gives up
 * in its own time. A digest without an answer in that time is asked anew.
 */
export class KeyLooks {
  readonly #options: Required<KeyLooksOptions>;
  readonly #lanes = new Map<number, Lane>();

  constructor({ clock, find, timeoutMs = LIMITS.gateTimeoutMs }: KeyLooksOptions) {
    this.#options = { clock, find, timeoutMs };
  }

  /** Look a digest up in an object. Rejects where it does not answer in time, or too many wait for it. */
  look(shard: number, hash: string): Promise<KeyLook> {
    const { clock, timeoutMs } = this.#options;
    const now = clock.now();
    const lane = this.#lanes.get(shard) ?? { waiting: new Set(), open: new Map(), sentAtMs: -Infinity };
    this.#lanes.set(shard, lane);
    let open = lane.open.get(hash);
    if (open === undefined || now - open.sinceMs >= timeoutMs) {
      if (lane.waiting.size >= LIMITS.keyLooksWaiting && !this.#sweep(lane, now))
        return Promise.reject(new Error("Cannot look a key up: too many wait for the same object"));
      open = makeOpen(now);
      lane.open.set(hash, open);
      lane.waiting.add(hash);
    }
    const { answer } = open;
    return new Promise((resolve, reject) => {
      const cancels = [
        clock.after(timeoutMs, () => {
          reject(new Error(`Cannot look a key up: no answer within ${timeoutMs} ms`));
        }),
      ];
      const end = (): void => cancels.forEach((cancel) => cancel());
      void answer.then(resolve, reject).finally(end);
      if (!lane.waiting.has(hash)) return;
      const delayMs = lane.sentAtMs + LIMITS.keyLookPauseMs - now;
      if (delayMs <= 0) void this.#send(shard, lane);
      else cancels.push(clock.after(delayMs, () => lane.waiting.has(hash) && void this.#send(shard, lane)));
    });
  }

  /** Send the waiting digests, in one call. Never rejects: the waiting requests are told. */
  async #send(shard: number, lane: Lane): Promise<void> {
    const { clock, find } = this.#options;
    const askedAtMs = clock.now();
    lane.sentAtMs = askedAtMs;
    const asked = [...lane.waiting].flatMap((hash) => {
      const open = lane.open.get(hash);
      return open === undefined ? [] : [{ hash, open }];
    });
    lane.waiting.clear();
    const told = await attempt(() =>
      find(
        shard,
        asked.map(({ hash }) => hash),
      ),
    );
    for (const [at, { hash, open }] of asked.entries()) {
      if (lane.open.get(hash) === open) lane.open.delete(hash);
      if (told.ok) open.settle({ found: told.value[at] ?? null, askedAtMs });
      else open.fail(told.error);
    }
  }

  /** Forget questions whose askers are long gone; whether there is room now. */
  #sweep(lane: Lane, nowMs: number): boolean {
    for (const [hash, { sinceMs }] of lane.open)
      if (nowMs - sinceMs >= this.#options.timeoutMs) {
        lane.open.delete(hash);
        lane.waiting.delete(hash);
      }
    return lane.waiting.size < LIMITS.keyLooksWaiting;
  }
}

function makeOpen(sinceMs: number): Open {
  const { promise: answer, resolve: settle, reject: fail } = Promise.withResolvers<KeyLook>();
  // There may be no listener left.
  answer.catch(() => {});
  return { answer, settle, fail, sinceMs };
}
