import { describe, expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, type RawAnswer, TestCaller } from "../support/test-caller.ts";

const { upstream, volley } = await setUpSandbox();

const all = new TestCaller(volley.url);
const small = new TestCaller(volley.url, "sandbox-small-key");

interface Discovered {
  readonly tools: readonly { readonly name: string; readonly category: string }[];
  readonly total: number;
  readonly hint?: string;
}

function post(path: string, body: unknown, caller = all): Promise<RawAnswer> {
  return caller.send({ path, body: JSON.stringify(body) });
}

async function read<T>(path: string, body: unknown, caller = all): Promise<T> {
  const { status, text, headers } = await post(path, body, caller);
  expect(status, text).toBe(200);
  expect(headers["content-type"]).toBe("application/json");
  return JSON.parse(text) as T;
}

describe("POST /v1/discover_tools", () => {
  test("finds a tool by what it does", async () => {
    const { tools } = await read<Discovered>("/v1/discover_tools", { query: "weather in Phoenix" });
    expect(tools[0]).toEqual({
      name: "get_weather",
      summary: expect.any(String),
      category: expect.any(String),
      actions: expect.any(Array),
      is_write: false,
    });
  });

  test("puts an exact name first", async () => {
    const { tools } = await read<Discovered>("/v1/discover_tools", { query: "probe-delete" });
    expect(tools[0]!.name).toBe("probe-delete");
  });

  test("answers several queries with one list, the best of each first, with their parameters", async () => {
    const { tools, total } = await read<Discovered>("/v1/discover_tools", {
      queries: ["PROBE-DELETE", "weather in Phoenix", "probe echo"],
      detail: "schema",
      limit: 6,
    });
    expect(tools.slice(0, 3).map(({ name }) => name)).toEqual(["probe-delete", "get_weather", "probe-echo"]);
    expect(tools.map((tool) => "parameters" in tool)).toEqual([true, true, true, true, true, false]);
    expect(tools[2]).toMatchObject({ parameters: { n: { type: "number" } }, required: ["n"] });
    expect(total).toBeGreaterThan(tools.length);
  });

  test.each(["echo", "ECHO", "search", "mail", "recalls", "wether"])(
    "finds a tool by the one word '%s'",
    async (query) => {
      const { tools } = await read<Discovered>("/v1/discover_tools", { query, limit: 50 });
      const expected = {
        echo: "probe-echo",
        search: "probe-search",
        mail: "send_email",
        recalls: "nhtsa-recall-search",
        wether: "get_weather",
      };
      expect(tools.map(({ name }) => name)).toContain(expected[query.toLowerCase() as keyof typeof expected]);
    },
  );

  test("answers what nothing fits with nothing, and the categories to look through", async () => {
    const answer = await read<Discovered>("/v1/discover_tools", { query: "sourdough bread" }, small);
    expect(answer).toEqual({
      tools: [],
      total: 0,
      hint: expect.stringMatching(/without a query: probe.*\.$/),
    });
  });

  test("lists ten of all, and says how many there are", async () => {
    const { tools, total } = await read<Discovered>("/v1/discover_tools", {});
    expect(tools).toHaveLength(10);
    expect(total).toBeGreaterThan(10);
  });

  test("names the real categories for one that is none", async () => {
    const answer = await read<Discovered>("/v1/discover_tools", { categories: ["probes"] });
    expect(answer).toMatchObject({ tools: [], total: 0, hint: expect.stringContaining("are: probe,") });
  });

  test("shows a key nothing of what it may not call", async () => {
    const { tools, total } = await read<Discovered>("/v1/discover_tools", { limit: 50 }, small);
    expect(new Set(tools.map(({ category }) => category))).toEqual(new Set(["probe"]));
    expect(total).toBe(tools.length);
    for (const request of [{ query: "send_email" }, { categories: ["email"] }])
      expect(await read("/v1/discover_tools", request, small)).toMatchObject({ tools: [], total: 0 });
    const found = await read<Discovered>("/v1/discover_tools", { query: "google maps search" }, small);
    expect(found.tools.every(({ category }) => category === "probe")).toBe(true);
  });

  test("costs none of the quota, and one of the allowance for what runs nothing", async () => {
    const { headers } = await post("/v1/discover_tools", {}, small);
    expect(headers["ratelimit-policy"]).toBe('"lists";q=100;w=60');
  });

  test.each([
    [{ limit: 0 }, { path: "/limit", expected: "a number at least 1", received: "the number 0" }],
    [{ limit: 51 }, { path: "/limit", expected: "a number at most 50", received: "the number 51" }],
    [{ categories: "mail" }, { path: "/categories", expected: "an array", received: 'the string "mail"' }],
    [[], { path: "", expected: "an object", received: "an array of 0" }],
    [{ qeury: "x" }, { path: "/qeury", detail: expect.stringContaining("Did you mean 'query'") }],
    [{ query: "x".repeat(501) }, { path: "/query", expected: "at most 500 characters long" }],
    [{ queries: [] }, { path: "/queries", expected: "at least 1 item long" }],
    [
      { queries: Array.from({ length: 9 }, () => "x") },
      { path: "/queries", expected: "at most 8 items long" },
    ],
    [{ queries: ["x", "x".repeat(501)] }, { path: "/queries/1", expected: "at most 500 characters long" }],
    [{ detail: "all" }, { path: "/detail" }],
  ])("refuses %j", async (body, problem) => {
    const answer = await post("/v1/discover_tools", body);
    expect(answer.status).toBe(422);
    expect(problemOf(answer)).toMatchObject({ code: "INVALID_REQUEST", ...problem });
  });
});

describe("POST /v1/get_tool_schema", () => {
  test("gives what a call needs to know", async () => {
    const description = await read("/v1/get_tool_schema", { tool_name: "probe-limited" });
    expect(description).toMatchObject({
      name: "probe-limited",
      parameters: { n: { type: "number" } },
      required: ["n"],
      is_write: false,
      input_schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      "x-orchestration": { mode: "fan-out-bounded", max_concurrency: 3 },
    });
  });

  test("does not know a tool that is not there, nor one the key may not call, and names the nearest", async () => {
    const misspelt = await post("/v1/get_tool_schema", { tool_name: "probe-ecko" }, small);
    const hidden = await post("/v1/get_tool_schema", { tool_name: "send_email" }, small);

    expect([misspelt.status, hidden.status]).toEqual([404, 404]);
    expect(problemOf(misspelt)).toMatchObject({
      code: "UNKNOWN_TOOL",
      detail:
        "No tool is named 'probe-ecko'. Did you mean 'probe-echo' or 'probe-book'? Otherwise call discover_tools to find one.",
      path: "/tool_name",
      expected: "the name of a tool",
      received: 'the string "probe-ecko"',
    });
    expect(problemOf(hidden).detail).toBe("No tool is named 'send_email'; call discover_tools to find one.");
  });

  test("refuses a body without a name", async () => {
    expect(problemOf(await post("/v1/get_tool_schema", { name: "x" }))).toMatchObject({
      code: "INVALID_REQUEST",
      path: "/tool_name",
    });
  });
});

describe("POST /v1/invoke_tool", () => {
  test("reads parameters that are null as left out", async () => {
    const result = await read<object>("/v1/invoke_tool", { tool_name: "discover_tools", parameters: null });
    expect(result).toMatchObject({ status: "success", data: { tools: expect.any(Array) } });
  });

  test("answers with the tool's one result, and counts it", async () => {
    const answer = await post("/v1/invoke_tool", { tool_name: "probe-echo", parameters: { n: 7 } }, small);

    expect(JSON.parse(answer.text)).toMatchObject({
      index: 0,
      id: "a0",
      tool: "probe-echo",
      status: "success",
      data: { path: "/echo", n: 7 },
    });
    expect(answer.headers["ratelimit-policy"]).toBe('"requests";q=20;w=60');
  });

  test.each([
    ["an unknown tool", { tool_name: "probe-ecko" }, "UNKNOWN_TOOL"],
    ["a tool the key may not call", { tool_name: "send_email" }, "UNKNOWN_TOOL"],
    ["arguments that do not fit", { tool_name: "probe-echo", parameters: { n: "7" } }, "INVALID_ARGS"],
    [
      "a reserved key",
      { tool_name: "probe-echo", parameters: JSON.parse('{"__proto__":{}}') },
      "INVALID_ARGS",
    ],
    [
      "a reference to nothing",
      { tool_name: "probe-echo", parameters: { n: { $ref: "a#/n" } } },
      "BAD_REFERENCE",
    ],
  ])("answers %s with an error result", async (_, body, code) => {
    const result = await read("/v1/invoke_tool", body, small);
    expect(result).toMatchObject({ index: 0, status: "error", error: { code } });
  });

  test("records background work as a batch does", async () => {
    const result = await read<{ job_id: string }>("/v1/invoke_tool", {
      tool_name: "probe-background",
      parameters: { n: 1 },
    });
    expect(result).toMatchObject({ tool: "probe-background", status: "initiated" });
    expect((await all.get(`/v1/jobs/${result.job_id}`)).status).toBe(200);
  });

  test.each([
    [{ parameters: {} }, "/tool_name"],
    [{ tool_name: "probe-echo", parameters: 7 }, "/parameters"],
    [{ tool_name: "probe-echo", args: {} }, "/args"],
  ])("refuses %j", async (body, path) => {
    const answer = await post("/v1/invoke_tool", body);
    expect(answer.status).toBe(422);
    expect(problemOf(answer)).toMatchObject({ code: "INVALID_REQUEST", path });
  });
});

test("a model that takes execute_actions for a tool of the catalog is told how it is called", async () => {
  const { results } = await all.execute([
    { tool: "execute_actions", args: { actions: [{ tool: "probe-echo", args: { n: 1 } }] } },
    { tool: "get_tool_schema", args: { tool_name: "execute_actions" } },
  ]);
  const schema = await post("/v1/get_tool_schema", { tool_name: "execute_actions" });
  for (const hint of [...results.map(({ error }) => error?.hint), problemOf(schema).detail])
    expect(hint).toMatch(/^'execute_actions' is called by itself, never as an action/);
});

describe("the meta-tools inside execute_actions", () => {
  test("run beside other actions, and hand on what they found", async () => {
    const { results } = await all.execute([
      { id: "found", tool: "discover_tools", args: { query: "probe-echo", limit: 1 } },
      { id: "schema", tool: "get_tool_schema", args: { tool_name: { $ref: "found#/tools/0/name" } } },
      { id: "run", tool: "invoke_tool", args: { tool_name: "probe-echo", parameters: { n: 3 } } },
    ]);
    expect(results.map(({ id, tool, status }) => [id, tool, status])).toEqual([
      ["found", "discover_tools", "success"],
      ["schema", "get_tool_schema", "success"],
      ["run", "probe-echo", "success"],
    ]);
    expect(results[1]!.data).toMatchObject({ name: "probe-echo", required: ["n"] });
  });

  test.each([
    [{ queries: [] }, "/args/queries"],
    [{ query: "x".repeat(501) }, "/args/query"],
    [{ queries: ["x".repeat(501)] }, "/args/queries/0"],
  ])("refuse %j as any tool does", async (args, path) => {
    const { results } = await all.execute([{ tool: "discover_tools", args }]);
    expect(results[0]).toMatchObject({
      status: "error",
      error: { code: "INVALID_ARGS", issues: [{ path }] },
    });
    const { messages } = await all.answerTo<{ messages: { content: string }[] }>("/v1/openai/tool_calls", {
      tool_calls: [
        { id: "c", type: "function", function: { name: "discover_tools", arguments: JSON.stringify(args) } },
      ],
    });
    expect(messages[0]!.content).toContain("INVALID_ARGS");
  });

  test("hold an invoked tool to its cap", async () => {
    const before = upstream.requestsTo("/limited").length;
    upstream.gather("/limited", 3);
    const { stats } = await all.execute(
      Array.from({ length: 8 }, (_, n) => ({
        tool: "invoke_tool",
        args: { tool_name: "probe-limited", parameters: { n, d: 30 } },
      })),
    );
    expect(upstream.requestsTo("/limited").length - before).toBe(8);
    expect(stats["max_parallelism"]).toBe(3);
  });

  test("show a key its own tools only", async () => {
    const { results } = await small.execute([
      { tool: "discover_tools", args: { query: "send_email" } },
      { tool: "get_tool_schema", args: { tool_name: "send_email" } },
      { tool: "invoke_tool", args: { tool_name: "send_email", parameters: {} } },
    ]);
    expect(results[0]!.data).toEqual({
      tools: [],
      total: 0,
      hint: "No tool fits. Say it in other words, or ask for a category without a query: probe.",
    });
    expect(results.slice(1).map(({ error }) => error?.code)).toEqual(["UNKNOWN_TOOL", "UNKNOWN_TOOL"]);
  });
});
