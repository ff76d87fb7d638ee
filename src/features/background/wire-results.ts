import * as z from "zod/mini";

import { toResultJson } from "../../core/answer/envelope.ts";
import { resultSchema } from "../../core/answer/result-schema.ts";
import { fromStoredOutcome } from "../../core/answer/stored-outcome.ts";
import { type Entry } from "../../core/contract/action.ts";
import { makeFailure, toWireFailure } from "../../core/contract/failure.ts";
import { lazySchema } from "../../core/contract/lazy-schema.ts";
import { isInDoubt, type Outcome, shownOf } from "../../core/contract/outcome.ts";
import { ByteBudget } from "../../core/egress/read-body.ts";
import { err } from "../../core/kit/result.ts";
import type { Step } from "../../core/plan/step.ts";
import type { KeptResult, ResultPage } from "./batch-job.ts";
import { toCursor } from "./result-cursor.ts";

/** A page of the results of a batch in the background. */
export const resultPageSchema = lazySchema(() => {
  const count = z.int().check(z.minimum(0));
  const running = z.strictObject({
    index: count,
    id: z.string(),
    tool: z.nullable(z.string()),
    status: z.literal("running").check(z.describe("A loop that is not over: its elements so far")),
    data: z.array(z.unknown()),
    meta: z.strictObject({}),
  });
  return z
    .strictObject({
      results: z
        .array(z.union([resultSchema(), running]))
        .check(
          z.describe(
            "In the order of the actions. A long loop is on several pages, each with a part of its data",
          ),
        ),
      next_cursor: z.nullable(z.string()),
    })
    .register(z.globalRegistry, { id: "ResultPage" });
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
const NO_STEP: Omit<Step, "index" | "id" | "toolName"> = {
  needs: [],
  after: [],
  edges: [],
  parking: null,
  remaining: 1,
  task: err(makeFailure("INTERNAL")),
};
