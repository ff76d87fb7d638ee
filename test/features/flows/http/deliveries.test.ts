import { expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { eventually } from "../../../support/eventually.ts";
import { bytesOf, github } from "../hooks/sample-senders.ts";

const DAY_MS = 86_400_000;

/** A deployment with a flow that GitHub's deliveries run. */
async function deploy() {
  const volley = await createTestVolley({
    tools: [],
    features: [discovery(), addedTools(), confirmations(), flows()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "keeper", tenant: "acme", flags: ["manage_tools"] },
      }),
      VOLLEY_TOOL_SECRETS: JSON.stringify({ HOOK: { tenants: ["acme"], hosts: [] } }),
      HOOK: github.secret,
    },
  });
  // A signature is checked on another thread, and no virtual time passes meanwhile: then it is asked again.
  const ask = async (
    path: string,
    init: RequestInit,
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await eventually("an answer", () =>
      volley.fetch(path, init).catch((error: unknown) => {
        if (!String(error).includes("no timer is left")) throw error;
        return undefined;
      }),
    );
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
        actions: [{ id: "a", tool: "discover_tools", args: {} }],
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

test("a delivery runs its flow once in 24 hours, and after them its id is another's", async () => {
  const { volley, put, deliver, jobs } = await deploy();
  expect((await put(false)).status).toBe(201);
  const first = await deliver("d-1");
  expect(first).toMatchObject({ status: 202, body: { job_id: expect.any(String) } });
  expect((await deliver("d-1")).body).toEqual(first.body);
  await volley.advance(DAY_MS - 60_000);
  expect((await deliver("d-1")).body).toEqual(first.body);
  await volley.advance(120_000);
  expect((await deliver("d-1")).body["job_id"]).not.toBe(first.body["job_id"]);
  expect(await jobs()).toHaveLength(2);
});

test("a delivery to a paused flow records nothing, and its id is good when the flow goes on", async () => {
  const { put, deliver, jobs } = await deploy();
  await put(true);
  expect((await deliver("d-2")).status).toBe(503);
  expect(await jobs()).toEqual([]);
  await put(false);
  expect((await deliver("d-2")).status).toBe(202);
  expect(await jobs()).toHaveLength(1);
});
