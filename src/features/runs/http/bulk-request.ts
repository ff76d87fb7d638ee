import * as z from "zod/mini";

import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import { readRequest } from "../../../core/edge/http/read-request-body.ts";
import type { RequestContext } from "../../../core/edge/http/request-context.ts";
import { ok, type Result } from "../../../core/kit/result.ts";
import type { RunLog } from "../objects/run-logs.ts";
import type { ListedRun, RunQuery } from "../run.ts";
import { parseRunQuery } from "../run-query.ts";
import { look } from "./look-at-run.ts";
import { runFilterSchema } from "./run-schemas.ts";

/** The body that names the runs, by the filters of the list. */
export const cancelSchema = lazySchema(() =>
  z.extend(runFilterSchema(), {}).register(z.globalRegistry, { id: "CancelRuns" }),
);

export const rerunsSchema = lazySchema(() =>
  z
    .extend(runFilterSchema(), {
      only: z
        .optional(z.literal("failed"))
        .check(z.describe("Reads that succeeded are answered too, and not run")),
    })
    .register(z.globalRegistry, { id: "RerunRuns" }),
);

/** The answer: how many it was done to. */
export const bulkSchema = lazySchema(() =>
  z
    .strictObject({
      runs: z.int().check(z.minimum(0), z.maximum(LIMITS.runsInBulk)),
      more: z.boolean().check(z.describe("There was no time, or no quota, for all; ask again for the rest")),
    })
    .register(z.globalRegistry, { id: "ChangedRuns" }),
);

/** Read which runs a request is about: filters in its body, or in its query as the list has them. */
export async function readBulk(
  request: Request,
  schema: typeof cancelSchema | typeof rerunsSchema,
): Promise<Result<{ readonly query: RunQuery; readonly only?: "failed" | undefined }, Refusal>> {
  // A platform gives every POST a body; one without a type was not sent.
  const body = request.headers.has("content-type")
    ? await readRequest(request, schema())
    : ok({ parsed: {} });
  if (!body.ok) return body;
  const { only, ...filters } = body.value.parsed as Record<string, string> & { readonly only?: "failed" };
  const { searchParams } = new URL(request.url);
  const query = parseRunQuery(new URLSearchParams([...searchParams, ...Object.entries(filters)]));
  return query.ok ? ok({ query: query.value, only }) : query;
}

/** The runs of the log that fit, newest first, as far as one request looks. */
export async function* runsThatFit(
  query: RunQuery,
  log: RunLog,
  context: RequestContext,
): AsyncGenerator<ListedRun, void, void> {
  let { after } = query;
  for (let page = 0; page < LIMITS.runPagesInBulk; page += 1) {
    const asked = { ...query, limit: LIMITS.maxJobPage, after };
    const { runs, next } = await look(context, (seen) => log.list(asked, seen));
    yield* runs;
    if (next === null) return;
    after = next;
  }
}
