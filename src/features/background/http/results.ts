import * as z from "zod/mini";

import { BATCH_TOOL } from "../../../core/catalog/alias.ts";
import { parseBatch } from "../../../core/contract/batch.ts";
import { parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { refuseOtherParameters, refuseQuery } from "../../../core/contract/parse-request.ts";
import { makeRefusal } from "../../../core/contract/refusal.ts";
import { findJob, NO_JOB, UNREADABLE } from "../../../core/edge/endpoints/jobs.ts";
import { askGate } from "../../../core/edge/http/ask-gate.ts";
import { respondCounted } from "../../../core/edge/http/respond-counted.ts";
import type { Endpoint } from "../../../core/edge/openapi/endpoint.ts";
import { err } from "../../../core/kit/result.ts";
import { callBackground } from "../batch-job.ts";
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
    const query = { after, limit: LIMITS.resultPage, bytes: LIMITS.resultPageBytes };
    const page = await askGate(() => callBackground(context.gate, "results", id, query), UNREADABLE);
    if (!page.ok) return page;
    const sent = job.value.argsJson ?? "{}";
    const batch = parseBatch(parseExact(sent), sent.length);
    if (!batch.ok) return err(NO_PAGES);
    const isCancelled = job.value.status === "cancelled";
    return respondCounted(toPageJson(page.value, batch.value.entries, { isCancelled }), context);
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

const NO_PAGES = makeRefusal(
  "NOT_FOUND",
  "The job is no batch in the background: GET /v1/jobs/{id} shows its data.",
);
