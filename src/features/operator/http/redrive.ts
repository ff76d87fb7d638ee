import * as z from "zod/mini";

import { type Gate, redriveAll } from "../../../feature/tenant.ts";
import { strictSchema } from "../../../feature/schema.ts";
import { askGate, readRequest, respondJson } from "../../../feature/answer.ts";
import type { Route } from "../../../feature/route.ts";
import { err, makeRefusal, ok } from "../../../feature/refuse.ts";
import { KEY_NAME } from "../../../feature/caller.ts";
import { type JobRecord, walkJobs } from "../../../feature/tool.ts";
import * as LIMITS from "../limits.ts";
import { codeOf } from "../operator.ts";
import { operatorCountsOf } from "./operator-counts.ts";

/** `POST /v1/operator/redrive`: give dead jobs of one tenant fresh attempts, of one code and one tool where these are said. */
export const redriveTenant: Route = {
  route: "POST /v1/operator/redrive",
  async handle(request, { configured }) {
    const body = await readRequest(request, redriveSchema());
    if (!body.ok) return body;
    const { tenant, code, tool } = body.value.parsed;
    const gate = operatorCountsOf(configured).gateOf(tenant);
    if (gate === null) return err(NO_TENANT);
    const found = await askGate(
      () => findDead(gate, { code, tool }),
      "The tenant's jobs could not be read; ask again.",
    );
    if (!found.ok) return found;
    const { jobs, more } = found.value;
    const answer = { ...(await redriveAll(jobs, { gate, catalog: configured.catalog })), more };
    return ok(respondJson(JSON.stringify(answer)));
  },
  describe: () => ({
    id: "redriveTenant",
    summary: "Give dead jobs of a tenant fresh attempts, the newest first",
    tag: "Operator",
    body: { schema: redriveSchema(), example: { tenant: "operator", code: "UPSTREAM_ERROR" } },
    answer: { description: "How many were redriven", schema: redrivenSchema() },
    refusals: ["FORBIDDEN", "INVALID_REQUEST", "NOT_FOUND"],
  }),
};

const NO_TENANT = makeRefusal("NOT_FOUND", "No key in VOLLEY_KEYS is of that tenant.");

/** Find the dead jobs that are wanted, as many as one request redrives. Codes are not looked for by the object, so here. */
async function findDead(
  gate: Gate,
  { code, tool }: { readonly code: string | undefined; readonly tool: string | undefined },
): Promise<{ readonly jobs: readonly JobRecord[]; readonly more: boolean }> {
  const limit = LIMITS.maxJobPage;
  const tools = tool === undefined ? undefined : [tool];
  const jobs: JobRecord[] = [];
  let looked = 0;
  for await (const job of walkJobs(gate, { status: "dead", tools, limit, after: null })) {
    if (looked === LIMITS.operatorRedriveLooks || jobs.length === limit) return { jobs, more: true };
    looked += 1;
    if (code === undefined || codeOf(job.errorJson) === code) jobs.push(job);
  }
  return { jobs, more: false };
}

const redriveSchema = strictSchema("RedriveTenant", () => ({
  tenant: z.string().check(z.regex(KEY_NAME, "a tenant's name")),
  code: z.optional(z.string()).check(z.describe("Only jobs that ended with it, as the overview has it")),
  tool: z.optional(z.string()),
}));

const redrivenSchema = strictSchema("RedrivenTenant", () => {
  const count = z.int().check(z.minimum(0));
  return {
    redriven: count,
    not_redriven: count,
    tools_gone: z.array(z.string()).check(z.describe("Tools that are not deployed: their jobs stay dead")),
    backlog_full: z.boolean(),
    more: z.boolean().check(z.describe("There may be more of them: ask again")),
  };
});
