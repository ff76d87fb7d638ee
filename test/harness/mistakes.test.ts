import { describe, expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { sendForEvents } from "../support/send-for-events.ts";
import { problemOf } from "../support/test-caller.ts";

const { upstream, volley, caller } = await setUpSandbox();

const ECHO = { tool: "probe-echo", args: { n: 1 } };
const FOUND = { id: "found", tool: "probe-search", args: { q: "lamp" } };
/** A call under names that other systems have, and what is said of it. */
const OTHERWISE = { name: "probe-echo", arguments: '{"n": 7}' };
const SAID = { status: "success", data: { n: 7 }, meta: { read_as: { tool: "name", args: "arguments" } } };

describe("An action under other names", () => {
  test("runs as it is meant, with siblings that do not notice", async () => {
    const { results } = await caller.execute([ECHO, OTHERWISE, ECHO]);
    expect(results).toMatchObject([{ status: "success" }, SAID, { status: "success" }]);
    for (const index of [0, 2]) expect(results[index]!.meta).not.toHaveProperty("read_as");
  });

  test("says so in the events of a stream", async () => {
    const { results, done } = await sendForEvents(`${volley.url}/v1/execute_actions`, {
      actions: [OTHERWISE],
    });
    expect(results).toMatchObject([SAID]);
    expect(done).toMatchObject({ results: [SAID] });
  });

  test("says so to a model that called execute_actions in its turn", async () => {
    const call = {
      id: "c",
      function: { name: "execute_actions", arguments: JSON.stringify({ actions: [OTHERWISE] }) },
    };
    const { messages } = await caller.answerTo<{ messages: { content: string }[] }>("/v1/openai/tool_calls", [
      call,
    ]);
    expect(JSON.parse(messages[0]!.content)).toMatchObject({ results: [SAID] });
  });

  test("says so to an MCP client", async () => {
    const answer = await caller.send({
      path: "/mcp",
      headers: { accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "execute_actions", arguments: { actions: [OTHERWISE] } },
      }),
    });
    const data = /^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text;
    expect(JSON.parse(data)).toMatchObject({ result: { structuredContent: { results: [SAID] } } });
  });

  test("is planned like any other, and recorded as a job with its arguments", async () => {
    const dry = await caller.send({ body: JSON.stringify({ dry_run: true, actions: [OTHERWISE] }) });
    expect(JSON.parse(dry.text)).toMatchObject({ plan: { waves: [["a0"]] }, errors: [] });
    const { results } = await caller.execute([{ name: "probe-background", input: { n: 5 } }]);
    expect(results[0]).toMatchObject({
      status: "initiated",
      meta: { read_as: { tool: "name", args: "input" } },
    });
  });

  test("is documented", async () => {
    const text = (await caller.get("/openapi.json")).text;
    expect(text).toContain('"read_as"');
    expect(text).toContain('"warnings"');
  });
});

describe("A placeholder that is only text", () => {
  test("never reaches an upstream in a write, and is warned of in a read", async () => {
    const text = "Hi {{found.items[0].name}}";
    const { results } = await caller.execute([
      FOUND,
      { id: "write", tool: "write", args: { text } },
      { id: "read", tool: "probe-search", args: { q: text } },
    ]);
    const right = '{"$template":"Hi {{found#/items/0/name}}"}';
    expect(results[1]).toMatchObject({
      status: "error",
      error: { code: "BAD_REFERENCE", retryable: false, hint: expect.stringContaining(right) },
    });
    expect(results[2]).toMatchObject({
      status: "success",
      meta: { warnings: [expect.stringContaining(right)] },
    });
    expect(upstream.requestsTo("/tool/write")).toEqual([]);
  });
});

const MALFORMED: [sentence: string, body: string, said: string][] = [
  ["a trailing comma", '{"actions": [],}', "line 1, column 16: a trailing comma"],
  ["single quotes", "{'actions': []}", "line 1, column 2"],
  ["a comment", '{\n  // all\n  "actions": []}', "line 2, column 3: JSON has no comments"],
  ["an end too early", '{"actions": [{"tool": "probe-', "ends too early"],
  ["a form", "actions=1&dry_run=true", "form-encoded"],
  ["None", '{"actions": None}', "write null"],
  ["two documents", '{"actions": []}{"actions": []}', "a second document"],
  ["nothing", "", "The body is empty"],
];

test.each(MALFORMED)("a body with %s is told so, and where", async (_, body, said) => {
  const answer = await caller.send({ body });
  expect(problemOf(answer)).toMatchObject({ status: 400, code: "MALFORMED_JSON" });
  expect(problemOf(answer).detail).toContain(said);
});

test("a parameter in the address of a batch is refused, because it would not be read", async () => {
  const answer = await caller.send({
    path: "/v1/execute_actions?dry_run=true",
    body: JSON.stringify({ actions: [ECHO] }),
  });
  expect(problemOf(answer)).toMatchObject({ status: 400, code: "INVALID_QUERY", path: "dry_run" });
});

test("a path that is nearly right is told the right one, and a method the one that is answered", async () => {
  const path = await caller.send({ path: "/execute_actions", body: "{}" });
  expect(problemOf(path)).toMatchObject({
    status: 404,
    detail: expect.stringContaining("POST /v1/execute_actions"),
  });
  const method = await caller.get("/v1/execute_actions");
  expect(problemOf(method)).toMatchObject({ status: 405, detail: expect.stringContaining("POST only") });
  expect(method.headers["allow"]).toBe("POST");
});
