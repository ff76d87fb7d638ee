import { afterAll, expect, test } from "vitest";

import { github } from "../features/flows/hooks/sample-senders.ts";
import { eventually, heldWithin } from "../support/eventually.ts";
import { sendHook, triggerOf } from "../support/hook-sender.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { type RawRequest, TestCaller } from "../support/test-caller.ts";

/* A flow that is changed at one isolate, run by itself at that one and at another which shares its object. */

const upstream = await HostileUpstream.start();
const volley = await startRawSandbox({ vars: { PROBE_ORIGIN: upstream.url }, twin: true });
afterAll(async () => {
  await volley[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});
const here = new TestCaller(volley.url, "sandbox-admin-key");
const elsewhere = new TestCaller(volley.twinUrl!, "sandbox-admin-key");

/** Keep a flow whose actions are all shipped tools: it says `said`, and takes nothing but an optional or required `word`. */
async function put(
  name: string,
  said: string,
  required: readonly string[] = [],
  more: object = {},
): Promise<void> {
  const flow = {
    summary: `Say ${said}`,
    input_schema: { type: "object", properties: { word: { type: "string" } }, required },
    actions: [{ id: "e", tool: "probe-echo", args: { n: 1 } }],
    answer: said,
    ...more,
  };
  const kept = await here.send({ method: "PUT", path: `/v1/flows/${name}`, body: JSON.stringify(flow) });
  expect([200, 201], kept.text).toContain(kept.status);
}

async function remove(name: string): Promise<void> {
  expect((await here.send({ method: "DELETE", path: `/v1/flows/${name}` })).status).toBe(204);
}

/** The answer of a run, or the status that it was refused with. */
async function run(name: string, by: TestCaller, input: object = {}): Promise<string> {
  const { status, text } = await by.send({ path: `/v1/flows/${name}/run`, body: JSON.stringify({ input }) });
  return status === 200 ? (JSON.parse(text) as { answer: string }).answer : String(status);
}

/** Run a flow again and again at the other isolate, as its callers do, until a run says this. */
const within = (name: string, wanted: string, input: object = {}): Promise<void> =>
  heldWithin(5_000, `'${wanted}'`, async () => (await run(name, elsewhere, input)) === wanted);

test("F30 where a flow was replaced or deleted the next run is the new one, or 404", async () => {
  await put("near", "old");
  for (let times = 0; times < 5; times += 1) expect(await run("near", here)).toBe("old");
  await put("near", "new");
  for (let times = 0; times < 5; times += 1) expect(await run("near", here)).toBe("new");
  await remove("near");
  for (let times = 0; times < 5; times += 1) expect(await run("near", here)).toBe("404");
});

/** Every other way in which a flow is called; each gives what came of it as text. */
const DOORS: Readonly<Record<string, (name: string) => RawRequest>> = {
  "a batch": (tool) => ({ path: "/v1/execute_actions", body: JSON.stringify({ actions: [{ tool }] }) }),
  "a loop": (tool) => ({
    path: "/v1/execute_actions",
    body: JSON.stringify({ actions: [{ tool, args: {}, for_each: [1] }] }),
  }),
  invoke_tool: (tool_name) => ({
    path: "/v1/invoke_tool",
    body: JSON.stringify({ tool_name, parameters: {} }),
  }),
  "a turn of a model": (name) => ({
    path: "/v1/anthropic/tool_use",
    body: JSON.stringify({ content: [{ type: "tool_use", id: "t", name, input: {} }] }),
  }),
  MCP: (name) => ({
    path: "/mcp?surface=flat",
    headers: { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
  }),
  "the Orchestration API": (toolName) => ({
    path: "/api/orchestration/batch",
    body: JSON.stringify({ tools: [{ id: "1", toolName, input: {} }] }),
  }),
};

test.each(Object.entries(DOORS))(
  "F30 by %s the next call after a flow was replaced, deleted or kept again is of the new one, again and again",
  async (_, door) => {
    const name = "every-door";
    const call = async (): Promise<string> => (await here.send(door(name))).text;
    await put(name, "said-0");
    for (let n = 1; n <= 4; n += 1) {
      expect(await call()).toContain(`said-${n - 1}`);
      if (n === 3) {
        await remove(name);
        expect(await call()).not.toContain("said-");
      }
      await put(name, `said-${n}`);
    }
    expect(await call()).toContain("said-4");
    await remove(name);
    expect(await call()).toMatch(/UNKNOWN_TOOL|[Uu]nknown tool/);
  },
);

test("F30 a delivery causes a run of the flow that there is, soon at another isolate too", async () => {
  const webhook = { triggers: { webhook: triggerOf(github) } };
  let sent = 0;
  const deliver = async (url: string): Promise<string> => {
    const { status, text } = await sendHook(url, "hooked", github, { id: `delivery-${(sent += 1)}` });
    if (status !== 202) return String(status);
    const { job_id: id } = JSON.parse(text) as { job_id: string };
    return eventually("the run's end", async () => {
      const job = await here.send({ method: "GET", path: `/v1/jobs/${id}` });
      return (JSON.parse(job.text) as { data?: string }).data;
    });
  };
  const elsewhereSays = (wanted: string): Promise<true> =>
    eventually(`'${wanted}'`, async () => (await deliver(volley.twinUrl!)) === wanted || undefined);
  for (const said of ["first", "second"]) {
    await put("hooked", said, [], webhook);
    expect(await deliver(volley.url)).toBe(said);
    await elsewhereSays(said);
  }
  await remove("hooked");
  expect(await deliver(volley.url)).toBe("401");
  await elsewhereSays("401");
  await put("hooked", "third", [], webhook);
  expect(await deliver(volley.url)).toBe("third");
});

test("F30 another isolate runs what has replaced a flow within five seconds, and then knows of its end", async () => {
  await put("far", "old");
  await within("far", "old");
  await put("far", "new");
  await within("far", "new");
  await remove("far");
  await within("far", "404");
});

test("F30 an input that only the flow of before refuses is taken within five seconds, everywhere", async () => {
  await put("strict", "old", ["word"]);
  await within("strict", "old", { word: "x" });
  expect(await run("strict", elsewhere)).toBe("422");
  await put("strict", "new");
  expect(await run("strict", here)).toBe("new");
  await within("strict", "new");
});
