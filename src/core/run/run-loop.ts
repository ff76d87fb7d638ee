import type { Tool } from "../catalog/define-tool.ts";
import type { toStoredOutcome } from "../answer/stored-outcome.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import * as LIMITS from "../contract/limits.ts";
import { isMet, type Outcome } from "../contract/outcome.ts";
import type { Clock } from "../kit/clock.ts";
import { attempt, err, ok, type Result } from "../kit/result.ts";
import type { Begun, BegunBatch, BegunElement, Call } from "../plan/step.ts";
import { combineElements } from "../answer/combine-elements.ts";
import { failUnsent } from "../answer/failed-outcome.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import { rateLimited, toLimit } from "../gate/admit-plan.ts";
import { markDegraded, uncountable } from "../gate/degrade-plan.ts";
import { type SentWrite, Ticket } from "./ticket.ts";

/** How the elements of a `for_each` are run. */
export interface LoopOptions {
  readonly clock: Clock;
  /** When the batch began. */
  readonly batchStartedAt?: number | undefined;
  /** One after another: the elements of a write. */
  readonly inOrder: boolean;
  /** The first failed element ends the loop. */
  readonly failFast: boolean;
  /** True if all of it may be done again after a part of it was done, without harm. */
  readonly repeatable: boolean;
  /** Admits an element's outcome to the answer, or makes of it what is said where there is no room. */
  readonly admit?: (outcome: Outcome, element: number) => Outcome;
  /** Why no element may begin any more, once its batch's deadline has passed: its timer may come late. */
  readonly late?: () => Failure | null;
  /** Keeps the outcomes of a loop that asks a person; absent where none can. */
  readonly store?: typeof toStoredOutcome;
  /** Begin one element's call. */
  readonly begin: (ticket: Ticket, call: Call, element: number) => void;
}

type Calls = readonly Result<Call, Failure>[];

/**
 * Run a call for every element and report them as one outcome: `data` has one entry for each element, in order.
 *
 * The outcome is a success while one element succeeded, unless the contract is fail-fast; then one failure fails it. No
 * elements are a success with no entries.
 */
export function runLoop(ticket: Ticket, calls: Calls, options: LoopOptions): void {
  new Loop(ticket, calls, options).begin();
}

/**
 * Draw from the tool's rate limit once for every element of a loop, then run the loop with the elements that were
 * denied as failures in their place.
 *
 * The batch's admission cannot do this: how many elements there are is known only now. When the gate does not answer
 * every element is denied, because a limit that cannot be asked may be used up; unless the tool declares otherwise. A
 * loop that is stopped before it has drawn calls nothing.
 */
export async function runDrawnLoop(
  ticket: Ticket,
  calls: Calls,
  { tool, gate, ...options }: LoopOptions & { readonly tool: Tool; readonly gate: Gate },
): Promise<void> {
  let stopped: Failure | null = null;
  ticket.hold((failure) => (stopped ??= failure));
  const { admitted, degraded } = await draw(calls, tool, gate);
  if (degraded) ticket.shape(markDegraded);
  runLoop(ticket, stopped === null ? admitted : admitted.map(() => err(stopped!)), options);
}

/** Draw from the tool's rate limit for a call that was not counted with its batch, then make it; denied, it fails. */
export async function runDrawn(
  ticket: Ticket,
  call: Call,
  { gate, run }: { readonly gate: Gate; readonly run: (ticket: Ticket) => void },
): Promise<void> {
  const { admitted, degraded } = await draw([ok(call)], call.tool, gate);
  const [own] = admitted as readonly [Calls[number]];
  if (ticket.isOver) return;
  // A call that runs uncounted says so, which this one cannot: it has one shape.
  const error = own.ok ? degraded && makeFailure("OVERLOADED", { hint: uncountable(false) }) : own.error;
  if (error === false) run(ticket);
  else ticket.end(failUnsent(error));
}

class Loop {
  readonly #ticket: Ticket;
  readonly #calls: Calls;
  readonly #options: LoopOptions;
  readonly #startedAt: number;
  readonly #outcomes: Outcome[] = [];
  readonly #underWay = new Set<Ticket>();
  /** When timers last had a chance to fire. */
  #yieldedAt: number;
  #left: number;
  /** Why elements that have not begun will not: the loop was stopped, or an element failed under fail-fast. */
  #ended: Failure | null = null;
  /** The rest of elements that have begun and ask a person, by element. */
  readonly #begun = new Map<number, BegunBatch>();

  constructor(ticket: Ticket, calls: Calls, options: LoopOptions) {
    this.#ticket = ticket;
    this.#calls = calls;
    this.#options = options;
    this.#startedAt = this.#yieldedAt = options.clock.now();
    this.#left = calls.length;
  }

  begin(): void {
    this.#ticket.hold((failure, sentWrite) => this.#stop(failure, sentWrite));
    if (this.#left === 0) this.#conclude();
    else if (this.#options.inOrder) this.#beginElement(0);
    else for (const element of this.#calls.keys()) this.#beginElement(element);
  }

  #beginElement(element: number): void {
    const call = this.#calls[element]!;
    this.#ended ??= this.#options.late?.() ?? null;
    const failure = this.#ended ?? (call.ok ? null : call.error);
    if (failure !== null) return this.#settle(element, failUnsent(failure));
    const ticket: Ticket = new Ticket({
      started: () => this.#ticket.start(),
      settled: (outcome) => this.#settle(element, outcome),
      asked: (begun) => this.#ask(element, begun),
      over: () => {
        this.#underWay.delete(ticket);
        this.#conclude();
      },
    });
    this.#underWay.add(ticket);
    if (call.ok) this.#options.begin(ticket, call.value, element);
  }

  #settle(element: number, came: Outcome): void {
    const { admit, late, failFast } = this.#options;
    this.#ended ??= late?.() ?? null;
    // Now and not when the loop is over: texts of their own would wait for the slowest element.
    const outcome = admit === undefined ? came : admit(came, element);
    this.#outcomes[element] = outcome;
    if (failFast && !isMet(outcome) && this.#ended === null) {
      const hint = `Element ${element} failed first; fix it and run the loop again over what did not succeed.`;
      this.#stop(makeFailure("ABORTED", { hint }), "wait");
    }
    this.#goOn(element);
  }

  /** Keep what is left of an element that asks. It has not failed, so the others go on. */
  #ask(element: number, begun: Begun): void {
    if ("elements" in begun) throw new Error("Cannot ask: an element of a loop is no loop");
    this.#begun.set(element, begun);
    this.#goOn(element);
  }

  #goOn(element: number): void {
    this.#left -= 1;
    if (this.#left === 0) this.#conclude();
    else if (this.#options.inOrder) this.#goOnTo(element + 1);
  }

  /**
   * Begin the next element, after timers had their chance: a chain of calls that never wait for the network keeps them out, those of
   * the deadline and of other requests too.
   */
  #goOnTo(element: number): void {
    const { clock } = this.#options;
    if (this.#ended !== null || clock.now() - this.#yieldedAt < LIMITS.loopYieldMs)
      return this.#beginElement(element);
    clock.after(0, () => {
      this.#yieldedAt = clock.now();
      this.#beginElement(element);
    });
  }

  #stop(failure: Failure, sentWrite: SentWrite): void {
    this.#ended ??= failure;
    for (const ticket of this.#underWay) ticket.stop(failure, sentWrite);
  }

  /** Report the loop once every element has its outcome; it is over when nothing of any is under way. */
  #conclude(): void {
    if (this.#left > 0) return;
    if (this.#begun.size > 0 && this.#ticket.outcome === null) {
      if (this.#underWay.size === 0) this.#ticket.ask({ kind: "loop", elements: this.#elements() });
      return;
    }
    const { clock, failFast, repeatable, batchStartedAt = this.#startedAt } = this.#options;
    const startedMs = Math.max(0, this.#startedAt - batchStartedAt);
    const ways = { failFast, repeatable, startedMs, durationMs: clock.now() - this.#startedAt };
    const outcome = this.#ticket.outcome ?? combineElements(this.#outcomes, ways);
    if (this.#underWay.size === 0) this.#ticket.end(outcome);
    else this.#ticket.settle(outcome);
  }

  /** The work that every element has done, for the time after the approval. */
  #elements(): BegunElement[] {
    return [...this.#calls.keys()].map((element) => {
      const outcome = this.#outcomes[element];
      if (outcome === undefined) return this.#begun.get(element)!;
      if (outcome.status === "skipped") throw new Error("Cannot keep an element that was skipped");
      return { kind: "over", outcomeJson: this.#options.store!(outcome) };
    });
  }
}

async function draw(calls: Calls, tool: Tool, gate: Gate): Promise<{ admitted: Calls; degraded: boolean }> {
  const limit = toLimit(tool);
  const draws = calls.flatMap((call, index) => (call.ok && limit !== null ? [{ index, limit }] : []));
  if (draws.length === 0) return { admitted: calls, degraded: false };
  const answer = await attempt(() => gate.admit({ quota: null, draws, jobs: [], allOrNothing: false }));
  if (answer.ok) {
    const waits = new Map(answer.value.denied.map(({ index, retryAfterMs }) => [index, retryAfterMs]));
    const admitted = calls.map((call, index) =>
      waits.has(index) ? err(rateLimited(waits.get(index)!)) : call,
    );
    return { admitted, degraded: false };
  }
  if (tool.whenLimiterDown === "run") return { admitted: calls, degraded: true };
  const refused = makeFailure("OVERLOADED", { hint: uncountable(tool.isWrite) });
  return { admitted: calls.map((call) => (call.ok ? err(refused) : call)), degraded: true };
}
