import * as z from "zod/mini";

import { lazySchema, refuseQuery, strictSchema } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { onlyWorkOf } from "../../../cloudflare/http/own-work.ts";
import { readRequest, type RequestContext, respondJson } from "../../../feature/answer.ts";
import type { RunPage, RunPlace, RunQuery, RunLog } from "../run-log-methods.ts";
import { parseRunQuery, toRunCursor } from "../run-query.ts";
import { look } from "./look-at-run.ts";
import { runFilterSchema } from "./run-schemas.ts";

const cursorField = () => ({
  cursor: z.optional(z.string()).check(z.describe("The next_cursor of an earlier answer")),
});

export const onlyField = () =>
  z.optional(z.literal("failed")).check(z.describe("Reads that succeeded are answered too, and not run"));

/** The body that names the runs, by the filters of the list. */
export const cancelSchema = lazySchema("CancelRuns", () => z.extend(runFilterSchema(), cursorField()));

export const rerunsSchema = lazySchema("RerunRuns", () =>
  z.extend(runFilterSchema(), {
    ...cursorField(),
    only: onlyField(),
  }),
);

/** The answer: how many it was done to, and where the rest begins. */
export const bulkSchema = strictSchema("ChangedRuns", () => ({
  runs: z.int().check(z.minimum(0), z.maximum(LIMITS.runsInBulk)),
  next_cursor: z
    .optional(z.string())
    .check(z.describe("Where the rest begins, sent as `cursor`; absent where all were looked at")),
}));

/** How far a request came. */
export interface BulkEnd {
  readonly runs: number;
  /** The place behind which it did not look at all; absent where it did. */
  readonly rest?: RunPlace;
  /** When to ask for the rest, where it ended for want of quota. */
  readonly retryAfterMs?: number | undefined;
}

export function respondBulk({ runs, rest, retryAfterMs }: BulkEnd): Response {
  const next = rest === undefined ? {} : { next_cursor: toRunCursor(rest) };
  const response = respondJson(JSON.stringify({ runs, ...next }));
  if (retryAfterMs !== undefined) response.headers.set("retry-after", `${Math.ceil(retryAfterMs / 1_000)}`);
  return response;
}

/** Runs that a request is about. It begins at a place, so that it never comes to the runs that it makes itself. */
export type BulkQuery = RunQuery & { readonly after: RunPlace };

/**
 * Read which runs a request is about: filters in its body, or in its query as the list has them. One at least has to be there: a request
 * without any would be about the whole tenant. A key that may change its own work alone asks about that alone.
 */
export async function readBulk(
  request: Request,
  schema: typeof cancelSchema | typeof rerunsSchema,
  { caller, ports }: Pick<RequestContext, "caller" | "ports">,
): Promise<Result<{ readonly query: BulkQuery | null; readonly only?: "failed" | undefined }, Refusal>> {
  const body = await readRequest(request, schema());
  if (!body.ok) return body;
  const { only, ...filters } = body.value.parsed as Record<string, string> & { readonly only?: "failed" };
  const { searchParams } = new URL(request.url);
  if (searchParams.has("limit")) return err(NO_LIMIT);
  const asked = new URLSearchParams([...searchParams, ...Object.entries(filters)]);
  const parsed = parseRunQuery(asked);
  if (!parsed.ok) return err(inBody(parsed.error, filters));
  const names = Object.keys(runFilterSchema().shape);
  if (!names.some((name) => asked.has(name))) return err(refuseAll(names));
  const { after, key, ...query } = parsed.value;
  const own = onlyWorkOf(caller) ?? key;
  if (key !== undefined && key !== own) return ok({ query: null, only });
  const begin = after ?? { at: ports.clock.now() - 1, id: "" };
  return ok({ query: { ...query, ...(own !== undefined && { key: own }), after: begin }, only });
}

/** A field of the body that no list takes is no parameter. */
function inBody(refusal: Refusal, fields: Readonly<Record<string, string>>): Refusal {
  const { issue } = refusal;
  if (issue === undefined || !Object.hasOwn(fields, issue.path)) return refusal;
  return makeRefusal("INVALID_REQUEST", `/${refusal.hint}`, { issue: { ...issue, path: `/${issue.path}` } });
}

function refuseAll(names: readonly string[]): Refusal {
  const hint = `It names no runs, and would be about all of the tenant's: say one of ${names.join(", ")}.`;
  return makeRefusal("INVALID_REQUEST", hint);
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
