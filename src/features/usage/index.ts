import * as z from "zod/mini";
import { toQuota } from "../../feature/caller.ts";
import { defineFeature, type Declared, type Env } from "../../feature/define.ts";
import { JOB_STATUSES } from "../../feature/tool.ts";
import { visibleTools } from "../../feature/tenant.ts";
import { tenantTools, tenantToolsBytes } from "../../feature/kit.ts";
import { ok } from "../../feature/refuse.ts";
import { askGate, respondJson } from "../../feature/answer.ts";
import type { Route } from "../../feature/route.ts";
import { escapeUnseen, lazySchema, strictSchema, type Written } from "../../feature/schema.ts";

/** `GET /v1/usage`: what a key has left of its quota, what of its tenant waits or fails, and which features there are. */
export function usage() {
  return defineFeature({
    name: "usage",
    routes: [{ for: "any key", paths: [showUsage] }],
  });
}

const ALLOWANCES = ["requests", "lists"] as const;

/**
 * `GET /v1/usage`: what the key has left, and what of its tenant's goes on, waits or fails. One call of each of the tenant's
 * objects, which read no row for it; breakers are those of the isolate that answers.
 */
const showUsage: Route = {
  route: "GET /v1/usage",
  async handle(_, context) {
    const { gate, caller, catalog, upstreams, configured } = context;
    const quotas = ALLOWANCES.map((allowance) => toQuota(caller, allowance));
    const decides = caller.tools.includes("*") ? undefined : [...catalog.names];
    const found = await askGate(
      () => gate.usage({ quotas, jobsOf: visibleTools(context), decides, subject: caller.subject }),
      "The tenant's usage could not be read; ask again.",
    );
    if (!found.ok) return found;
    const { jobs, backlog, waiting, added, quotas: left } = found.value;
    const quotaOf = (at: number): Written<typeof quotaSchema> => ({
      limit: quotas[at]!.limit,
      window_s: quotas[at]!.windowS,
      remaining: left[at]!.remaining,
      reset_ms: left[at]!.resetMs,
    });
    const answer: Written<typeof usageSchema> = {
      key: caller.name,
      tenant: caller.tenant,
      ...environmentOf(configured.env),
      flags: caller.flags,
      features: configured.declared.features,
      quota: { requests: quotaOf(0), lists: quotaOf(1) },
      jobs: { ...jobs },
      backlog: { ...backlog },
      confirmations: {
        waiting: waiting.count,
        oldest_at: waiting.oldestAt === null ? null : toIso(waiting.oldestAt),
      },
      breakers: {
        seen_by: "isolate",
        open: upstreams.health.openOf(catalog.tools, caller.tenant).map(({ tool, origin, since, until }) => ({
          tool,
          origin,
          since: toIso(since),
          until: toIso(until),
        })),
      },
      added: { tools: 0, flows: 0, bytes: 0, ...added, limit: tenantTools, bytes_limit: tenantToolsBytes },
    };
    return ok(respondJson(JSON.stringify(answer)));
  },
  describe: (declared) => ({
    id: "showUsage",
    summary: "Show what the key has left, and what of its tenant's goes on, waits or fails",
    tag: "Usage",
    answer: { description: "As it is at this moment", schema: usageSchema(declared) },
  }),
};

/** The variable with the name of the deployment, such as `production`. */
const ENVIRONMENT = "VOLLEY_ENVIRONMENT";
/** A longer name says nothing more where it stands beside every page. */
const ENVIRONMENT_LENGTH = 32;

function environmentOf(env: Env): { readonly environment?: string } {
  const name = env[ENVIRONMENT];
  if (typeof name !== "string" || name.trim() === "") return {};
  return { environment: escapeUnseen(name.trim().slice(0, ENVIRONMENT_LENGTH)) };
}

const count = lazySchema(() => z.int().check(z.minimum(0)));

const quotaSchema = strictSchema(() => ({
  limit: z.int(),
  window_s: z.number(),
  remaining: count().check(
    z.describe("Whole requests left right now; what isolates hold in advance counts as used"),
  ),
  reset_ms: count().check(z.describe("Until the whole limit is available again")),
}));

const usageSchema = ({ flags }: Pick<Declared, "flags">) => {
  const of = count();
  const time = z.string();
  const open = z.strictObject({
    tool: z.string(),
    origin: z.string(),
    since: time,
    until: time.check(z.describe("From then on one call at a time looks whether it works again")),
  });
  return z
    .strictObject({
      key: z.string(),
      tenant: z.string(),
      environment: z
        .optional(z.string())
        .check(z.describe("The name of the deployment, as its operator has set it")),
      flags: z.array(z.enum(flags)).check(z.describe("The rights of the key besides calling its tools")),
      features: z.array(z.string()).check(z.describe("The features that this Worker lists")),
      quota: z.strictObject({
        requests: quotaSchema(),
        lists: quotaSchema().check(z.describe("For requests that run nothing, as this one")),
      }),
      jobs: z
        .strictObject(
          Object.fromEntries(JOB_STATUSES.map((status) => [status, of])) as Record<
            (typeof JOB_STATUSES)[number],
            typeof of
          >,
        )
        .check(z.describe("Those that are kept, of tools that the key may call, by status")),
      backlog: z
        .strictObject({
          jobs: of,
          webhooks: of.check(z.describe("Waiting to be sent again")),
          runs: of.check(z.describe("Of flows")),
        })
        .check(z.describe("The live background work of the whole tenant")),
      confirmations: z.strictObject({ waiting: of, oldest_at: z.nullable(time) }),
      breakers: z.strictObject({
        seen_by: z
          .literal("isolate")
          .check(z.describe("Others may know otherwise: each isolate learns by itself, and there are many")),
        open: z.array(open),
      }),
      added: z
        .strictObject({ tools: of, flows: of, limit: of, bytes: of, bytes_limit: of })
        .check(
          z.describe(
            "Tools and flows that the tenant has added, and how many and large they may be together",
          ),
        ),
    })
    .register(z.globalRegistry, { id: "Usage" });
};

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
