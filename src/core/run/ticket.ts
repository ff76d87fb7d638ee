import type { Failure } from "../contract/failure.ts";
import type { Begun, Call } from "../plan/step.ts";
import type { Outcome } from "../contract/outcome.ts";

/** The way to treat a write that was already sent when its batch stops. */
export type SentWrite = "wait" | "report-unknown";

/** A call under way, as those see it who did not make it. */
export interface CallState {
  /** Whether a request has left; until then nothing can have happened upstream. */
  readonly sent: boolean;
  /** The measures of it that are known by now. */
  readonly meta: Outcome["meta"];
}

/** Who waits for a ticket. Each is told at most once, in this order, in the turn in which it happens. */
export interface Holder {
  /** It was dispatched: until then stopping it is certain to have sent nothing. */
  started?(): void;
  settled(outcome: Outcome): void;
  /** Instead of an outcome: it has begun, and goes on after a person's yes. Only where a tool that is a batch may be called. */
  asked?(begun: Begun): void;
  /** Nothing of it is under way any more. */
  over?(): void;
  /** Whether a job stands behind it, which counts, spaces and sends its attempts. */
  isJob?(): boolean;
}

/**
 * The right of one step, or of one element of a loop, to run, and what has become of it.
 *
 * It has one outcome and one end. Usually they are the same moment; only a write that was sent can be told as `unknown` before it
 * is over. At its end the places it took under caps are free before any listener hears of the outcome, and all of that is one
 * synchronous turn: a step that waited for the outcome finds the place free, and nothing depends on how many promises lie between
 * the two.
 */
export class Ticket {
  readonly #holder: Holder;
  #started = false;
  #outcome: Outcome | null = null;
  #isOver = false;
  #isJob = false;
  /** Told how the call ends once its ticket goes on as a job; null before, and after. */
  #tellJob: ((outcome: Outcome) => void) | null = null;
  #stop: ((failure: Failure, sentWrite: SentWrite) => void) | null = null;
  #free: (() => void) | null = null;
  #shape: ((outcome: Outcome) => Outcome) | null = null;
  #ended: ((outcome: Outcome) => void) | null = null;
  /** Milliseconds that it waited for caps and permits since it could have begun. */
  queuedMs = 0;
  /** The one call that it is for, once that is known; null for a loop and for a job. */
  wants: Call | null = null;
  /** That call under way; null before it is dispatched, and where another's answers it. */
  call: CallState | null = null;

  constructor(holder: Holder) {
    this.#holder = holder;
  }

  get started(): boolean {
    return this.#started;
  }

  get outcome(): Outcome | null {
    return this.#outcome;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isJob(): boolean {
    return this.#isJob || this.#holder.isJob?.() === true;
  }

  /** Say that it is dispatched. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#holder.started?.();
  }

  /** Take the decision what stopping it means; null gives it back. */
  hold(stop: ((failure: Failure, sentWrite: SentWrite) => void) | null): void {
    this.#stop = stop;
  }

  /** Take a place that is free again when nothing of it is under way; a ticket takes one at most. */
  occupy(free: () => void): void {
    this.#free = free;
  }

  /** Change the shown part of its outcome, wherever that comes from. */
  shape(shape: (outcome: Outcome) => Outcome): void {
    this.#shape = shape;
  }

  /** Hear how it ends, which may be another end than the one that was told while it was under way. */
  whenEnded(ended: (outcome: Outcome) => void): void {
    this.#ended = ended;
  }

  /** Tell its outcome while it may still be under way; the first one counts. */
  settle(outcome: Outcome): void {
    const tellJob = this.#tellJob;
    this.#tellJob = null;
    tellJob?.(outcome);
    if (this.#outcome !== null) return;
    this.#outcome = this.#shape === null ? outcome : this.#shape(outcome);
    this.#holder.settled(this.#outcome);
  }

  /** Tell now that it goes on as a job, which repeats it from now on; `tellJob` hears how the call itself ends. */
  becomeJob(initiated: Outcome, tellJob: (outcome: Outcome) => void): void {
    this.#isJob = true;
    this.settle(initiated);
    this.#tellJob = tellJob;
  }

  /** End it: free its place, tell its outcome unless that is known already, then that it is over. */
  end(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#free?.();
    this.#ended?.(outcome);
    this.settle(outcome);
    this.#holder.over?.();
  }

  /**
   * End it with a question instead of an outcome: the work that it had done is kept. One that has its outcome already asks no
   * question.
   */
  ask(begun: Begun): void {
    if (this.#isOver) return;
    if (this.#outcome !== null) return this.end(this.#outcome);
    if (this.#holder.asked === undefined)
      throw new Error("Cannot ask: this ticket has no holder that may be asked");
    this.#isOver = true;
    this.#free?.();
    this.#holder.asked(begun);
    this.#holder.over?.();
  }

  /** Stop it: what only waits ends with `failure`; a write that was sent is never torn off. */
  stop(failure: Failure, sentWrite: SentWrite): void {
    if (this.#isOver) return;
    if (this.#stop !== null) this.#stop(failure, sentWrite);
    else this.end({ status: "error", error: failure, meta: {} });
  }
}

/** Have a ticket's outcome as a promise; `holder` tells the other facts about its holder. */
export function outcomeOf(
  begin: (ticket: Ticket) => void,
  holder: Pick<Holder, "isJob"> = {},
): Promise<Outcome> {
  return new Promise((settled) => begin(new Ticket({ ...holder, settled })));
}
