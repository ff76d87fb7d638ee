import * as z from "zod/mini";

import { askGate, type RequestContext, respondCounted } from "../../../feature/answer.ts";
import * as LIMITS from "../limits.ts";
import { BATCH_TOOL, type Outcome, parseBatch } from "../../../feature/tool.ts";
import type { Batch } from "../../../core/contract/batch.ts";
import { parseExact, parseQuery, refuseQuery } from "../../../feature/schema.ts";
import { attempt, err, makeRefusal } from "../../../feature/refuse.ts";
import { findJob, NO_JOB, UNREADABLE } from "../../../cloudflare/routes/jobs.ts";
import type { Route } from "../../../feature/route.ts";
import { isLive } from "../../../core/gate/state/outbox.ts";
import { makePlan } from "../../../core/plan/make-plan.ts";
import {
  BATCH,
  callBackground,
  jobIdOf,
  type KeptResult,
  parseCursor,
  type Place,
  type ResultPage,
} from "../batch-job.ts";
import { completeBatch, resultPageSchema, toPageJson } from "../batch-results.ts";
import type { JobRuns } from "../../../feature/gives.ts";
import { isCut } from "../../flows/run/run-journal.ts";

/** `GET /v1/jobs/{id}/results?cursor=`: the results of a batch in the background, which are too many for one answer. */
export const showResults: Route = {
  route: "GET /v1/jobs/:id/results",
  async handle(request, context, id) {
    const asked = parseQuery(new URL(request.url).searchParams, { cursor: "text" });
    if (!asked.ok) return asked;
    const { cursor } = asked.value;
    const after = cursor === undefined ? null : parseCursor(cursor);
    if (cursor !== undefined && after === null)
      return err(refuseQuery("cursor", "the next_cursor of an earlier page", cursor));
    const job = await askGate(() => findJob(id, context), UNREADABLE);
    if (!job.ok) return job;
    if (job.value === null) return err(NO_JOB);
    if (!job.value.tool.startsWith(`${BATCH_TOOL}:`)) return err(NO_PAGES);
    const sent = job.value.argsJson ?? "{}";
    const batch = parseBatch(parseExact(sent), sent.length);
    if (!batch.ok) return err(NO_PAGES);
    if (!isLive(job.value.status)) await attempt(() => complete(id, batch.value, context));
    const query = { after, limit: LIMITS.resultPage, bytes: LIMITS.resultPageBytes };
    const page = await askGate(() => callBackground(context.gate, "results", id, query), UNREADABLE);
    if (!page.ok) return page;
    return respondCounted(toPageJson(page.value, batch.value.entries), context);
  },
  describe: () => ({
    id: "listJobResults",
    summary: "The results of a batch in the background, in pages",
    tag: "Jobs",
    query: z.strictObject({
      cursor: z.optional(z.string()).check(z.describe("The next_cursor of an earlier page")),
    }),
    answer: {
      description: "The results of the actions that are over, and of the elements of loops, in their order",
      schema: resultPageSchema(),
    },
    refusals: ["INVALID_QUERY", "NOT_FOUND"],
  }),
};

/** Have a result for everything that a batch was to do, once it is over: it may have been cancelled, or killed to its end. */
async function complete(id: string, batch: Batch, { gate, currentCatalog }: RequestContext): Promise<void> {
  const left = await callBackground(gate, "left", id, batch.entries.length);
  const plan = left && makePlan(batch, await currentCatalog(), { isLong: true });
  if (plan?.ok === true) await callBackground(gate, "complete", id, completeBatch(plan.value, left!));
}

const NO_PAGES = makeRefusal(
  "NOT_FOUND",
  "The job is no batch in the background: GET /v1/jobs/{id} shows its data.",
);

/** Batches in the background are runs from the moment when they are recorded. A loop is told when all of it is over. */
export const JOB_RUNS: JobRuns = {
  kind: BATCH,
  jobOf: jobIdOf,
  async results({ id, argsJson = "{}" }, { gate }) {
    const batch = parseBatch(parseExact(argsJson), argsJson.length);
    if (!batch.ok) return [];
    const { entries } = batch.value;
    const isLoop = ({ step }: KeptResult): boolean => {
      const action = entries[step]?.action;
      return action?.ok === true && action.value.forEach !== undefined;
    };
    const settled: KeptResult[] = [];
    for (let after: Place | null | undefined = null; after !== undefined;) {
      const query = { after, limit: LIMITS.resultPage, bytes: LIMITS.resultPageBytes };
      const page: ResultPage = await callBackground(gate, "results", id, query);
      settled.push(...page.results.filter((result) => !isLoop(result) && isSettled(result)));
      const last = page.results.at(-1);
      // Behind all elements of a loop.
      after = page.hasMore && last ? { step: last.step, element: LIMITS.longLoopElements } : undefined;
    }
    const json = toPageJson({ results: settled, loop: null, hasMore: false }, entries);
    const { results } = parseExact(json) as { readonly results: readonly { readonly id: string }[] };
    // At the places that they will have in its answer.
    const order = await callBackground(gate, "order", id);
    return results.map((result) =>
      JSON.stringify(order === null ? result : { ...result, index: order.indexOf(result.id) }),
    );
  },
};

/** Whether no later attempt does it again. */
function isSettled({ outcomeJson, inDoubt }: KeptResult): boolean {
  if (outcomeJson === null || inDoubt || isCut(outcomeJson)) return false;
  const { status } = JSON.parse(outcomeJson) as Pick<Outcome, "status">;
  return status === "success" || status === "initiated";
}
