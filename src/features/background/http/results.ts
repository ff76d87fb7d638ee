import * as z from "zod/mini";

import { BATCH_TOOL } from "../../../core/catalog/alias.ts";
import { type Batch, parseBatch } from "../../../core/contract/batch.ts";
import { parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../limits.ts";
import { refuseOtherParameters, refuseQuery } from "../../../core/contract/parse-request.ts";
import { makeRefusal } from "../../../core/contract/refusal.ts";
import { findJob, NO_JOB, UNREADABLE } from "../../../cloudflare/endpoints/jobs.ts";
import { askGate } from "../../../cloudflare/http/ask-gate.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import { respondCounted } from "../../../cloudflare/http/respond-counted.ts";
import type { Endpoint } from "../../../cloudflare/openapi/endpoint.ts";
import { isLive } from "../../../core/gate/state/outbox.ts";
import { attempt, err } from "../../../core/kit/result.ts";
import { makePlan } from "../../../core/plan/make-plan.ts";
import { callBackground } from "../batch-job.ts";
import { completeBatch } from "../run/complete-batch.ts";
import { parseCursor } from "../result-cursor.ts";
import { resultPageSchema, toPageJson } from "../wire-results.ts";

/** `GET /v1/jobs/{id}/results?cursor=`: the results of a batch in the background, which are too many for one answer. */
export const showResults: Endpoint = {
  route: "GET /v1/jobs/:id/results",
  runsNothing: true,
  async handle(request, context, id) {
    const { searchParams } = new URL(request.url);
    const unread = refuseOtherParameters(searchParams, ["cursor"]);
    if (unread !== null) return err(unread);
    const cursor = searchParams.get("cursor");
    const after = cursor === null ? null : parseCursor(cursor);
    if (cursor !== null && after === null)
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
