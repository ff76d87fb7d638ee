import type Anthropic from "@anthropic-ai/sdk";
import type { Content } from "@google/genai";
import fc from "fast-check";
import type OpenAI from "openai";
import { describe, expect, test } from "vitest";

import { parseAnthropicTurn } from "../../../src/features/formats/anthropic.ts";
import { parseGeminiTurn } from "../../../src/features/formats/gemini.ts";
import { parseChatTurn, parseResponsesTurn } from "../../../src/features/formats/openai.ts";
import type { Refusal } from "../../../src/core/contract/refusal.ts";
import type { ParseTurn, ProviderTurn } from "../../../src/turns/read-turn.ts";
import { valueOf } from "../../support/unwrap.ts";
import { anyCharacter } from "../../support/any-character.ts";

/** Ids no two of which look alike, because every provider writes its own. */
const IDS = ["call_1", "toolu_01A:b|c", "chatcmpl-tool-ümlaut 🙂"] as const;

const chatCall = (id: string, n: number): object => ({
  id,
  type: "function",
  function: { name: "probe-echo", arguments: JSON.stringify({ n }) },
});
const responsesCall = (id: string, n: number): object => ({
  type: "function_call",
  id: `fc_${n}`,
  call_id: id,
  name: "probe-echo",
  arguments: JSON.stringify({ n }),
});
const toolUse = (id: string, n: number): object => ({
  type: "tool_use",
  id,
  name: "probe-echo",
  input: { n },
});
const functionCall = (id: string, n: number): object => ({
  functionCall: { id, name: "probe-echo", args: { n } },
});

const chatCalls = IDS.map(chatCall);
const chatMessage = { role: "assistant", content: null, tool_calls: chatCalls };
const responsesItems = [{ type: "reasoning", id: "rs_1", summary: [] }, ...IDS.map(responsesCall)];
const blocks = [{ type: "text", text: "Let me look." }, ...IDS.map(toolUse)];
const parts = [{ text: "Let me look." }, ...IDS.map(functionCall)];

type Row = [dialect: string, shape: string, parse: ParseTurn, body: unknown];

const SHAPES: Row[] = [
  [
    "chat",
    "the completion",
    parseChatTurn,
    { object: "chat.completion", choices: [{ message: chatMessage }] },
  ],
  ["chat", "its choice", parseChatTurn, { index: 0, message: chatMessage, finish_reason: "tool_calls" }],
  ["chat", "its message", parseChatTurn, chatMessage],
  [
    "chat",
    "a message with parts of content",
    parseChatTurn,
    { ...chatMessage, content: [{ type: "text", text: "Hm" }] },
  ],
  ["chat", "its list of calls", parseChatTurn, chatCalls],
  ["responses", "the response", parseResponsesTurn, { object: "response", output: responsesItems }],
  ["responses", "its output", parseResponsesTurn, responsesItems],
  ["anthropic", "the message", parseAnthropicTurn, { type: "message", role: "assistant", content: blocks }],
  ["anthropic", "its content", parseAnthropicTurn, blocks],
  ["gemini", "the response", parseGeminiTurn, { candidates: [{ content: { role: "model", parts } }] }],
  ["gemini", "its content", parseGeminiTurn, { role: "model", parts }],
  ["gemini", "its parts", parseGeminiTurn, parts],
  [
    "gemini",
    "its function calls",
    parseGeminiTurn,
    { functionCalls: IDS.map((id, n) => ({ id, name: "probe-echo", args: { n } })) },
  ],
];

const namesAndArgs = (turn: ProviderTurn): unknown[] =>
  turn.calls.map(({ name, args }) => [name, valueOf(args)]);

describe.each(SHAPES)("In %s, %s", (_, __, parse, body) => {
  test("is read as its calls, in their order", () => {
    expect(namesAndArgs(valueOf(parse(body)))).toEqual(IDS.map((_, n) => ["probe-echo", { n }]));
  });
});

test.each([
  ["one chat call", parseChatTurn, chatCalls[0]],
  ["one chat call without its type", parseChatTurn, { ...chatCalls[0], type: undefined }],
  ["one responses item", parseResponsesTurn, responsesItems[1]],
  ["one tool_use block", parseAnthropicTurn, blocks[1]],
  ["one part", parseGeminiTurn, parts[1]],
] as [string, ParseTurn, unknown][])("%s is a turn too", (_, parse, body) => {
  expect(namesAndArgs(valueOf(parse(body)))).toEqual([["probe-echo", { n: 0 }]]);
});

const REPLIES = [
  { json: '{"n":0}', failed: false },
  { json: '{"status":"error"}', failed: true },
  { json: '"text"', failed: false },
];

test("A chat turn is answered by one tool message a call, under its id", () => {
  expect(valueOf(parseChatTurn(chatMessage)).write(REPLIES)).toEqual({
    messages: IDS.map(
      (id, index) =>
        ({
          role: "tool",
          tool_call_id: id,
          content: REPLIES[index]!.json,
        }) satisfies OpenAI.ChatCompletionToolMessageParam,
    ),
  });
});

test("A responses turn is answered by one output item a call", () => {
  expect(valueOf(parseResponsesTurn(responsesItems)).write(REPLIES)).toEqual({
    output: IDS.map(
      (id, index) =>
        ({
          type: "function_call_output",
          call_id: id,
          output: REPLIES[index]!.json,
        }) satisfies OpenAI.Responses.ResponseInputItem.FunctionCallOutput,
    ),
  });
});

test("An anthropic turn is answered by one user message with every result, marked where it failed", () => {
  expect(valueOf(parseAnthropicTurn(blocks)).write(REPLIES)).toEqual({
    messages: [
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: IDS[0], content: '{"n":0}' },
          { type: "tool_result", tool_use_id: IDS[1], content: '{"status":"error"}', is_error: true },
          { type: "tool_result", tool_use_id: IDS[2], content: '"text"' },
        ],
      },
    ] satisfies Anthropic.MessageParam[],
  });
});

test("A gemini turn is answered by one content with every response, as output or error", () => {
  const answer = valueOf(parseGeminiTurn(parts)).write(REPLIES);
  expect(answer).toEqual({
    messages: [
      {
        role: "user",
        parts: [
          { functionResponse: { id: IDS[0], name: "probe-echo", response: { output: { n: 0 } } } },
          { functionResponse: { id: IDS[1], name: "probe-echo", response: { error: { status: "error" } } } },
          { functionResponse: { id: IDS[2], name: "probe-echo", response: { output: "text" } } },
        ],
      },
    ] satisfies Content[],
  });
});

test.each([
  ["chat", parseChatTurn, chatMessage, (messages) => ({ messages })],
  ["responses", parseResponsesTurn, responsesItems, (output) => ({ output })],
  ["anthropic", parseAnthropicTurn, blocks, (content) => ({ messages: [{ role: "user", content }] })],
  ["gemini", parseGeminiTurn, parts, (all) => ({ messages: [{ role: "user", parts: all }] })],
] as [string, ParseTurn, unknown, (items: readonly object[]) => object][])(
  "One call of a %s turn is answered by what stands among the others for it",
  (_, parse, body, toAnswer) => {
    const turn = valueOf(parse(body));
    const items = REPLIES.map((reply, position) => turn.writeOne(position, reply));
    expect(toAnswer(items)).toEqual(turn.write(REPLIES));
  },
);

test("A gemini call without an id is answered without one", () => {
  const turn = valueOf(parseGeminiTurn([{ functionCall: { name: "probe-echo", args: {} } }]));
  expect(turn.write([REPLIES[0]!])).toEqual({
    messages: [
      { role: "user", parts: [{ functionResponse: { name: "probe-echo", response: { output: { n: 0 } } } }] },
    ],
  });
});

test.each([
  ["a chat message without calls", parseChatTurn, { role: "assistant", content: "Hello" }, { messages: [] }],
  [
    "a chat message with null calls",
    parseChatTurn,
    { role: "assistant", content: "Hello", tool_calls: null },
    { messages: [] },
  ],
  ["null for calls", parseChatTurn, { tool_calls: null }, { messages: [] }],
  ["a response of text", parseResponsesTurn, { output: [{ type: "message", content: [] }] }, { output: [] }],
  ["a message of text", parseAnthropicTurn, { role: "assistant", content: "Hello" }, { messages: [] }],
  ["a blocked candidate", parseGeminiTurn, { candidates: [{ finishReason: "SAFETY" }] }, { messages: [] }],
  ["a content of text", parseGeminiTurn, { role: "model", parts: [{ text: "Hello" }] }, { messages: [] }],
  ["a blocked prompt", parseGeminiTurn, { promptFeedback: { blockReason: "SAFETY" } }, { messages: [] }],
  [
    "an item of reasoning",
    parseResponsesTurn,
    { type: "reasoning", id: "rs_1", summary: [] },
    { output: [] },
  ],
] as [string, ParseTurn, unknown, object][])("%s has nothing to answer", (_, parse, body, answer) => {
  const turn = valueOf(parse(body));
  expect(turn.calls).toEqual([]);
  expect(turn.write([])).toEqual(answer);
});

test.each([
  ["text", parseChatTurn, "hello", ""],
  ["an object of something else", parseChatTurn, { hello: 1 }, ""],
  ["calls that are no array", parseChatTurn, { role: "assistant", tool_calls: 1 }, "/tool_calls"],
  ["one call that is empty", parseChatTurn, { role: "assistant", tool_calls: {} }, "/tool_calls/id"],
  ["a call that is text", parseChatTurn, ["hello"], "/0"],
  ["a call without an id", parseChatTurn, [{ function: { name: "a" } }], "/0/id"],
  ["a call without a function", parseChatTurn, [{ id: "a" }], "/0/function"],
  ["a call without a name", parseChatTurn, [{ id: "a", function: { arguments: "{}" } }], "/0/function/name"],
  ["a choice without a message", parseChatTurn, { choices: [{}] }, "/choices/0/message"],
  ["one call without an id", parseChatTurn, { function: { name: "a", arguments: "{}" } }, "/id"],
  ["a function_call alone", parseChatTurn, { function_call: { name: "a", arguments: "{}" } }, ""],
  ["null", parseResponsesTurn, null, ""],
  ["an item that is a number", parseResponsesTurn, { output: [1] }, "/output/0"],
  ["an item without a call id", parseResponsesTurn, [{ type: "function_call", name: "a" }], "/0/call_id"],
  ["an item without a name", parseResponsesTurn, [{ type: "function_call", call_id: "a" }], "/0/name"],
  ["an item without a type", parseResponsesTurn, [{ call_id: "a", name: "b", arguments: "{}" }], "/0/type"],
  ["a number", parseAnthropicTurn, 1, ""],
  ["a block without a type", parseAnthropicTurn, [{ id: "a", name: "b", input: {} }], "/0/type"],
  ["a block that is text", parseAnthropicTurn, { content: ["a"] }, "/content/0"],
  ["a block without an id", parseAnthropicTurn, [{ type: "tool_use", name: "a" }], "/0/id"],
  ["a block without a name", parseAnthropicTurn, [{ type: "tool_use", id: "a" }], "/0/name"],
  ["parts that are no array", parseGeminiTurn, { role: "model", parts: 1 }, "/parts"],
  ["a call without a name", parseGeminiTurn, [{ functionCall: {} }], "/0/functionCall/name"],
  ["an id that is true", parseGeminiTurn, [{ functionCall: { name: "a", id: true } }], "/0/functionCall/id"],
  ["a call that is its name", parseGeminiTurn, [{ functionCall: "a" }], "/0/functionCall"],
] as [string, ParseTurn, unknown, string][])(
  "%s is refused, with the place that is wrong",
  (_, parse, body, path) => {
    const turn = parse(body);
    expect(turn).toMatchObject({
      ok: false,
      error: {
        code: "INVALID_BATCH",
        issue: { path, expected: expect.any(String), received: expect.any(String) },
      },
    });
  },
);

test.each([
  [
    "gemini",
    parseGeminiTurn,
    { candidates: [{ content: { parts: [{ text: "Hello" }] } }], history: [{ parts }] },
  ],
  ["responses", parseResponsesTurn, { output: [{ type: "message" }], instructions: responsesItems }],
  ["chat", parseChatTurn, { choices: [{ message: { role: "assistant", content: "Hi" } }], tools: chatCalls }],
] as [string, ParseTurn, unknown][])(
  "In %s, a response without calls has none, whatever else it repeats",
  (_, parse, body) => {
    expect(valueOf(parse(body)).calls).toEqual([]);
  },
);

test("A message of text is looked through for another provider's calls", () => {
  expect(parseAnthropicTurn({ ...chatMessage, content: "I will look." })).toMatchObject({
    error: { issue: { path: "/tool_calls/0" } },
  });
  expect(parseChatTurn({ choices: [{ message: { role: "assistant", content: blocks } }] })).toMatchObject({
    error: { issue: { path: "/choices/0/message/content/1" } },
  });
});

const HOMES = {
  chat: "/v1/openai/tool_calls",
  responses: "/v1/openai/function_calls",
  anthropic: "/v1/anthropic/tool_use",
  gemini: "/v1/gemini/function_calls",
};
const PARSERS = {
  chat: parseChatTurn,
  responses: parseResponsesTurn,
  anthropic: parseAnthropicTurn,
  gemini: parseGeminiTurn,
};
const MESSAGES = {
  chat: chatMessage,
  responses: { object: "response", output: responsesItems },
  anthropic: { type: "message", role: "assistant", content: blocks },
  gemini: { role: "model", parts },
};
const DIALECTS = ["chat", "responses", "anthropic", "gemini"] as const;
const OTHERS = DIALECTS.flatMap((dialect) =>
  DIALECTS.flatMap((other) => (other === dialect ? [] : [[dialect, other] as const])),
);

test.each(OTHERS)(
  "In %s, the calls of %s are refused with the endpoint that answers them",
  (dialect, other) => {
    expect(PARSERS[dialect](MESSAGES[other])).toMatchObject({
      ok: false,
      error: { code: "INVALID_BATCH", hint: expect.stringContaining(HOMES[other]) },
    });
  },
);

test.each(DIALECTS)("In %s, a whole conversation is refused, with the place of its calls", (dialect) => {
  for (const conversation of [
    [{ role: "user", content: "Hello" }, MESSAGES[dialect]],
    { messages: [MESSAGES[dialect]], tools: [] },
  ]) {
    const { error } = PARSERS[dialect](conversation) as { error: Refusal };
    expect(error.hint).toMatch(/Send the message alone: a call of it is at \/\S+\d\./);
  }
});

test.each([
  ["chat", parseChatTurn, { choices: [{ message: chatMessage }, { message: chatMessage }] }, "/choices"],
  [
    "gemini",
    parseGeminiTurn,
    { candidates: [{ content: { parts } }, { content: { parts } }] },
    "/candidates",
  ],
] as [string, ParseTurn, unknown, string][])(
  "In %s, a response with several answers is refused, because one of them is gone on with",
  (_, parse, body, path) => {
    expect(parse(body)).toMatchObject({ ok: false, error: { code: "INVALID_BATCH", issue: { path } } });
  },
);

test("A message's function_call is answered by a function message", () => {
  const message = {
    role: "assistant",
    content: null,
    function_call: { name: "probe-echo", arguments: '{"n":7}' },
  };
  for (const body of [message, { choices: [{ message, finish_reason: "function_call" }] }]) {
    const turn = valueOf(parseChatTurn(body));
    expect(namesAndArgs(turn)).toEqual([["probe-echo", { n: 7 }]]);
    expect(turn.write([REPLIES[0]!])).toEqual({
      messages: [
        {
          role: "function",
          name: "probe-echo",
          content: '{"n":0}',
        } satisfies OpenAI.ChatCompletionFunctionMessageParam,
      ],
    });
  }
});

test("A gemini part as the Python library writes it is read like any other", () => {
  const call = { id: null, name: "probe-echo", args: { n: 7 } };
  const part = { text: null, function_call: call, thought_signature: null };
  const turn = valueOf(parseGeminiTurn({ candidates: [{ content: { role: "model", parts: [part] } }] }));
  expect(namesAndArgs(turn)).toEqual([["probe-echo", { n: 7 }]]);
  expect(JSON.stringify(turn.write([REPLIES[0]!]))).not.toContain('"id"');
});

test("A refusal names the keys of what was sent instead", () => {
  const { error } = parseChatTurn({ model: "m", prompt: "Hello" }) as { error: Refusal };
  expect(error.hint).toMatch(
    /^The body must be a chat completion, .*, received an object with model, prompt\.$/,
  );
});

test.each(["", " ", "null", undefined, null])("Arguments %j are no arguments", (args) => {
  const turn = valueOf(parseChatTurn([{ id: "a", function: { name: "ping", arguments: args } }]));
  expect(valueOf(turn.calls[0]!.args)).toEqual({});
});

test.each([
  ["broken JSON", '{"n": 1', /goes wrong at line 1, column 8|ends too early/],
  ["a trailing comma", '{"n":1,}', /goes wrong at line 1, column 8/],
  ["two objects", '{"n":1}{"n":2}', /2 JSON objects.*\{"n":1\} and \{"n":2\}/],
  ["JSON that is no object", "[1]", /\/args must be a JSON object, received an array of 1/],
  ["text", "probe", /JSON/],
  ["a depth bomb", "[".repeat(100_000), /nests deeper/],
])("%s as arguments is that call's failure only", (_, args, hint) => {
  const turn = valueOf(
    parseChatTurn([{ id: "bad", function: { name: "probe-echo", arguments: args } }, chatCall("good", 1)]),
  );
  expect(turn.calls[0]!.args).toMatchObject({
    ok: false,
    error: { code: "INVALID_ARGS", hint: expect.stringMatching(hint) },
  });
  expect(valueOf(turn.calls[1]!.args)).toEqual({ n: 1 });
});

test("A call with free-form input is told to use a function", () => {
  const chat = valueOf(parseChatTurn([{ id: "a", type: "custom", custom: { name: "sh", input: "ls" } }]));
  expect(chat.calls[0]!.args).toMatchObject({ ok: false, error: { code: "INVALID_ACTION" } });
  const responses = valueOf(
    parseResponsesTurn([{ type: "custom_tool_call", call_id: "a", name: "sh", input: "ls" }]),
  );
  expect(responses.calls[0]!.args).toMatchObject({ ok: false, error: { code: "INVALID_ACTION" } });
  expect(responses.write([REPLIES[1]!])).toMatchObject({
    output: [{ type: "custom_tool_call_output", call_id: "a" }],
  });
});

test("Whatever ids and arguments calls have, they are answered once each, in their order, under their ids", () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 300 });
  const calls = fc.array(fc.record({ id: text, args: fc.oneof(text, fc.json()) }), { maxLength: 50 });
  fc.assert(
    fc.property(calls, (sent) => {
      const ids = sent.map(({ id }) => id);
      const replies = sent.map((_, index) => ({ json: String(index), failed: index % 2 === 0 }));
      const answers = ids.map((id, index) => [id, index]);

      const chat = valueOf(
        parseChatTurn(sent.map(({ id, args }) => ({ id, function: { name: "a", arguments: args } }))),
      ).write(replies) as { messages: OpenAI.ChatCompletionToolMessageParam[] };
      expect(chat.messages.map((one) => [one.tool_call_id, Number(one.content)])).toEqual(answers);

      const responses = valueOf(
        parseResponsesTurn(
          sent.map(({ id, args }) => ({ type: "function_call", call_id: id, name: "a", arguments: args })),
        ),
      ).write(replies) as { output: { call_id: string; output: string }[] };
      expect(responses.output.map((one) => [one.call_id, Number(one.output)])).toEqual(answers);

      const anthropic = valueOf(
        parseAnthropicTurn(sent.map(({ id, args }) => ({ type: "tool_use", id, name: "a", input: args }))),
      ).write(replies) as { messages: { content: { tool_use_id: string; content: string }[] }[] };
      const results = anthropic.messages.flatMap(({ content }) => content);
      expect(results.map((one) => [one.tool_use_id, Number(one.content)])).toEqual(answers);

      const gemini = valueOf(
        parseGeminiTurn(sent.map(({ id, args }) => ({ functionCall: { id, name: "a", args } }))),
      ).write(replies) as { messages: Content[] };
      const parts = gemini.messages.flatMap((message) => message.parts ?? []);
      expect(
        parts.map(({ functionResponse: one }) => [
          one!.id,
          one!.response!["output"] ?? one!.response!["error"],
        ]),
      ).toEqual(answers);
    }),
  );
});
