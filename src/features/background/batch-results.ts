import * as z from "zod/mini";

import { toResultJson } from "../../core/answer/envelope.ts";
import { resultSchema } from "../../core/answer/result-schema.ts";
import { fromStoredOutcome, toStoredOutcome } from "../../core/answer/stored-outcome.ts";
import type { Entry } from "../../core/contract/action.ts";
import { makeFailure, toWireFailure } from "../../core/contract/failure.ts";
import { strictSchema } from "../../feature/schema.ts";
import { isInDoubt, isMet, type Outcome, shownOf } from "../../core/contract/outcome.ts";
import { ByteBudget } from "../../core/egress/byte-budget.ts";
import { err } from "../../feature/refuse.ts";
import type { Plan, Step } from "../../core/plan/step.ts";
import { type KeptResult, type Place, type ResultPage, toCursor } from "./batch-job.ts";
import { combineElements } from "../../core/answer/combine-elements.ts";
import { NOT_BEGUN, skippedAfter } from "../../core/answer/failed-outcome.ts";
import { prepareTask } from "../../core/plan/prepare-task.ts";
import type { DataOf } from "../../core/plan/references.ts";
import { isLoop } from "../flows/run/run-journal.ts";

/** A page of the results of a batch in the background. */
export const resultPageSchema = strictSchema("ResultPage", () => {
  const count = z.int().check(z.minimum(0));
  const running = z.strictObject({
    index: count,
    id: z.string(),
    tool: z.nullable(z.string()),
    status: z.literal("running").check(z.describe("A loop that is not over: its elements so far")),
    data: z.array(z.unknown()),
    meta: z.strictObject({}),
  });
  return {
    results: z
      .array(z.union([resultSchema(), running]))
      .check(
        z.describe(
          "In the order of the actions. A long loop is on several pages, each with a part of its data",
        ),
      ),
    next_cursor: z.nullable(z.string()),
  };
});

/** Write a page. The elements of a loop are the data of its result, as in an envelope. */
export function toPageJson({ results, loop, hasMore }: ResultPage, entries: readonly Entry[]): string {
  // A page is bounded already, and nothing else is held for it.
  const budget = new ByteBudget(Number.MAX_SAFE_INTEGER, 0, { values: Number.MAX_SAFE_INTEGER });
  const texts: string[] = [];
  const all = loop === null ? results : [loop, ...results];
  for (const [step, ofStep] of Map.groupBy(all, (result) => result.step)) {
    const { index, id, tool, readAs } = entries[step]!;
    const whole = ofStep.find(({ element }) => element < 0);
    const elements = ofStep.filter(({ element }) => element >= 0);
    const outcome = whole === undefined ? null : toOutcome(whole, budget);
    const data = elements.map((element) => toElementJson(element, budget));
    if (outcome === null)
      texts.push(
        `${JSON.stringify({ index, id, tool, status: "running" }).slice(0, -1)},"data":[${data.join(",")}],"meta":{}}`,
      );
    else texts.push(toResultJson({ ...NO_STEP, index, id, toolName: tool, readAs }, withData(outcome, data)));
  }
  const last = results.at(-1);
  const next = hasMore && last !== undefined ? toCursor(last) : null;
  return `{"results":[${texts.join(",")}],"next_cursor":${JSON.stringify(next)}}`;
}

function toOutcome({ outcomeJson }: KeptResult, budget: ByteBudget): Outcome {
  if (outcomeJson === null) return ABOUT_TO_BE_SENT;
  const kept = JSON.parse(outcomeJson) as Outcome;
  if (kept.status === "skipped") return kept;
  const outcome = fromStoredOutcome(outcomeJson, budget);
  // Its reader has not seen it before.
  const { replayed: _, ...meta } = outcome.meta;
  return { ...outcome, meta };
}

const ABOUT_TO_BE_SENT: Outcome = {
  status: "unknown",
  error: makeFailure("INTERNAL", {
    retryable: false,
    hint: "It was about to be sent, and nothing is known of its end. Look again while the job is alive; else look whether it took effect.",
  }),
  meta: {},
};

/** Give the result of a loop the part of its elements that is on this page. */
function withData(outcome: Outcome, data: readonly string[]): Outcome {
  if (data.length === 0) return outcome;
  const shown = { data: null, json: `[${data.join(",")}]` };
  if (outcome.status === "success") return { ...outcome, ...shown };
  return outcome.status === "error" || outcome.status === "unknown"
    ? { ...outcome, partial: shown }
    : outcome;
}

function toElementJson(result: KeptResult, budget: ByteBudget): string {
  const outcome = toOutcome(result, budget);
  const { status } = outcome;
  const head = JSON.stringify({ index: result.element, status });
  if (status === "success") return `${head.slice(0, -1)},"data":${shownOf(outcome)!.json}}`;
  const more =
    status === "initiated"
      ? { job_id: outcome.jobId }
      : "error" in outcome
        ? { error: toWireFailure(outcome.error) }
        : {};
  const doubt = isInDoubt(outcome) && { in_doubt: true };
  return JSON.stringify({ index: result.element, status, ...doubt, ...more });
}

/** The parts of a step that no result shows. */
export const NO_STEP: Omit<Step, "id" | "toolName"> = {
  index: 0,
  needs: [],
  after: [],
  edges: [],
  parking: null,
  remaining: 1,
  task: err(makeFailure("INTERNAL")),
};

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
  const placeOfCause = (outcome: Outcome): number =>
    outcome.status === "skipped" ? position.get(outcome.because)! : 0;
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
    const outcome = whole === undefined ? endOf(step) : readOutcome(whole);
    outcomes.set(index, outcome);
    if (whole === undefined) add({ step: index, element: WHOLE }, outcome);
    return outcome;
  };

  const endOf = (step: Step): Outcome => {
    if (!step.task.ok) return { status: "error", error: step.task.error, meta: {} };
    const failed = step.needs.filter((index) => !isMet(outcomeOf(index)));
    // As a run says it: because of the first action that was not run, or failed.
    const causes = failed.map((index) => skippedAfter(steps[index]!.id, outcomeOf(index)));
    if (causes.length > 0)
      return causes.reduce((first, cause) => (placeOfCause(cause) < placeOfCause(first) ? cause : first));
    if (!isLoop(step)) return NOT_BEGUN;
    // Data that was cut does not say how many there were.
    const isWhole = step.needs.every((index) => outcomeOf(index).meta.truncated === undefined);
    const prepared = isWhole ? prepareTask(step.task.value, dataOf) : null;
    if (prepared?.ok !== true || prepared.value.kind !== "loop") return NOT_BEGUN;
    const elements = prepared.value.calls.map((_, element): Outcome => {
      const there = byPlace.get(placeOf({ step: step.index, element }));
      if (there !== undefined) return readOutcome(there);
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

/** Write a result to be kept; of a loop without its elements, which have their own. */
function toJson(outcome: Outcome): string {
  if (outcome.status === "success") return toStoredOutcome({ ...outcome, data: [], json: "[]" });
  if (!("error" in outcome)) throw new Error(`Cannot say that a batch left '${outcome.status}'`);
  const { status, error, meta } = outcome;
  const { attempts = 0, items } = meta;
  const because = status === "skipped" ? { because: outcome.because } : {};
  return JSON.stringify({ status, error, ...because, meta: status === "skipped" ? {} : { attempts, items } });
}

function readOutcome({ outcomeJson }: KeptResult): Outcome {
  if (outcomeJson === null)
    return { status: "unknown", error: makeFailure("INTERNAL", { retryable: false }), meta: {} };
  const kept = JSON.parse(outcomeJson) as Outcome;
  // A page is bounded already, and nothing else is held for it.
  const budget = new ByteBudget(Number.MAX_SAFE_INTEGER, 0, { values: Number.MAX_SAFE_INTEGER });
  return kept.status === "skipped" ? kept : fromStoredOutcome(outcomeJson, budget);
}
