import { expect, test } from "vitest";

import type { WireResult } from "../support/execute-batch.ts";
import { sendForEvents } from "../support/send-for-events.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { upstream, volley, caller } = await setUpSandbox();

const twinsOf = (results: readonly WireResult[]) =>
  results.map(({ meta }) => (meta as { deduplicated_of?: string }).deduplicated_of);

test("Fifty identical reads of one batch are one call upstream", async () => {
  const { results, summary } = await caller.execute(
    Array.from({ length: 50 }, () => ({ tool: "probe-limited", args: { n: 1, d: 50 } })),
  );
  expect(upstream.requestsTo("/limited")).toHaveLength(1);
  expect(summary).toMatchObject({ ok: 50 });
  expect(twinsOf(results)).toEqual([undefined, ...Array.from({ length: 49 }, () => "a0")]);
});

test("A read after a write of its domain is sent again", async () => {
  const { results } = await caller.execute([
    { tool: "probe-read", args: { n: 2 } },
    { tool: "probe-read", args: { n: 2 } },
    { tool: "probe-write", args: { n: 2 } },
    { tool: "probe-read", args: { n: 2 } },
  ]);
  expect(upstream.requests.slice(-3).map(({ path }) => path)).toEqual(["/read", "/write", "/read"]);
  expect(twinsOf(results)).toEqual([undefined, "a0", undefined, undefined]);
});

test("Each action of a stream has its own event", async () => {
  const twin = { tool: "probe-echo", args: { n: 3, d: 20 } };
  const { results } = await sendForEvents(`${volley.url}/v1/execute_actions`, { actions: [twin, twin] });
  expect(results).toMatchObject([{ id: "a0" }, { id: "a1" }]);
});

test("Two actions of a limited tool that ask the same draw once from its limit", async () => {
  const { summary } = await caller.execute(
    Array.from({ length: 8 }, (_, at) => ({ tool: "probe-quota", args: { n: at % 4 } })),
  );
  expect(summary).toMatchObject({ ok: 8 });
  expect(upstream.requestsTo("/quota")).toHaveLength(4);
});

test("The same calls of the Orchestration API are each made", async () => {
  const tools = [1, 2].map((at) => ({ id: `t${at}`, toolName: "read", input: { path: "a" } }));
  const answer = await caller.send({ path: "/api/orchestration/batch", body: JSON.stringify({ tools }) });
  expect(answer.status).toBe(200);
  expect(upstream.requestsTo("/tool/read")).toHaveLength(2);
});
