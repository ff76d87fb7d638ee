import * as z from "zod/mini";

import * as LIMITS from "../limits.ts";
import { lazySchema, parseQuery, refuseQuery, strictSchema, type Written } from "../../../feature/schema.ts";
import { askGate, respondJson } from "../../../feature/answer.ts";
import type { Route } from "../../../feature/route.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { quantileOf } from "../histogram.ts";
import { OPERATOR_LOGS, type OverviewQuery, type SeenTenant, type ToolRow } from "../operator.ts";
import { operatorCountsOf } from "./operator-counts.ts";

/** `GET /v1/operator/overview?hours=&limit=`: every tenant, those with the most errors and dead jobs first. */
export const showOverview: Route = {
  route: "GET /v1/operator/overview",
  async handle(request, { configured }) {
    const query = parseOverviewQuery(new URL(request.url).searchParams);
    if (!query.ok) return query;
    const counts = operatorCountsOf(configured);
    if (!counts.isBound) return err(NO_LOG);
    const found = await askGate(
      () => counts.overview(query.value),
      "The counts could not be read; ask again.",
    );
    if (!found.ok) return found;
    const answer: Written<typeof overviewSchema> = { tenants: found.value.map(toTenant) };
    return ok(respondJson(JSON.stringify(answer)));
  },
  describe: () => ({
    id: "showOverview",
    summary: "Look across all tenants: counts, errors, times, dead jobs, open questions",
    tag: "Operator",
    query: z.strictObject({
      hours: z
        .optional(z.int().check(z.minimum(1), z.maximum(LIMITS.operatorHours)))
        .check(z.describe("The present hour and those before it; 24 unless said")),
      limit: z
        .optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxOperatorTenants)))
        .check(z.describe("Tenants, those with the most errors and dead jobs first; 30 unless said")),
    }),
    answer: { description: "What the tenants did", schema: overviewSchema() },
    refusals: ["FORBIDDEN", "MISCONFIGURED"],
  }),
};

const NO_LOG = makeRefusal(
  "MISCONFIGURED",
  `This deployment counts nothing; its operator has to bind the class OperatorLog as ${OPERATOR_LOGS}.`,
);

function toTenant({ row, tools, dead, waiting }: SeenTenant): Written<typeof tenantSchema> {
  const [tenant, runs, actions, errors, throttled, took] = row;
  return {
    tenant,
    runs,
    actions,
    error_rate: toRate(errors, actions),
    p50_ms: quantileOf(took, 0.5),
    p95_ms: quantileOf(took, 0.95),
    throttled,
    dead: { ...dead },
    waiting,
    tools: tools.map(toTool),
  };
}

function toTool([tool, calls, errors, took]: ToolRow): Written<typeof toolSchema> {
  return {
    tool,
    calls,
    error_rate: toRate(errors, calls),
    p50_ms: quantileOf(took, 0.5),
    p95_ms: quantileOf(took, 0.95),
  };
}

function toRate(errors: number, all: number): number {
  return errors === 0 ? 0 : Math.min(1, Math.round((10_000 * errors) / all) / 10_000);
}

const count = lazySchema(() => z.int().check(z.minimum(0)));
const rate = lazySchema(() => z.number().check(z.minimum(0), z.maximum(1)));
const time = lazySchema(() =>
  z.nullable(count()).check(z.describe("To within 10 %; null where nothing was measured")),
);

const toolSchema = strictSchema(() => ({
  tool: z.string(),
  calls: count(),
  error_rate: rate(),
  p50_ms: time(),
  p95_ms: time(),
}));

const tenantSchema = strictSchema(() => ({
  tenant: z.string(),
  runs: count(),
  actions: count(),
  error_rate: rate().check(
    z.describe("Of its actions, those that failed or whose end is unknown, at once or as a job"),
  ),
  p50_ms: time(),
  p95_ms: time(),
  throttled: count().check(
    z.describe("Requests and actions that ended as QUOTA_EXCEEDED, RATE_LIMITED or BACKLOG_FULL"),
  ),
  dead: z.record(z.string(), count()).check(z.describe("Jobs that are dead now, by their code")),
  waiting: count().check(z.describe("Questions that wait for a person now")),
  tools: z.array(toolSchema()).check(z.describe("Ten at most, those that fail most first")),
}));

const overviewSchema = strictSchema("Overview", () => ({ tenants: z.array(tenantSchema()) }));

/** Parse the query of `GET /v1/operator/overview`. Anything it does not know is refused. */
function parseOverviewQuery(query: URLSearchParams): Result<OverviewQuery, Refusal> {
  const asked = parseQuery(query, { hours: "text", limit: "text" });
  if (!asked.ok) return asked;
  const hours = parseCount(
    asked.value.hours ?? `${LIMITS.operatorOverviewHours}`,
    "hours",
    LIMITS.operatorHours,
  );
  if (!hours.ok) return hours;
  const limit = parseCount(
    asked.value.limit ?? `${LIMITS.operatorTenants}`,
    "limit",
    LIMITS.maxOperatorTenants,
  );
  return limit.ok ? ok({ hours: hours.value, limit: limit.value }) : limit;
}

function parseCount(text: string, name: string, most: number): Result<number, Refusal> {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= most
    ? ok(count)
    : err(refuseQuery(name, `a whole number from 1 to ${most}`, text));
}
