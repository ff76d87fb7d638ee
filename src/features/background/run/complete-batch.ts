import { combineElements } from "../../../core/answer/combine-elements.ts";
import { skippedAfter } from "../../../core/answer/skipped-outcome.ts";
import { fromStoredOutcome, toStoredOutcome } from "../../../core/answer/stored-outcome.ts";
import { makeFailure } from "../../../core/contract/failure.ts";
import { isMet, type Outcome } from "../../../core/contract/outcome.ts";
import { ByteBudget } from "../../../core/egress/read-body.ts";
import { prepareTask } from "../../../core/plan/prepare-task.ts";
import type { DataOf } from "../../../core/plan/references.ts";
import type { Plan, Step } from "../../../core/plan/step.ts";
import { isLoop } from "../../flows/run/run-journal.ts";
import type { KeptResult, Place } from "../batch-job.ts";

/**
 * Say what became of everything that a batch which is over has no result of: what was wrong says so, what waited for it is skipped,
 * and the rest was not begun. Nothing that was written down is said anew: what was about to be sent stays in doubt.
 */
export function completeBatch({ steps }: Plan, kept: readonly KeptResult[]): readonly KeptResult[] {
  const byPlace = new Map(kept.map((result) => [placeOf(result), result]));
  const outcomes = new Map<number, Outcome>();
  const added: KeptResult[] = [];
  const add = (place: Place, outcome: Outcome): void =>
    void added.push({ ...place, outcomeJson: toJson(outcome), inDoubt: false });
  const position = new Map(steps.map(({ id, index }) => [id, index]));
  const dataOf: DataOf = (id) => {
    const index = position.get(id);
    const outcome = index === undefined ? undefined : outcomeOf(index);
    return outcome?.status === "success" ? { data: outcome.data } : undefined;
  };

  /** An earlier action may refer to a later one, so each is looked up when it is asked for. The plan has no cycle. */
  const outcomeOf = (index: number): Outcome => {
    const known = outcomes.get(index);
    if (known !== undefined) return known;
    const step = steps[index]!;
    const whole = byPlace.get(placeOf({ step: index, element: WHOLE }));
    const outcome = whole === undefined ? endOf(step) : toOutcome(whole);
    outcomes.set(index, outcome);
    if (whole === undefined) add({ step: index, element: WHOLE }, outcome);
    return outcome;
  };

  const endOf = (step: Step): Outcome => {
    if (!step.task.ok) return { status: "error", error: step.task.error, meta: {} };
    const failed = step.needs.find((index) => !isMet(outcomeOf(index)));
    if (failed !== undefined) return skippedAfter(steps[failed]!.id, outcomeOf(failed));
    if (!isLoop(step)) return NOT_BEGUN;
    // Data that was cut does not say how many there were.
    const isWhole = step.needs.every((index) => outcomeOf(index).meta.truncated === undefined);
    const prepared = isWhole ? prepareTask(step.task.value, dataOf) : null;
    if (prepared?.ok !== true || prepared.value.kind !== "loop") return NOT_BEGUN;
    const elements = prepared.value.calls.map((_, element): Outcome => {
      const there = byPlace.get(placeOf({ step: step.index, element }));
      if (there !== undefined) return toOutcome(there);
      add({ step: step.index, element }, NOT_BEGUN);
      return NOT_BEGUN;
    });
    const { tool } = step.task.value;
    return combineElements(elements, {
      failFast: tool.onError === "fail-fast",
      repeatable: false,
      durationMs: 0,
    });
  };

  for (const { index } of steps) outcomeOf(index);
  return added;
}

/** The number of what is no element. */
const WHOLE = -1;

function placeOf({ step, element }: Place): string {
  return `${step}.${element}`;
}

const NOT_BEGUN: Outcome = {
  status: "error",
  error: makeFailure("CANCELLED", { hint: "The batch was over before it began; nothing of it was sent." }),
  meta: { attempts: 0 },
};

/** Write a result to be kept; of a loop without its elements, which have their own. */
function toJson(outcome: Outcome): string {
  if (outcome.status === "success") return toStoredOutcome({ ...outcome, data: [], json: "[]" });
  if (!("error" in outcome)) throw new Error(`Cannot say that a batch left '${outcome.status}'`);
  const { status, error, meta } = outcome;
  const { attempts = 0, items } = meta;
  const because = status === "skipped" ? { because: outcome.because } : {};
  return JSON.stringify({ status, error, ...because, meta: status === "skipped" ? {} : { attempts, items } });
}

function toOutcome({ outcomeJson }: KeptResult): Outcome {
  if (outcomeJson === null)
    return { status: "unknown", error: makeFailure("INTERNAL", { retryable: false }), meta: {} };
  const kept = JSON.parse(outcomeJson) as Outcome;
  // A page is bounded already, and nothing else is held for it.
  const budget = new ByteBudget(Number.MAX_SAFE_INTEGER, 0, { values: Number.MAX_SAFE_INTEGER });
  return kept.status === "skipped" ? kept : fromStoredOutcome(outcomeJson, budget);
}
