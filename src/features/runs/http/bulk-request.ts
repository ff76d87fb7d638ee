import * as z from "zod/mini";

import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { refuseQuery } from "../../../core/contract/parse-request.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import { readRequest } from "../../../core/edge/http/read-request-body.ts";
import type { RequestContext } from "../../../core/edge/http/request-context.ts";
import { respondJson } from "../../../core/edge/http/respond.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import type { RunLog } from "../objects/run-logs.ts";
import type { RunPage, RunPlace, RunQuery } from "../run.ts";
import { parseRunQuery, toRunCursor } from "../run-query.ts";
import { look } from "./look-at-run.ts";
import { runFilterSchema } from "./run-schemas.ts";

const cursorField = () => ({
  cursor: z.optional(z.string()).check(z.describe("The next_cursor of an earlier answer")),
});

/** The body that names the runs, by the filters of the list. */
export const cancelSchema = lazySchema(() =>
  z.extend(runFilterSchema(), cursorField()).register(z.globalRegistry, { id: "CancelRuns" }),
);

export const rerunsSchema = lazySchema(() =>
  z
    .extend(runFilterSchema(), {
      ...cursorField(),
      only: z
        .optional(z.literal("failed"))
        .check(z.describe("Reads that succeeded are answered too, and not run")),
    })
    .register(z.globalRegistry, { id: "RerunRuns" }),
);

/** The answer: how many it was done to, and where the rest begins. */
export const bulkSchema = lazySchema(() =>
  z
    .strictObject({
      runs: z.int().check(z.minimum(0), z.maximum(LIMITS.runsInBulk)),
      more: z.boolean().check(z.describe("It ended before all were looked at; ask again for the rest")),
      next_cursor: z
        .optional(z.string())
        .check(z.describe("Where the rest begins, sent as `cursor`; absent where it is at the newest")),
    })
    .register(z.globalRegistry, { id: "ChangedRuns" }),
);

/** How far a request came. */
export interface BulkEnd {
  readonly runs: number;
  /** The place behind which it did not look at all; absent where it did. */
  readonly rest?: RunPlace | null;
}

export function respondBulk({ runs, rest }: BulkEnd): Response {
  const next = rest === undefined || rest === null ? {} : { next_cursor: toRunCursor(rest) };
  return respondJson(JSON.stringify({ runs, more: rest !== undefined, ...next }));
}

/** Read which runs a request is about: filters in its body, or in its query as the list has them. */
export async function readBulk(
  request: Request,
  schema: typeof cancelSchema | typeof rerunsSchema,
): Promise<Result<{ readonly query: RunQuery; readonly only?: "failed" | undefined }, Refusal>> {
  const body = await readRequest(request, schema());
  if (!body.ok) return body;
  const { only, ...filters } = body.value.parsed as Record<string, string> & { readonly only?: "failed" };
  const { searchParams } = new URL(request.url);
  if (searchParams.has("limit")) return err(NO_LIMIT);
  const query = parseRunQuery(new URLSearchParams([...searchParams, ...Object.entries(filters)]));
  return query.ok ? ok({ query: query.value, only }) : query;
}

const NO_LIMIT = refuseQuery("limit", "no limit: all runs that fit, a thousand at most", "one");

/** One page of the runs of the log that fit, newest first. */
export function listPage(
  query: RunQuery,
  after: RunPlace | null,
  { log, context }: { readonly log: RunLog; readonly context: RequestContext },
): Promise<RunPage> {
  const asked = { ...query, limit: LIMITS.maxJobPage, after };
  return look(context, (seen) => log.list(asked, seen));
}
