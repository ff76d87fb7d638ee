import type { Tool } from "../catalog/define-tool.ts";
import type { Failure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { Clock } from "../kit/clock.ts";
import type { Running, SentWrite } from "./run-action.ts";

/** Who goes first when a tool has room for one more. */
export interface Rank {
  /** Steps on the longest path that still hangs on this one; the longest goes first. */
  readonly remaining: number;
  /** Its place in the batch; the first goes first. */
  readonly position: number;
}

/** A call that waits for its tool's cap, or is under way. */
export interface Queued extends Running {
  /** Its outcome, where that was known before anything began. */
  readonly known?: Outcome;
}

/** Dispatch a call that waited `queuedMs` for its cap; it may wait on for what is not the batch's own. */
export type Dispatch = (queuedMs: number) => Running;

interface Pool {
  free: number;
  /** Best rank last, so the next one is popped. */
  readonly waiting: Waiting[];
  filling: boolean;
}

/** The pool of every tool without a cap; no tool has an empty name. */
const UNCAPPED = "";

/**
 * The caps of a batch's tools: at most `tool.concurrency` calls of each under way at once.
 *
 * These are pools and not semaphores because whoever has waited longest is not whoever should go next: the call with
 * the longest path behind it decides when the batch ends. Calls that are dispatched in the same moment go by their
 * place in the batch, whatever their tools, so that is also how they queue for what they share after this.
 */
export class ToolPools {
  readonly #clock: Clock;
  readonly #pools = new Map<string, Pool>();
  /** Pools that are about to choose. */
  #filling = 0;
  #chosen: { readonly pool: Pool; readonly call: Waiting }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Dispatch a call as soon as its tool has room for it. */
  enqueue(tool: Tool, rank: Rank, dispatch: Dispatch): Queued {
    const isFree = tool.concurrency === Number.POSITIVE_INFINITY;
    // Not past the calls of capped tools that became ready just before it.
    if (isFree && this.#filling === 0 && this.#chosen.length === 0) return dispatch(0);
    const waiting = new Waiting(rank, this.#clock, dispatch);
    const pool = this.#poolOf(isFree ? UNCAPPED : tool.name, tool.concurrency);
    insert(pool.waiting, waiting);
    void this.#fillSoon(pool);
    return waiting;
  }

  #poolOf(name: string, concurrency: number): Pool {
    let pool = this.#pools.get(name);
    if (pool === undefined) {
      pool = { free: concurrency, waiting: [], filling: false };
      this.#pools.set(name, pool);
    }
    return pool;
  }

  /** Choose only after everything that becomes ready in the same moment is there to be chosen from. */
  async #fillSoon(pool: Pool): Promise<void> {
    if (pool.filling) return;
    pool.filling = true;
    this.#filling += 1;
    await afterTurns(TURNS);
    pool.filling = false;
    this.#filling -= 1;
    this.#choose(pool);
  }

  #choose(pool: Pool): void {
    while (pool.free > 0) {
      const call = pool.waiting.pop();
      if (call === undefined) return;
      if (call.over) continue;
      pool.free -= 1;
      // One turn later, when the other pools of this moment have chosen too.
      if (this.#chosen.length === 0) void Promise.resolve().then(() => this.#dispatch());
      this.#chosen.push({ pool, call });
    }
  }

  #dispatch(): void {
    const chosen = this.#chosen.sort((a, b) => a.call.rank.position - b.call.rank.position);
    this.#chosen = [];
    for (const { pool, call } of chosen) {
      // What outlives its own outcome (a write at the deadline) keeps its place until it really ends.
      const finished = call.over ? Promise.resolve() : call.begin();
      void finished.then(() => {
        pool.free += 1;
        void this.#fillSoon(pool);
      });
    }
  }
}

/**
 * Turns of the microtask queue before a pool is filled. The outcome of a loop with a selection needs up to eight of them to
 * reach the plan and to start what waits for it; sixteen take about a microsecond.
 */
const TURNS = 16;

/** Wait until every call that is ready in this moment was dispatched, if there is room for it. */
export function afterDispatch(): Promise<void> {
  return afterTurns(TURNS + 4);
}

async function afterTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
}

function insert(waiting: Waiting[], added: Waiting): void {
  let at = waiting.length;
  while (at > 0 && goesBefore(waiting[at - 1]!.rank, added.rank)) at -= 1;
  waiting.splice(at, 0, added);
}

function goesBefore(a: Rank, b: Rank): boolean {
  return a.remaining > b.remaining || (a.remaining === b.remaining && a.position <= b.position);
}

class Waiting implements Queued {
  readonly rank: Rank;
  readonly #clock: Clock;
  readonly #dispatch: Dispatch;
  readonly #since: number;
  readonly #outcome = Promise.withResolvers<Outcome>();
  readonly #finished = Promise.withResolvers<void>();
  #running: Running | null = null;
  #stopped = false;

  constructor(rank: Rank, clock: Clock, dispatch: Dispatch) {
    this.rank = rank;
    this.#clock = clock;
    this.#dispatch = dispatch;
    this.#since = clock.now();
  }

  get outcome(): Promise<Outcome> {
    return this.#outcome.promise;
  }

  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  get started(): boolean {
    return this.#running?.started ?? false;
  }

  /** Stopped before it began. */
  get over(): boolean {
    return this.#stopped;
  }

  begin(): Promise<void> {
    this.#running = this.#dispatch(Math.max(0, this.#clock.now() - this.#since));
    this.#outcome.resolve(this.#running.outcome);
    this.#finished.resolve(this.#running.finished);
    return this.#running.finished;
  }

  stop(failure: Failure, sentWrite: SentWrite): void {
    if (this.#running !== null) {
      this.#running.stop(failure, sentWrite);
      return;
    }
    this.#stopped = true;
    this.#outcome.resolve({ status: "error", error: failure, meta: {} });
    this.#finished.resolve();
  }
}
