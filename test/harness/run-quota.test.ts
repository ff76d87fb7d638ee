import { expect, test } from "vitest";

import { github } from "../features/flows/hooks/sample-senders.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { eventually } from "../support/eventually.ts";
import { sendHook, triggerOf } from "../support/hook-sender.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const quota = { limit: 5, window_s: 86_400 };
const VOLLEY_KEYS = await configureKeys({
  keeper: { name: "keeper", tenant: "sandbox-admin", flags: ["manage_tools"], quota },
  smaller: { name: "smaller", tenant: "sandbox-admin", quota: { limit: 1, window_s: 86_400 } },
});
const { upstream, volley } = await setUpSandbox({ VOLLEY_KEYS });
const keeper = new TestCaller(volley.url, "keeper");

test("T45 deliveries run as often as the tenant's largest key may send requests; the others are recorded and wait", async () => {
  const flow = {
    summary: "Echoes",
    input_schema: { type: "object" },
    actions: [{ id: "e", tool: "probe-echo", args: { n: 1 } }],
    triggers: { webhook: triggerOf(github) },
  };
  const kept = await keeper.send({ method: "PUT", path: "/v1/flows/echoes", body: JSON.stringify(flow) });
  expect(kept.status, kept.text).toBe(201);
  for (let n = 0; n < 8; n += 1) {
    const { status } = await sendHook(volley.url, "echoes", github, { id: `delivery-${n}` });
    expect(status).toBe(202);
  }
  await eventually("five runs", async () => (upstream.requestsTo("/echo").length >= 5 ? true : undefined), {
    withinMs: 100_000,
  });
  // A batch of the key is counted by itself: the runs took nothing of its quota.
  expect((await keeper.execute([{ tool: "probe-echo", args: { n: 2 } }])).summary).toMatchObject({ ok: 1 });
  const { text } = await keeper.get("/v1/jobs?limit=50");
  const { jobs } = JSON.parse(text) as { jobs: { attempts: number; status: string }[] };
  expect(jobs.filter(({ attempts }) => attempts === 1)).toHaveLength(5);
  expect(jobs.filter(({ attempts, status }) => attempts === 0 && status === "running")).toHaveLength(3);
  expect(upstream.requestsTo("/echo")).toHaveLength(6);
});
