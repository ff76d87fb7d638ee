import { describe, expect, test } from "vitest";

import { TOOL_FORMATS } from "../../src/features/discovery/tool-list.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, type RawAnswer, type RawRequest, TestCaller } from "../support/test-caller.ts";

/** Tools of several kinds whose contracts and descriptions name others: of them this key must learn nothing. */
const GRANTED = ["fetch_document", "probe-item", "probe-write-verified", "probe-background", "probe-delete"];

const QUOTA = { limit: 100_000, window_s: 60 };
const { volley, upstream } = await setUpSandbox({
  VOLLEY_KEYS: await configureKeys({
    full: { name: "full", tenant: "acme", quota: QUOTA, flags: ["approve"] },
    few: { name: "few", tenant: "acme", tools: GRANTED, quota: QUOTA, flags: ["approve"] },
  }),
});
const full = new TestCaller(volley.url, "full");
const few = new TestCaller(volley.url, "few");

async function toolsOf(caller: TestCaller): Promise<{ name: string; description: string }[]> {
  const { text } = await caller.get("/v1/tools?surface=flat");
  return (JSON.parse(text) as { tools: { name: string; description: string }[] }).tools;
}

const all = await toolsOf(full);
// One plain word may be a word, and some stand in the reference document's tables.
const hidden = all.map(({ name }) => name).filter((name) => !GRANTED.includes(name) && /[_-]/.test(name));
const categories = ["example", "email", "weather", "search", "vehicles"];

const post = (path: string, body: object, headers: Record<string, string> = {}): RawRequest => ({
  path,
  body: JSON.stringify(body),
  headers,
});
const get = (path: string): RawRequest => ({ method: "GET", path });
const rpc = (method: string, params: object, query = ""): RawRequest =>
  post(
    `/mcp${query}`,
    { jsonrpc: "2.0", id: 1, method, params },
    { accept: "application/json, text/event-stream" },
  );
const run = (...actions: object[]): RawRequest => post("/v1/execute_actions", { actions });

/** The names of tools in an answer that this key may not call, but for those that the request said itself. */
function leaked({ text, headers }: RawAnswer, { path, body }: RawRequest): string[] {
  const said = `${path} ${String(body)}`;
  const told = `${text} ${JSON.stringify(headers)}`;
  return hidden.filter(
    (name) => new RegExp(`(?<![A-Za-z0-9_-])${name}(?![A-Za-z0-9_-])`).test(told) && !said.includes(name),
  );
}

async function expectNothing(requests: readonly RawRequest[]): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  for (const request of requests) {
    const answer = await few.send(request);
    expect([request.path, request.body, leaked(answer, request)]).toEqual([request.path, request.body, []]);
    answers.push(answer);
  }
  return answers;
}

/** Slips that a nearest name would be looked for. */
const slips = hidden.flatMap((name) => [name.slice(0, -1), name.replace(/[_-]/, ""), `${name}s`]);

test("the key has fewer tools than there are, and the check would see a name", async () => {
  expect((await toolsOf(few)).map(({ name }) => name).sort()).toEqual([...GRANTED].sort());
  expect(hidden.length).toBeGreaterThan(20);
  const request = run({ tool: slips[0]! });
  expect(leaked(await full.send(request), request)).not.toEqual([]);
});

describe("T02 a key learns no name of a tool that it may not call", () => {
  test("from lists, in any format and surface, nor from the document", async () => {
    await expectNothing([
      get("/openapi.json"),
      ...TOOL_FORMATS.flatMap((format) =>
        ["batch", "meta", "flat"].map((surface) => get(`/v1/tools?format=${format}&surface=${surface}`)),
      ),
      ...["", "?surface=flat", "?surface=batch"].map((query) => rpc("tools/list", {}, query)),
      rpc("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      }),
    ]);
  });

  test("from discovery, whatever is looked for", async () => {
    await expectNothing([
      post("/v1/discover_tools", { limit: 50, detail: "schema" }),
      ...slips.map((query) => post("/v1/discover_tools", { query, limit: 50, detail: "schema" })),
      ...categories.map((category) => post("/v1/discover_tools", { categories: [category] })),
      post("/v1/discover_tools", { actions: ["nothing"] }),
      ...[...GRANTED, ...slips].map((tool_name) => post("/v1/get_tool_schema", { tool_name })),
    ]);
  });

  test("from the failures of batches, single calls, turns and the Orchestration API", async () => {
    await expectNothing(
      slips.flatMap((tool) => [
        run(
          { tool },
          { tool: "invoke_tool", args: { tool_name: tool } },
          { tool: "get_tool_schema", args: { tool_name: tool } },
        ),
        post("/v1/invoke_tool", { tool_name: tool }),
        post("/api/orchestration/batch", { tools: [{ id: "1", toolName: tool, input: {} }] }),
        post("/v1/openai/tool_calls", {
          tool_calls: [{ id: "1", type: "function", function: { name: tool, arguments: "{}" } }],
        }),
        rpc("tools/call", { name: tool, arguments: {} }),
      ]),
    );
  });

  test("from what its own tools take, do and need", async () => {
    upstream.script("/verified", (_, response) => void response.destroy());
    upstream.script("/found", (_, response) => void response.end('{"n":1}'));
    const own = [
      { id: "a", tool: "fetch_document" },
      { id: "b", tool: "probe-item" },
      { id: "c", tool: "probe-write-verified", args: { n: 1 } },
      { id: "d", tool: "probe-delete", args: { id: 1 } },
      { id: "e", tool: "fetch_document", args: { documentid: "1" } },
      { id: "f", tool: "fetch_document", args: { document_id: { $ref: "a#/x" } } },
    ];
    const [ran] = await expectNothing([
      run(...own),
      post("/v1/execute_actions", { dry_run: true, actions: own }),
      ...GRANTED.map((tool) => run({ tool })),
    ]);
    const { results } = JSON.parse(ran!.text) as { results: object[] };
    expect(results[2]).toMatchObject({
      status: "unknown",
      error: { hint: expect.stringContaining("a look at it finds") },
      meta: { verification: { verdict: "took_effect" } },
    });
  });

  test("from another key's jobs, which do not exist for it", async () => {
    // A call of a tool that it may not call, and one of a tool that it may.
    const { results } = await full.execute([
      { tool: "send_email", args: { to: ["a@example.com"], subject: "Hi", body: "…" } },
      { tool: "probe-background", args: { n: 1 } },
    ]);
    const [theirs, both] = results.map(({ job_id }) => job_id!);
    const refused = await expectNothing([
      get(`/v1/jobs/${theirs}`),
      post(`/v1/jobs/${theirs}/cancel`, {}),
      post(`/v1/jobs/${theirs}/redrive`, {}),
    ]);
    const nobody = await few.get("/v1/jobs/00000000-0000-4000-8000-000000000000");
    for (const answer of refused) expect(problemOf(answer).detail).toBe(problemOf(nobody).detail);
    const [list, own] = await expectNothing([get("/v1/jobs?limit=1"), get(`/v1/jobs/${both}`)]);
    expect(JSON.parse(list!.text)).toMatchObject({ jobs: [{ job_id: both }], next_cursor: null });
    expect(own!.status).toBe(200);
    expect((await full.get(`/v1/jobs/${theirs}`)).status).toBe(200);
    expect(JSON.parse((await full.get("/v1/jobs")).text)).toMatchObject({ jobs: { length: 2 } });
  });

  test("from a confirmation that holds one, which it can neither see nor decide", async () => {
    const { results } = await full.execute([
      { id: "d", tool: "probe-delete", args: { id: 1 } },
      { tool: "probe-write", args: { n: { $ref: "d#/n" } } },
      { tool: "probe-delete", args: { id: 2 } },
    ]);
    const [mixed, , own] = results.map(({ confirmation }) => `/v1/confirmations/${confirmation!.id}`);
    const refused = await expectNothing([
      get(mixed!),
      post(mixed!, { decision: "approve" }),
      post(mixed!, { decision: "reject" }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await expectNothing([get(own!)]))[0]!.status).toBe(200);
  });
});
