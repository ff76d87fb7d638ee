import { describe, expect, test } from "vitest";

import { configureKeys, type KeyEntry } from "../support/configured-keys.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, type RawAnswer, type RawRequest, TestCaller } from "../support/test-caller.ts";

/** Nothing comes back while a test runs. */
const QUOTA = { limit: 2, window_s: 86_400 };
const LISTS = 10;
const NOBODY = "00000000-0000-4000-8000-000000000000";

const posted = (path: string, body: object, headers: object = {}): RawRequest => ({
  path,
  body: JSON.stringify(body),
  headers: { ...headers },
});
const got = (path: string): RawRequest => ({ method: "GET", path });
const rpc = (method: string, params: object = {}): RawRequest =>
  posted(
    "/mcp",
    { jsonrpc: "2.0", id: 1, method, params },
    { accept: "application/json, text/event-stream" },
  );
/** A call of revision 2026-07-28, whose answer begins when it has been counted. */
const mcpCall = (name: string, args: object): RawRequest => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const { body: _, ...request } = rpc("tools/call");
  return {
    ...request,
    headers: {
      ...request.headers,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args, _meta },
    }),
  };
};
const RUN = { actions: [{ tool: "probe-echo", args: { n: 1 } }] };
const initialize = rpc("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

/** Everything that runs nothing, with the status that it has for this key. */
const LOOKS: [name: string, request: RawRequest, status: number][] = [
  ["the list of tools", got("/v1/tools"), 200],
  ["a list of tools that is refused", got("/v1/tools?format=cobol"), 400],
  ["discovery", posted("/v1/discover_tools", { query: "echo" }), 200],
  ["a schema", posted("/v1/get_tool_schema", { tool_name: "probe-echo" }), 200],
  ["the schema of nothing", posted("/v1/get_tool_schema", { tool_name: "nothing" }), 404],
  ["the list of jobs", got("/v1/jobs"), 200],
  ["a job", got(`/v1/jobs/${NOBODY}`), 404],
  ["cancelling a job", posted(`/v1/jobs/${NOBODY}/cancel`, {}), 404],
  ["redriving a job", posted(`/v1/jobs/${NOBODY}/redrive`, {}), 404],
  ["a confirmation", got(`/v1/confirmations/${NOBODY}`), 404],
  ["a person's no", posted(`/v1/confirmations/${NOBODY}`, { decision: "reject" }), 404],
  ["a dry run", posted("/v1/execute_actions", { ...RUN, dry_run: true }), 200],
  ["a partition", posted("/api/orchestration/partition", { tools: [] }), 200],
  ["the document", got("/openapi.json"), 200],
  ["an MCP client's first word", initialize, 200],
  ["an MCP client's list", rpc("tools/list"), 200],
  ["an MCP client's ping", rpc("ping"), 200],
  ["a dry run by an MCP client", mcpCall("execute_actions", { ...RUN, dry_run: true }), 200],
];

/** Everything that runs something. */
const RUNS: [name: string, request: RawRequest][] = [
  ["a batch", posted("/v1/execute_actions", RUN)],
  ["one call", posted("/v1/invoke_tool", { tool_name: "probe-echo", parameters: { n: 1 } })],
  ["a batch of meta-tools", posted("/v1/execute_actions", { actions: [{ tool: "discover_tools" }] })],
  [
    "an orchestrated batch",
    posted("/api/orchestration/batch", { tools: [{ id: "1", toolName: "probe-echo", input: { n: 1 } }] }),
  ],
  [
    "a provider's turn",
    posted("/v1/anthropic/tool_use", {
      content: [{ type: "tool_use", id: "1", name: "probe-echo", input: { n: 1 } }],
    }),
  ],
  ["an MCP client's call", mcpCall("probe-echo", { n: 1 })],
];

const nameOf = (kind: string, index: number): string => `${kind}-${index}`;
const entries: Record<string, KeyEntry> = {};
for (const [kind, cases] of [
  ["look", LOOKS],
  ["run", RUNS],
  ["more", [1, 2, 3]],
] as const)
  for (const index of cases.keys())
    entries[nameOf(kind, index)] = {
      name: nameOf(kind, index),
      tenant: "acme",
      quota: QUOTA,
      flags: ["approve"],
    };

const { volley } = await setUpSandbox({ VOLLEY_KEYS: await configureKeys(entries) });
const callerOf = (kind: string, index: number): TestCaller => new TestCaller(volley.url, nameOf(kind, index));

const isCall = ({ body }: RawRequest): boolean => String(body).includes("tools/call");

/** Whether an answer says that an allowance is used up, in the words of its path, and when to come back. */
function isOver(request: RawRequest, answer: RawAnswer): boolean {
  if (!isCall(request) && answer.status !== 429) return false;
  if (isCall(request) && !answer.text.includes("QUOTA_EXCEEDED")) return false;
  expect(answer.headers).toHaveProperty("retry-after");
  return true;
}

async function sendAll(caller: TestCaller, request: RawRequest, times: number): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  for (let n = 0; n < times; n += 1) answers.push(await caller.send(request));
  return answers;
}

describe("what runs nothing", () => {
  test.each(LOOKS.map((look, index) => [look[0], index, look] as const))(
    "T34 %s draws from five times the quota, and leaves the quota alone",
    async (_, index, [, request, status]) => {
      const caller = callerOf("look", index);
      const answers = await sendAll(caller, request, LISTS + 1);
      const last = answers.pop()!;
      for (const [n, answer] of answers.entries()) {
        expect([answer.status, answer.text]).toEqual([status, answer.text]);
        expect(answer.headers["ratelimit-policy"]).toBe('"lists";q=10;w=86400');
        expect(answer.headers["ratelimit"]).toMatch(new RegExp(`^"lists";r=${LISTS - 1 - n};t=\\d+$`));
      }
      expect(isOver(request, last)).toBe(true);
      expect(last.headers["ratelimit"]).toMatch(/^"lists";r=0;t=\d+$/);

      const run = posted("/v1/execute_actions", RUN);
      const ran = await sendAll(caller, run, QUOTA.limit + 1);
      expect(ran.map(({ status }) => status)).toEqual([200, 200, 429]);
      for (const { headers } of ran) expect(headers["ratelimit-policy"]).toBe('"requests";q=2;w=86400');
    },
  );

  test("T34 is refused by what it may not do: it says so, and that waiting helps", async () => {
    const caller = callerOf("more", 0);
    await sendAll(caller, got("/v1/jobs"), LISTS);
    const problem = problemOf(await caller.send(got("/v1/tools")));
    expect(problem).toMatchObject({ code: "QUOTA_EXCEEDED", retry_after_ms: expect.any(Number) });
    expect(problem.detail).toBe(
      "The key may send 10 requests that run nothing every 86400 s; wait before the next one.",
    );
    const partition = await caller.send(posted("/api/orchestration/partition", { tools: [] }));
    expect([partition.status, Object.keys(JSON.parse(partition.text) as object)]).toEqual([429, ["error"]]);
  });

  test("costs nothing without a valid key, nor at a path that there is not", async () => {
    const caller = callerOf("more", 1);
    const nobody = new TestCaller(volley.url, "more-9");
    for (const answer of await sendAll(nobody, got("/v1/tools"), 3)) expect(answer.status).toBe(401);
    await sendAll(caller, got("/v1/toolz"), 3);
    await sendAll(caller, { method: "DELETE", path: "/v1/tools" }, 3);
    const [first] = await sendAll(caller, got("/v1/tools"), 1);
    expect(first!.headers["ratelimit"]).toMatch(/^"lists";r=9;/);
  });
});

describe("what runs something", () => {
  test.each(RUNS.map((run, index) => [run[0], index, run] as const))(
    "%s draws from the quota, and leaves the second allowance alone",
    async (_, index, [, request]) => {
      const caller = callerOf("run", index);
      const answers = await sendAll(caller, request, QUOTA.limit + 1);
      expect(answers.map((answer) => isOver(request, answer))).toEqual([false, false, true]);
      const [look] = await sendAll(caller, got("/v1/tools"), 1);
      expect(look!.headers["ratelimit"]).toMatch(/^"lists";r=9;/);
    },
  );

  test("a person's yes is one of the quota, and looking at the question none", async () => {
    const caller = callerOf("more", 2);
    const { results } = await caller.execute([{ tool: "probe-delete", args: { id: 1 } }]);
    const path = `/v1/confirmations/${results[0]!.confirmation!.id}`;
    const [shown] = await sendAll(caller, got(path), 1);
    expect(shown!.headers["ratelimit"]).toMatch(/^"lists";r=9;/);
    const [yes] = await sendAll(caller, posted(path, { decision: "approve" }), 1);
    expect(yes!.headers["ratelimit"]).toMatch(/^"requests";r=0;/);
    const [again] = await sendAll(caller, posted(path, { decision: "reject" }), 1);
    expect([again!.status, again!.headers["ratelimit"]]).toEqual([
      409,
      expect.stringMatching(/"lists";r=8;/),
    ]);
  });
});
