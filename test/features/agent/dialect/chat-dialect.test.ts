import { describe, expect, test } from "vitest";

import { CHAT } from "../../../../src/features/agent/dialect/chat-dialect.ts";
import type { Asked, Message } from "../../../../src/features/agent/dialect/dialect.ts";
import type { ToolDescriptor } from "../../../../src/features/discovery/batch-tool.ts";
import type { JsonObject } from "../../../../src/core/contract/json.ts";
import { checkChatRequest } from "../../../sandbox/upstreams/check-chat-request.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";

const USER = { role: "user", content: "Go" };
const BODY = { model: "m", messages: [USER] };
const OURS: readonly ToolDescriptor[] = ["probe-echo", "probe-read"].map((name) => ({
  name,
  description: `${name}.`,
  inputSchema: { type: "object", properties: {} },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
}));
const OWN = {
  type: "function",
  function: { name: "lookup", parameters: { type: "object", properties: {} } },
};
const call = (id: string, name = "probe-echo", args = "{}"): object => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const turn = (...calls: readonly object[]): Message => ({
  role: "assistant",
  content: null,
  tool_calls: calls,
});
const result = (id: string, content = "{}"): Message => ({ role: "tool", tool_call_id: id, content });
const reply = (json: string) => ({ json, failed: false });

/** A request as the model's server gets it; it has to be one that the API takes. */
function write(body: object, asked: Partial<Asked> = {}, tools = OURS): JsonObject {
  const conversation = valueOf(CHAT.read({ ...BODY, ...body }));
  const request = CHAT.createRequests(
    conversation,
    tools,
  )({
    messages: conversation.messages,
    tools: "ours",
    ...asked,
  });
  expect(checkChatRequest(request)).toBeNull();
  return request;
}

describe("A request", () => {
  test("is the caller's, with our tools before theirs", () => {
    const { tools, ...rest } = write({ temperature: 0.5, tools: [OWN], tool_choice: "auto" });
    expect(rest).toEqual({ ...BODY, temperature: 0.5, tool_choice: "auto" });
    expect(tools).toMatchObject([
      { function: { name: "probe-echo" } },
      { function: { name: "probe-read" } },
      OWN,
    ]);
  });

  test.each(["off", "unsaid"] as const)(
    "has no tools, no choice of them and no word of them when they are %s",
    (tools) => {
      const request = write({ tools: [OWN], tool_choice: "required", parallel_tool_calls: false }, { tools });
      expect(request).toEqual(BODY);
    },
  );

  test("has no empty list of tools, which is refused", () => {
    expect(write({}, {}, [])).toEqual(BODY);
  });

  test("has our words first", () => {
    const system = { role: "system", content: "Theirs." };
    expect(
      write({ messages: [system, USER] }, { messages: [system, USER], system: "Ours." })["messages"],
    ).toEqual([{ role: "system", content: "Ours." }, system, USER]);
  });
});

describe("A turn goes back", () => {
  test("with a reply for each call, in their order, ours and the caller's", () => {
    const joined = CHAT.join(
      turn(call("a"), call("b", "lookup"), call("c")),
      new Map([
        ["a", reply("1")],
        ["c", reply("3")],
      ]),
      [result("b", "2"), USER],
    );
    expect(joined.slice(1)).toEqual([result("a", "1"), result("b", "2"), result("c", "3"), USER]);
  });

  test("and a reply to nothing stays where the model's server can refuse it", () => {
    expect(CHAT.join(turn(call("a")), new Map([["a", reply("1")]]), [result("x")]).slice(1)).toEqual([
      result("a", "1"),
      result("x"),
    ]);
  });
});

describe("An answer", () => {
  const answer = (message: object, more: object = {}): object => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    choices: [
      { index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: "tool_calls" },
    ],
    usage: { total_tokens: 3 },
    ...more,
  });
  const end = { calls: [], usage: null, report: '{"rounds":[]}' };

  test("is the model's own, with the report", () => {
    const whole = answer({ tool_calls: [call("a", "lookup")], refusal: null });
    const read = CHAT.readTurn(whole)!;
    expect(JSON.parse(CHAT.writeAnswer(read, { ...end, calls: read.calls }))).toEqual({
      ...whole,
      volley: { rounds: [] },
    });
  });

  test("has the caller's calls only", () => {
    const read = CHAT.readTurn(answer({ tool_calls: [call("a"), call("b", "lookup")] }))!;
    const calls = read.calls.filter(({ name }) => name === "lookup");
    expect(JSON.parse(CHAT.writeAnswer(read, { ...end, calls }))).toMatchObject({
      choices: [{ message: { tool_calls: [{ id: "b" }] }, finish_reason: "tool_calls" }],
    });
  });

  test("that ends with words of ours stops there", () => {
    const read = CHAT.readTurn(answer({ content: "Deleting.", tool_calls: [call("a")] }))!;
    const said = JSON.parse(CHAT.writeAnswer(read, { ...end, words: "It waits." })) as object;
    expect(said).toMatchObject({
      choices: [{ message: { content: "Deleting.\n\nIt waits." }, finish_reason: "stop" }],
    });
    expect(JSON.stringify(said)).not.toContain("tool_calls");
  });

  test.each([
    ["no id", [{}, {}]],
    ["one id", [{ id: "x" }, { id: "x" }]],
    ["empty ids", [{ id: "" }, { id: "" }]],
  ])("whose calls have %s has an id for each, the same as in the conversation", (_, ids) => {
    const calls = ids.map((fields) => ({
      type: "function",
      function: { name: "lookup", arguments: "{}" },
      ...fields,
    }));
    const read = CHAT.readTurn(answer({ tool_calls: calls }))!;
    const own = read.calls.map(({ id }) => id);
    expect(new Set(own).size).toBe(2);
    expect(JSON.parse(CHAT.writeAnswer(read, { ...end, calls: read.calls }))).toMatchObject({
      choices: [{ message: { tool_calls: own.map((id) => ({ id })) } }],
    });
  });

  test.each([
    null,
    [],
    "text",
    {},
    { choices: null },
    { choices: [] },
    { choices: [{}] },
    { choices: [{ message: [] }] },
  ])("is none: %j", (response) => {
    expect(CHAT.readTurn(response)).toBeNull();
  });

  test("goes back without what only a server says, and with arguments that are JSON", () => {
    const read = CHAT.readTurn(
      answer({
        content: "a",
        refusal: null,
        annotations: [],
        reasoning_content: "Hm.",
        audio: { id: "audio_1", data: "AAAA" },
        tool_calls: [call("a", "probe-echo", '```json\n{"n":1}\n```'), call("b", "probe-echo", "n is 1")],
      }),
    )!;
    expect(read.message).toEqual({
      role: "assistant",
      content: "a",
      reasoning_content: "Hm.",
      audio: { id: "audio_1" },
      tool_calls: [call("a", "probe-echo", '{"n":1}'), call("b")],
    });
  });

  test("that calls a custom tool of ours is told what it can do", () => {
    const custom = { id: "a", type: "custom", custom: { name: "probe-echo", input: "1" } };
    const read = CHAT.readTurn(answer({ tool_calls: [custom] }))!;
    expect(read.calls).toMatchObject([{ name: "probe-echo", args: { ok: false } }]);
    expect(read.message["tool_calls"]).toEqual([custom]);
  });

  test("makes a call once that stands as an old function_call too, and two that differ", () => {
    const old = (args: string): object => ({ function_call: { name: "probe-echo", arguments: args } });
    const calls = (args: string): unknown =>
      CHAT.readTurn(answer({ tool_calls: [call("a", "probe-echo", '{"n":1}')], ...old(args) }))!.calls.map(
        ({ args: read }) => valueOf(read),
      );
    expect(calls('{"n":1}')).toEqual([{ n: 1 }]);
    expect(calls('{ "n": 1 }')).toEqual([{ n: 1 }]);
    expect(calls('{"n":2}')).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test("is read where a call's name and arguments stand beside its type", () => {
    const flat = { id: "a", type: "function", name: "probe-echo", arguments: '{"n":1}' };
    const { calls, message } = CHAT.readTurn(answer({ tool_calls: [flat] }))!;
    expect(calls).toMatchObject([{ id: "a", name: "probe-echo", args: { value: { n: 1 } } }]);
    expect(message["tool_calls"]).toEqual([call("a", "probe-echo", '{"n":1}')]);
  });
});

describe("A body", () => {
  test.each([
    ["/n", { n: 2 }],
    ["/n", { n: "1" }],
    ["/messages", { messages: {} }],
    ["/messages", { messages: [] }],
    ["/stream", { stream: 1 }],
    ["/tools", { tools: "all" }],
  ])("is refused at %s: %j", (path, body) => {
    expect(errorOf(CHAT.read({ ...BODY, ...body })).issue?.path).toBe(path);
  });

  test("says the names of the caller's tools, custom ones too", () => {
    const tools = [OWN, { type: "custom", custom: { name: "grep" } }, { type: "web_search" }];
    expect([...valueOf(CHAT.read({ ...BODY, tools })).theirs]).toEqual(["lookup", "grep"]);
  });
});

describe("A conversation as text", () => {
  test("has calls and results as lines, those of one turn in one message", () => {
    expect(
      CHAT.toPlain([
        USER,
        { ...turn(call("a"), call("b", "lookup")), content: "Hm." },
        result("a", "1"),
        result("b", "2"),
        USER,
      ]),
    ).toEqual([
      USER,
      {
        role: "assistant",
        content: "Hm.\nAction: probe-echo\nAction Input: {}\nAction: lookup\nAction Input: {}",
      },
      { role: "user", content: "Observation: 1\nObservation: 2" },
      USER,
    ]);
  });

  test("is found again whatever a client writes otherwise the next time", () => {
    expect(CHAT.digestOf({ ...turn(call("a", "x", '{"n":1}')), refusal: null })).toEqual(
      CHAT.digestOf({ ...turn(call("a", "x", '{ "n": 1 }')), content: "" }),
    );
    expect(CHAT.digestOf({ role: "system", content: "Today is Sunday." })).toBeNull();
    expect(CHAT.digestOf({ role: "user", content: "a" })).toEqual(
      CHAT.digestOf({ role: "user", content: [{ type: "text", text: "a" }] }),
    );
  });
});
