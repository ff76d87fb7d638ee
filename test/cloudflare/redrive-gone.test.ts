import { expect, test } from "vitest";

import { createCatalog } from "../support/create-catalog.ts";
import type { JobRecord } from "../../src/core/contract/gate/job.ts";
import { redriveJob, redriveJobs } from "../../src/cloudflare/routes/jobs.ts";
import type { RequestContext } from "../../src/cloudflare/http/request-context.ts";
import { contractOf } from "../support/fake-actions.ts";

/* Dead jobs of tools that the deployment, or the tenant, has no more. */

const DEAD = { status: "dead", attempts: 5, tries: [], createdAt: 0, updatedAt: 0 } as const;
const deadOf = (id: string, tool: string, keepsTool = false): JobRecord => ({
  ...DEAD,
  id,
  tool,
  keepsTool,
  nextAttemptAt: null,
  dataJson: null,
  errorJson: null,
  note: null,
  callback: null,
});
const JOBS = [deadOf("a", "mail"), deadOf("b", "undeployed"), deadOf("c", "deleted", true)];

const redriven: string[] = [];
const context = {
  caller: { tools: ["*"], flags: [] },
  catalog: createCatalog([contractOf("mail", { isWrite: true, execution: "fire-and-forget" })]),
  requestId: "r",
  gate: {
    job: async (id: string) => JOBS.find((job) => job.id === id) ?? null,
    // As a list has them: without their tools.
    jobs: async () => ({ rows: JOBS.map((job) => ({ ...job, keepsTool: false })), hasMore: false }),
    redrive: async (id: string) => {
      redriven.push(id);
      return { change: "done", job: JOBS.find((job) => job.id === id)! };
    },
  },
} as unknown as RequestContext;

const post = (body: object): Request =>
  new Request("https://volley.test/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

test("one job whose tool is not deployed any more is refused, by name, and nothing is changed", async () => {
  const refused = await redriveJob.handle(post({}), context, "b");
  expect(refused).toMatchObject({
    error: {
      code: "JOB_NOT_REDRIVABLE",
      hint: expect.stringContaining("'undeployed' is not deployed any more"),
    },
  });
  expect(redriven).toEqual([]);
});

test("all dead jobs are redriven but those whose tool is not deployed any more, which is named", async () => {
  const answered = await redriveJobs.handle(post({ status: "dead" }), context, "");
  if (!answered.ok) throw new Error(answered.error.hint);
  expect(await answered.value.json()).toEqual({
    redriven: 2,
    not_redriven: 1,
    tools_gone: ["undeployed"],
    backlog_full: false,
    more: false,
  });
  expect(redriven.sort()).toEqual(["a", "c"]);
});
