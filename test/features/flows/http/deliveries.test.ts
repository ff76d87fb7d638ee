import * as z from "zod";
import { expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { bytesOf, github } from "../hooks/sample-senders.ts";
import { trial } from "../../../support/trial.ts";

const THREE_DAYS_MS = 3 * 86_400_000;

const writeTo = (name: string) =>
  defineTool({
    name: `write_${name}`,
    summary: `Write to ${name}`,
    description: "A tool of a test.",
    category: name,
    actions: ["update"],
    isWrite: true,
    execution: "sync",
    input: z.strictObject({}),
    hosts: ["api.example.com"],
    orchestration: { mode: "parallel-safe" },
    run: async (_, ctx) => (await ctx.fetch(`https://api.example.com/${name}`, { method: "POST" })).json(),
  });

/** A deployment with a flow that GitHub's deliveries run. */
async function deploy(actions: readonly object[] = [{ id: "a", tool: "discover_tools", args: {} }]) {
  let refusals = 0;
  const volley = await createTestVolley({
    tools: [writeTo("first"), writeTo("second")],
    routes: {
      "POST https://api.example.com/first": { done: true },
      // Refused once, so that the run has another attempt.
      "POST https://api.example.com/second": () =>
        (refusals += 1) === 1 ? new Response("", { status: 429 }) : Response.json({ done: true }),
    },
    features: [discovery(), addedTools(), confirmations(), flows()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "keeper", tenant: "acme", flags: ["manage_tools"] },
      }),
      VOLLEY_TOOL_SECRETS: JSON.stringify({ HOOK: { tenants: ["acme"], hosts: [] } }),
      HOOK: github.secret,
    },
  });
  const ask = async (
    path: string,
    init: RequestInit,
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await volley.fetch(path, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const headers = { "content-type": "application/json" };
  const put = (paused: boolean) =>
    ask("/v1/flows/found", {
      method: "PUT",
      headers,
      body: JSON.stringify({
        summary: "Finds",
        input_schema: { type: "object" },
        actions,
        triggers: { webhook: { verify: "github", secret: "HOOK" }, paused },
      }),
    });
  const deliver = (id: string) =>
    ask("/hooks/acme/found", {
      method: "POST",
      headers: { ...headers, ...github.sign({ body: bytesOf(github.body), id }) },
      body: github.body,
    });
  const jobs = async () => (await ask("/v1/jobs?tool=found", {})).body["jobs"] as readonly unknown[];
  return { volley, put, deliver, jobs };
}

test("a delivery runs its flow once in 72 hours, and after them its id is another's", async () => {
  const { volley, put, deliver, jobs } = await deploy();
  expect((await put(false)).status).toBe(201);
  const first = await deliver("d-1");
  expect(first).toMatchObject({ status: 202, body: { job_id: expect.any(String) } });
  expect((await deliver("d-1")).body).toEqual(first.body);
  await volley.advance(THREE_DAYS_MS - 60_000);
  expect((await deliver("d-1")).body).toEqual(first.body);
  await volley.advance(120_000);
  expect((await deliver("d-1")).body["job_id"]).not.toBe(first.body["job_id"]);
  expect(await jobs()).toHaveLength(2);
});

trial("a delivery to a paused flow records nothing, and its id is good when the flow goes on", async () => {
  const { put, deliver, jobs } = await deploy();
  await put(true);
  expect((await deliver("d-2")).status).toBe(503);
  expect(await jobs()).toEqual([]);
  await put(false);
  expect((await deliver("d-2")).status).toBe(202);
  expect(await jobs()).toHaveLength(1);
});

trial("a run's next attempt repeats no write that has succeeded", async () => {
  const { volley, put, deliver, jobs } = await deploy([
    { id: "first", tool: "write_first" },
    { id: "second", tool: "write_second", depends_on: ["first"] },
  ]);
  await put(false);
  await deliver("d-3");
  await volley.advance(600_000);
  expect(await jobs()).toMatchObject([{ status: "succeeded", attempts: 2 }]);
  expect(volley.requests.map(({ url }) => new URL(url).pathname)).toEqual(["/first", "/second", "/second"]);
});
