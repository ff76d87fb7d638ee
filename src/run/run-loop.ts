import { type Failure, makeFailure, toWireFailure } from "../contract/failure.ts";
import type { Outcome, OutcomeMeta, Shown } from "../contract/outcome.ts";
import type { Clock } from "../kit/clock.ts";
import type { Result } from "../kit/result.ts";
import type { Call } from "../plan/step.ts";
import type { SentWrite } from "./run-action.ts";
import type { Queued } from "./tool-pools.ts";

/** How the elements of a `for_each` are run. */
export interface LoopOptions {
  readonly clock: Clock;
  /** One after another: the elements of a write. */
  readonly inOrder: boolean;
  /** The first failed element ends the loop. */
  readonly failFast: boolean;
  /** Doing all of it again after a part of it was done harms nobody. */
  readonly repeatable: boolean;
  /** Queue one element's call under its tool's cap. */
  readonly enqueue: (call: Call, element: number) => Queued;
}

/**
 * Run a call for every element and report them as one outcome: `data` has one entry for each element, in order.
 *
 * The outcome is a success while one element succeeded, unless the contract is fail-fast; then one failure fails it. No
 * elements are a success with no entries.
 */
export function startLoop(calls: readonly Result<Call, Failure>[], options: LoopOptions): Queued {
  return new Loop(calls, options);
}

class Loop implements Queued {
  readonly outcome: Promise<Outcome>;
  readonly finished: Promise<void>;
  readonly #calls: readonly Result<Call, Failure>[];
  readonly #options: LoopOptions;
  readonly #queued: (Queued | undefined)[];
  /** Why elements that have not begun will not: the loop was stopped, or an element failed under fail-fast. */
  #ended: Failure | null = null;

  constructor(calls: readonly Result<Call, Failure>[], options: LoopOptions) {
    this.#calls = calls;
    this.#options = options;
    this.#queued = calls.map(() => undefined);
    const startedAt = options.clock.now();
    const elements = options.inOrder
      ? this.#runInOrder()
      : Promise.all(calls.map((_, element) => this.#runElement(element)));
    const { failFast, repeatable } = options;
    this.outcome = elements.then((outcomes) =>
      combineElements(outcomes, { failFast, repeatable, durationMs: options.clock.now() - startedAt }),
    );
    this.finished = this.outcome.then(async () => {
      await Promise.all(this.#queued.flatMap((queued) => (queued === undefined ? [] : [queued.finished])));
    });
  }

  get started(): boolean {
    return this.#queued.some((queued) => queued?.started === true);
  }

  stop(failure: Failure, sentWrite: SentWrite): void {
    this.#ended ??= failure;
    for (const queued of this.#queued) queued?.stop(failure, sentWrite);
  }

  async #runInOrder(): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const element of this.#calls.keys()) outcomes.push(await this.#runElement(element));
    return outcomes;
  }

  async #runElement(element: number): Promise<Outcome> {
    const call = this.#calls[element]!;
    if (this.#ended !== null) return { status: "error", error: this.#ended, meta: {} };
    if (!call.ok) return this.#watch(element, { status: "error", error: call.error, meta: {} });
    const queued = this.#options.enqueue(call.value, element);
    this.#queued[element] = queued;
    return this.#watch(element, await queued.outcome);
  }

  #watch(element: number, outcome: Outcome): Outcome {
    if (this.#options.failFast && !succeeded(outcome) && this.#ended === null) {
      this.stop(
        makeFailure("ABORTED", {
          hint: `Element ${element} failed first; fix it and run the loop again over what did not succeed.`,
        }),
        "wait",
      );
    }
    return outcome;
  }
}

/**
 * Report the elements of a loop as one outcome: a success with one entry for each while one succeeded and the contract
 * allows the others to fail, otherwise the failure of the first that failed, not of one that was only stopped by it. A failure has the entries too while one
 * element did something, or may have.
 */
export function combineElements(outcomes: readonly Outcome[], options: CombineOptions): Outcome {
  const meta = toMeta(outcomes, options.durationMs);
  const failures = [...outcomes.keys()].filter((element) => !succeeded(outcomes[element]!));
  const [failed] = [...failures.filter((element) => !isAborted(outcomes[element]!)), ...failures];
  if (failed !== undefined && (options.failFast || failures.length === outcomes.length))
    return toFailedLoop(outcomes, failed, options.repeatable, meta);
  const whole = toEntries(outcomes, ({ data, json }) => ({ data, json }));
  if (!outcomes.some((outcome) => outcome.status === "success" && outcome.shown !== undefined))
    return { status: "success", ...whole, meta };
  return { status: "success", ...whole, shown: toEntries(outcomes, selected), meta };
}

export interface CombineOptions extends Pick<LoopOptions, "failFast" | "repeatable"> {
  /** The loop's wall-clock time. */
  readonly durationMs: number;
}

function selected(success: Success): Shown {
  return success.shown ?? success;
}

function succeeded(outcome: Outcome): boolean {
  return outcome.status === "success" || outcome.status === "initiated";
}

function isAborted(outcome: Outcome): boolean {
  return outcome.status === "error" && outcome.error.code === "ABORTED";
}

function toFailedLoop(
  outcomes: readonly Outcome[],
  element: number,
  repeatable: boolean,
  meta: OutcomeMeta,
): Outcome {
  const outcome = outcomes[element]!;
  if (!("error" in outcome)) throw new Error("Cannot fail a loop by an element that succeeded");
  const done = outcomes.filter(succeeded).length;
  const others = done === 0 ? "" : `, ${done} succeeded`;
  const reason = outcome.error.hint === undefined ? "" : ` ${outcome.error.hint}`;
  // One element that may have happened makes it wrong to say that nothing did.
  const inDoubt = outcomes.some(({ status }) => status === "unknown");
  const error = {
    ...outcome.error,
    // To send the loop again would do again what was done.
    retryable: outcome.error.retryable && (repeatable || (done === 0 && !inDoubt)),
    hint: `Element ${element} of ${outcomes.length} failed${others}.${reason}`,
  };
  const partial = done > 0 || inDoubt ? { partial: toEntries(outcomes, selected) } : {};
  return { status: inDoubt ? "unknown" : "error", error, ...partial, meta };
}

type Success = Extract<Outcome, { readonly status: "success" }>;

/** The loop's `data`: one entry for each element, as a value for references and as text for the envelope. */
function toEntries(outcomes: readonly Outcome[], shownOf: (success: Success) => Shown): Shown {
  const entries = outcomes.map((outcome, index) => toEntry(outcome, index, shownOf));
  return { data: entries.map(({ data }) => data), json: `[${entries.map(({ json }) => json).join(",")}]` };
}

function toEntry(outcome: Outcome, index: number, shownOf: (success: Success) => Shown): Shown {
  const { status } = outcome;
  if (status === "success") {
    const { data, json } = shownOf(outcome);
    return { data: { index, status, data }, json: `{"index":${index},"status":"success","data":${json}}` };
  }
  if (status === "pending_confirmation")
    throw new Error("Cannot park an element: a loop is parked as a whole");
  const entry =
    status === "initiated"
      ? { index, status, job_id: outcome.jobId }
      : { index, status, error: toWireFailure(outcome.error) };
  return { data: entry, json: JSON.stringify(entry) };
}

function toMeta(outcomes: readonly Outcome[], durationMs: number): OutcomeMeta {
  const sum = (of: (meta: OutcomeMeta) => number | undefined): number =>
    outcomes.reduce((total, { meta }) => total + (of(meta) ?? 0), 0);
  const ok = outcomes.filter(succeeded).length;
  const selectMissing = [...new Set(outcomes.flatMap(({ meta }) => meta.selectMissing ?? []))];
  return {
    durationMs,
    workMs: sum((meta) => meta.workMs ?? meta.durationMs),
    attempts: sum((meta) => meta.attempts),
    bytes: sum((meta) => meta.bytes),
    items: { total: outcomes.length, ok, error: outcomes.length - ok },
    ...(selectMissing.length > 0 && { selectMissing }),
  };
}
