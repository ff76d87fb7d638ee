import { parseBatch } from "../../core/contract/batch.ts";
import { execute } from "../../core/run/execute/executor.ts";
import { refuseOtherParameters } from "../../core/contract/parse-request.ts";
import { err, ok } from "../../core/kit/result.ts";
import { readRun } from "../http/read-request-body.ts";
import { respondBatch, respondDocument } from "../http/respond-run.ts";
import type { CoreRoute } from "../openapi/route.ts";
import { cancelJob, listJobs, redriveJob, redriveJobs, showJob } from "./jobs.ts";

/**
 * `POST /v1/execute_actions`: one batch in, every result out. As events an answer that is replayed for its idempotency key
 * comes all at once, and a dry run has no results: its plan is the `done`.
 */
export const executeActions: CoreRoute<"POST /v1/execute_actions"> = {
  route: "POST /v1/execute_actions",
  runs: true,
  async handle(request, received) {
    // Ignored, a `dry_run` there would run for good.
    const unread = request.url.includes("?")
      ? refuseOtherParameters(new URL(request.url).searchParams, [])
      : null;
    if (unread !== null) return err(unread);
    const body = await readRun(request, received);
    if (!body.ok) return body;
    const { fields, keepers, later } = received.hooks ?? {};
    const value = later?.read(request.headers, body.value.value) ?? body.value.value;
    const said =
      fields?.read(value, { request, context: received }) ?? ok({ rest: value, context: received });
    if (!said.ok) return said;
    const { context } = said.value;
    const kept = keepers?.read(said.value.rest) ?? ok({ rest: said.value.rest, keptAs: undefined });
    if (!kept.ok) return kept;
    const { rest, keptAs } = kept.value;
    const names = keepers === undefined ? fields?.names : [...(fields?.names ?? []), ...keepers.fields];
    const batch = parseBatch(rest, body.value.bytes, names);
    if (!batch.ok) return batch;

    const respond = batch.value.background === undefined ? respondBatch : respondDocument;
    return respond(
      (listener) =>
        execute({ ...batch.value, keptAs }, { ...context, ...body.value.keyed(value), ...listener }),
      request,
      // It holds the body's bytes.
      received,
    );
  },
};

/** The paths that every Worker answers behind a key. */
export const CORE_ROUTES = [executeActions, listJobs, showJob, cancelJob, redriveJob, redriveJobs] as const;
