import { describe, expect, test } from "vitest";

import type { Asked, Message } from "../../../../src/features/agent/dialect/dialect.ts";
import { MESSAGES } from "../../../../src/features/agent/dialect/messages-dialect.ts";
import { toMessagesError } from "../../../../src/features/agent/dialect/provider-error.ts";
import type { ToolDescriptor } from "../../../../src/features/discovery/batch-tool.ts";
import type { JsonObject } from "../../../../src/core/contract/json.ts";
import { checkMessagesRequest } from "../../../sandbox/upstreams/check-messages-request.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";

const USER = { role: "user", content: "Go" };
const BODY = { model: "claude", max_tokens: 10, messages: [USER] };
const tool = (name: string): ToolDescriptor => ({
  name,
  description: `${name}.`,
  inputSchema: { type: "object", properties: {} },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
});
const OURS = [tool("probe-echo"), tool("probe-read")];
const OWN = { name: "lookup", input_schema: { type: "object" } };
const CACHED = { cache_control: { type: "ephemeral" } };

/** A request as the model's server gets it; it has to be one that the API takes. */
function write(
  body: object,
  asked: Partial<Asked> = {},
  tools: readonly ToolDescriptor[] = OURS,
): JsonObject {
  const conversation = valueOf(MESSAGES.read({ ...BODY, ...body }));
  const request = MESSAGES.createRequests(
    conversation,
    tools,
  )({
    messages: conversation.messages,
    tools: "ours",
    ...asked,
  });
  expect(checkMessagesRequest(request)).toBeNull();
  return request;
}
const toolsOf = (request: JsonObject): readonly JsonObject[] => request["tools"] as readonly JsonObject[];
const turn = (...content: readonly object[]): Message => ({ role: "assistant", content });
const use = (id: string, name = "probe-echo"): object => ({ type: "tool_use", id, name, input: {} });
const reply = (json: string, failed = false) => ({ json, failed });
const result = (id: string, content = "{}"): object => ({ type: "tool_result", tool_use_id: id, content });

describe("A request", () => {
  test("is the caller's, with our tools before theirs", () => {
    const body = { temperature: 0.5, metadata: { user_id: "u" }, tools: [OWN], system: "Be brief." };
    const { tools, ...rest } = write(body);
    expect(rest).toEqual({ ...BODY, temperature: 0.5, metadata: { user_id: "u" }, system: "Be brief." });
    expect((tools as JsonObject[]).map(({ name }) => name)).toEqual(["probe-echo", "probe-read", "lookup"]);
    expect((tools as JsonObject[])[2]).toEqual(OWN);
  });

  test("begins no thread at the model's server", () => {
    expect(write({ thread: { type: "create" } })).not.toHaveProperty("thread");
    const unknown = { type: "other" };
    expect(valueOf(MESSAGES.read({ ...BODY, thread: unknown })).body["thread"]).toEqual(unknown);
  });

  test("that goes on with a thread is refused so that clients send all of it again", () => {
    const thread = { type: "continue", previous_message_id: "msg_1" };
    const refusal = errorOf(MESSAGES.read({ ...BODY, thread, messages: [] }));
    expect(toMessagesError(refusal)).toMatchObject({
      error: { type: "not_found_error", details: { error_code: "thread_not_found" } },
    });
    const other = errorOf(MESSAGES.read({ ...BODY, messages: [] }));
    expect(toMessagesError(other).error).not.toHaveProperty("details");
  });

  test("has the same block of tools each time, byte for byte", () => {
    const conversation = valueOf(MESSAGES.read({ ...BODY, tools: [OWN] }));
    const ask = MESSAGES.createRequests(conversation, OURS);
    const blocks = (["ours", "off", "ours"] as const).map((tools) =>
      JSON.stringify(ask({ messages: [USER], tools })["tools"]),
    );
    expect(new Set(blocks).size).toBe(1);
  });

  test("keeps tools that the provider runs, in their order", () => {
    const theirs = [
      { type: "web_search_20260318", name: "web_search" },
      OWN,
      { type: "bash_20250124", name: "bash" },
    ];
    expect(toolsOf(write({ tools: theirs })).slice(OURS.length)).toEqual(theirs);
  });

  test("keeps the tools when none may be called, and says so", () => {
    const request = write({ tools: [OWN], tool_choice: { type: "any" } }, { tools: "off" });
    expect(request["tool_choice"]).toEqual({ type: "none" });
    expect(toolsOf(request)).toHaveLength(3);
  });

  test("has the caller's choice of tools until then", () => {
    expect(write({ tool_choice: { type: "any" } })["tool_choice"]).toEqual({ type: "any" });
  });

  test("speaks of no tools where none are to be spoken of, or there are none", () => {
    for (const request of [
      write({ tools: [OWN] }, { tools: "unsaid" }),
      write({ tool_choice: { type: "auto" } }, {}, []),
    ]) {
      expect(request).not.toHaveProperty("tools");
      expect(request).not.toHaveProperty("tool_choice");
    }
  });

  test.each([
    ["nothing", undefined, [{ type: "text", text: "Ours." }]],
    [
      "text",
      "Theirs.",
      [
        { type: "text", text: "Ours." },
        { type: "text", text: "Theirs." },
      ],
    ],
    ["an empty text", "", [{ type: "text", text: "Ours." }]],
    [
      "blocks",
      [{ type: "text", text: "Theirs.", ...CACHED }],
      [
        { type: "text", text: "Ours." },
        { type: "text", text: "Theirs.", ...CACHED },
      ],
    ],
  ])("has our words before the caller's system of %s", (_, system, said) => {
    expect(write(system === undefined ? {} : { system }, { system: "Ours." })["system"]).toEqual(said);
  });
});

describe("The breakpoint of the prompt cache", () => {
  const breakpoints = (request: JsonObject): (JsonObject | undefined)[] =>
    toolsOf(request).map(({ cache_control }) => cache_control as JsonObject | undefined);
  const block = (more: object = {}): object => ({ type: "text", text: "a", ...more });

  test("is one, at the end of our tools", () => {
    expect(breakpoints(write({ tools: [OWN] }))).toEqual([undefined, { type: "ephemeral" }, undefined]);
  });

  test.each([
    ["in the system", { system: [1, 2, 3, 4].map(() => block(CACHED)) }],
    ["in the tools", { tools: [1, 2, 3, 4].map((n) => ({ ...OWN, name: `t${n}`, ...CACHED })) }],
    ["in the messages", { messages: [{ role: "user", content: [1, 2, 3, 4].map(() => block(CACHED)) }] }],
    [
      "in results of tools, and for all of it",
      {
        ...CACHED,
        messages: [
          USER,
          turn(use("toolu_1")),
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "toolu_1",
                content: [block(CACHED), block(CACHED)],
                ...CACHED,
              },
            ],
          },
        ],
      },
    ],
  ])("is not ours to set when the caller has set four %s", (_, body) => {
    expect(breakpoints(write(body)).slice(0, 2)).toEqual([undefined, undefined]);
  });

  test("is ours to set when the caller has set three", () => {
    expect(breakpoints(write({ system: [1, 2, 3].map(() => block(CACHED)) }))[1]).toEqual({
      type: "ephemeral",
    });
  });

  test.each([
    ["in the system", { system: [block({ cache_control: { type: "ephemeral", ttl: "1h" } })] }],
    ["in a tool", { tools: [{ ...OWN, cache_control: { type: "ephemeral", ttl: "1h" } }] }],
    [
      "in a message",
      { messages: [{ role: "user", content: [block({ cache_control: { type: "ephemeral", ttl: "1h" } })] }] },
    ],
    ["for all of it", { cache_control: { type: "ephemeral", ttl: "1h" } }],
  ])("lasts an hour where one of the caller's does %s: a longer one may not follow a shorter", (_, body) => {
    expect(breakpoints(write(body))[1]).toEqual({ type: "ephemeral", ttl: "1h" });
  });
});

describe("A turn goes back", () => {
  test("with its results first, in the order of the calls, in one message with what the caller says", () => {
    const theirs = { role: "user", content: [result("b"), { type: "text", text: "And?" }] };
    const [first, second, ...others] = MESSAGES.join(
      turn(use("a"), use("b", "lookup"), use("c")),
      new Map([
        ["a", reply('{"n":1}')],
        ["c", reply('{"status":"error"}', true)],
      ]),
      [theirs, { role: "assistant", content: "Hm." }],
    );
    expect(first).toEqual(turn(use("a"), use("b", "lookup"), use("c")));
    expect(second).toEqual({
      role: "user",
      content: [
        result("a", '{"n":1}'),
        result("b"),
        { ...result("c", '{"status":"error"}'), is_error: true },
        { type: "text", text: "And?" },
      ],
    });
    expect(others).toEqual([{ role: "assistant", content: "Hm." }]);
  });

  test("with what the caller says as text, behind the results", () => {
    const [, said] = MESSAGES.join(turn(use("a")), new Map([["a", reply("{}")]]), [
      { role: "user", content: "Go on" },
    ]);
    expect(said!["content"]).toEqual([result("a"), { type: "text", text: "Go on" }]);
  });

  test("alone where nothing answers it", () => {
    expect(MESSAGES.join(turn({ type: "text", text: "a" }), new Map(), [])).toEqual([
      turn({ type: "text", text: "a" }),
    ]);
  });

  test("and what the model is told stands in the last message where that is a user's", () => {
    expect(MESSAGES.tell([USER], "Think.")).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Go" },
          { type: "text", text: "Think." },
        ],
      },
    ]);
    expect(MESSAGES.tell([turn()], "Think.")).toEqual([turn(), { role: "user", content: "Think." }]);
  });
});

test.each(["", " ", "\n\n"])("A message of nothing is one that the API takes: %j", (said) => {
  expect(MESSAGES.say(said)).toEqual(turn({ type: "text", text: "…" }));
});

describe("An answer", () => {
  const answer = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "Hi" }, use("a"), use("b", "lookup")],
    stop_reason: "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 2 },
  };
  const end = { calls: [], usage: null, report: '{"rounds":[]}' };
  const read = (response: object) => MESSAGES.readTurn(response)!;

  test("is the model's own, with the report", () => {
    const turn = read(answer);
    const said = JSON.parse(MESSAGES.writeAnswer(turn, { ...end, calls: turn.calls })) as object;
    expect(said).toEqual({ ...answer, volley: { rounds: [] } });
  });

  test("has the caller's calls only", () => {
    const turn = read(answer);
    const calls = turn.calls.filter(({ name }) => name === "lookup");
    expect(JSON.parse(MESSAGES.writeAnswer(turn, { ...end, calls }))).toMatchObject({
      content: [{ type: "text" }, { id: "b" }],
      stop_reason: "tool_use",
    });
  });

  test("that ends with words of ours ends its turn", () => {
    expect(JSON.parse(MESSAGES.writeAnswer(read(answer), { ...end, words: "It waits." }))).toMatchObject({
      content: [{ text: "Hi" }, { text: "It waits." }],
      stop_reason: "end_turn",
    });
  });

  test.each([
    ["no id", {}],
    ["one id", { id: "x" }],
  ])("whose calls have %s has an id for each, the same as in the conversation", (_, fields) => {
    const calls = [1, 2].map((q) => ({ type: "tool_use", name: "lookup", input: { q }, ...fields }));
    const turn = read({ ...answer, content: calls });
    const ids = turn.calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(JSON.parse(MESSAGES.writeAnswer(turn, { ...end, calls: turn.calls }))).toMatchObject({
      content: ids.map((id, at) => ({ id, input: { q: at + 1 } })),
    });
  });

  test.each([null, [], "text", {}, { content: "text" }, { content: {} }])("is none: %j", (response) => {
    expect(MESSAGES.readTurn(response)).toBeNull();
  });

  test("with entries that are no blocks is read without them", () => {
    const turn = read({ content: [null, 1, [], { type: "text", text: "a" }, {}] });
    expect(turn.text).toBe("a");
    expect(JSON.parse(MESSAGES.writeAnswer(turn, end))).toMatchObject({ content: [{ text: "a" }, {}] });
  });
});

describe("A body", () => {
  test.each([
    ["/messages", { messages: "Go" }],
    ["/messages", { messages: [] }],
    ["/messages", { messages: ["Go"] }],
    ["/stream", { stream: "yes" }],
    ["/tools", { tools: {} }],
    ["/tools", { tools: [null] }],
  ])("is refused at %s: %j", (path, body) => {
    expect(errorOf(MESSAGES.read({ ...BODY, ...body })).issue?.path).toBe(path);
  });

  test("says the names of the caller's tools, those of the provider's too", () => {
    const tools = [OWN, { type: "web_search_20260318", name: "web_search" }, { type: "mcp_toolset" }];
    expect([...valueOf(MESSAGES.read({ ...BODY, tools })).theirs]).toEqual(["lookup", "web_search"]);
  });
});

describe("A conversation as text", () => {
  test("has calls and results as lines, and everything else as it was", () => {
    const plain = MESSAGES.toPlain([
      USER,
      turn({ type: "text", text: "Hm." }, use("a")),
      { role: "user", content: [result("a", "1")] },
    ]);
    expect(plain).toEqual([
      USER,
      turn({ type: "text", text: "Hm." }, { type: "text", text: "Action: probe-echo\nAction Input: {}" }),
      { role: "user", content: [{ type: "text", text: "Observation: 1" }] },
    ]);
  });

  test("is found again whatever a client writes otherwise the next time", () => {
    const said = {
      role: "assistant",
      content: [{ type: "thinking", thinking: "Hm" }, { type: "text", text: "a", citations: null }, use("x")],
    };
    const again = { role: "assistant", content: [{ type: "text", text: "a", ...CACHED }, use("x")] };
    expect(MESSAGES.digestOf(said)).toEqual(MESSAGES.digestOf(again));
    expect(MESSAGES.digestOf({ role: "user", content: "a" })).toEqual(
      MESSAGES.digestOf({ role: "user", content: [{ type: "text", text: "a" }] }),
    );
  });

  test("has an anchor for each message of the model's", () => {
    expect(MESSAGES.findAnchors([USER, turn({ type: "text", text: "a" }, use("x"), use("y"))])).toEqual([
      {
        at: 1,
        calls: [
          { id: "x", name: "probe-echo", args: "{}" },
          { id: "y", name: "probe-echo", args: "{}" },
        ],
        text: "a",
      },
    ]);
  });
});
