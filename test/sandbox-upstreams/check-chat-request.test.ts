import { describe, expect, test } from "vitest";

import { createCatalog } from "../support/create-catalog.ts";
import { describeSurface, TOOL_SURFACES } from "../../src/features/discovery/tool-surface.ts";
import { toToolList } from "../../src/features/discovery/tool-list.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { checkChatRequest } from "../sandbox/upstreams/check-chat-request.ts";
import { trial } from "../support/trial.ts";

const USER = { role: "user", content: "Hi" };
const BASE = { model: "m", messages: [USER] };
const PARAMETERS = { type: "object", properties: { city: { type: "string" } } };
const tool = (name: string, parameters: object = PARAMETERS): object => ({
  type: "function",
  function: { name, description: "d", parameters, strict: false },
});
const call = (id: string, args = "{}"): object => ({
  id,
  type: "function",
  function: { name: "f", arguments: args },
});
const calling = (...ids: string[]): object => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => call(id)),
});
const answer = (id: string, content: unknown = "{}"): object => ({ role: "tool", tool_call_id: id, content });
const saying = (...messages: unknown[]): object => ({ ...BASE, messages: [USER, ...messages] });
const offering = (...tools: unknown[]): object => ({ ...BASE, tools });

test.each<[string, object]>([
  ["the least", BASE],
  [
    "every kind of field",
    {
      ...BASE,
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.2,
      top_p: 1,
      n: 1,
      seed: 7,
      stop: ["a"],
      user: "u",
      store: false,
      metadata: { a: "b" },
      logit_bias: { 50256: -100 },
      reasoning_effort: "low",
      verbosity: "low",
      service_tier: "auto",
      response_format: { type: "json_schema", json_schema: { name: "n", schema: {}, strict: true } },
      max_completion_tokens: 10,
      safety_identifier: "s",
      prompt_cache_key: "k",
      prompt_cache_retention: "24h",
      modalities: ["text"],
      prediction: { type: "content", content: "x" },
      web_search_options: {},
    },
  ],
  [
    "tools",
    {
      ...offering(tool("a"), tool("b"), { type: "custom", custom: { name: "c" } }),
      tool_choice: "auto",
      parallel_tool_calls: true,
    },
  ],
  [
    "a choice of one tool",
    { ...offering(tool("a")), tool_choice: { type: "function", function: { name: "a" } } },
  ],
  ["functions, as they were", { ...BASE, functions: [{ name: "f" }], function_call: "auto" }],
  [
    "every role",
    {
      ...BASE,
      messages: [
        { role: "developer", content: "d" },
        { role: "system", content: [{ type: "text", text: "s" }] },
        {
          role: "user",
          name: "ada",
          content: [
            { type: "text", text: "u" },
            { type: "image_url", image_url: { url: "data:," } },
          ],
        },
        { role: "assistant", content: "a", refusal: null, annotations: [] },
        { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: null },
        { role: "user", content: "u" },
      ],
    },
  ],
  [
    "answered calls",
    saying(calling("a", "b"), answer("b"), answer("a", [{ type: "text", text: "t" }]), USER),
  ],
  ["an id that was used in an earlier turn", saying(calling("a"), answer("a"), calling("a"), answer("a"))],
  [
    "a custom tool's call",
    saying(
      { role: "assistant", tool_calls: [{ id: "a", type: "custom", custom: { name: "c", input: "x" } }] },
      answer("a"),
    ),
  ],
  [
    "unions and arrays below the top of parameters",
    offering(
      tool("a", {
        type: "object",
        properties: {
          a: { type: "array", items: { anyOf: [{ type: "string" }, { $ref: "#/$defs/r" }] } },
          items: { enum: [{ type: "array" }] },
        },
        $defs: { r: { type: "object" } },
      }),
    ),
  ],
])("checkChatRequest() lets %s pass", (_, body) => {
  expect(checkChatRequest(body)).toBeNull();
});

type Refused = readonly [body: unknown, param: string | null, code: string | null];

function refuses(cases: readonly Refused[]): void {
  test.each(cases.map(([body, param, code]) => ({ body, param, code })))(
    "refuses $param $code of $body",
    ({ body, param, code }) => {
      expect(checkChatRequest(body)).toMatchObject({ status: 400, param, code });
    },
  );
}

describe("checkChatRequest() on the request's own fields", () => {
  refuses([
    [null, null, null],
    [[], null, null],
    [{ messages: [USER] }, null, null],
    [{ model: "m" }, "messages", "missing_required_parameter"],
    [{ ...BASE, messages: {} }, "messages", "invalid_value"],
    [{ ...BASE, messages: [] }, "messages", "empty_array"],
    [{ ...BASE, volley: {} }, "volley", "unknown_parameter"],
    [{ ...BASE, max_rounds: 1 }, "max_rounds", "unknown_parameter"],
    [{ ...BASE, toString: 1 }, "toString", "unknown_parameter"],
    [{ ...BASE, temperature: 3 }, "temperature", "invalid_value"],
    [{ ...BASE, n: 0 }, "n", "invalid_value"],
    [{ ...BASE, stream: "yes" }, "stream", "invalid_value"],
    [{ ...BASE, stop: [] }, "stop", "invalid_value"],
    [{ ...BASE, metadata: { a: 1 } }, "metadata", "invalid_value"],
    [{ ...BASE, stream_options: { include_usage: true } }, "stream_options", null],
    [{ ...BASE, stream: true, stream_options: { usage: true } }, "stream_options", "invalid_value"],
    [{ ...BASE, tool_choice: "none" }, "tool_choice", null],
    [{ ...BASE, parallel_tool_calls: false }, "parallel_tool_calls", null],
    [{ ...BASE, function_call: "auto" }, "function_call", null],
    [{ ...BASE, max_tokens: 1, max_completion_tokens: 1 }, "max_tokens", "invalid_parameter_combination"],
  ]);
});

describe("checkChatRequest() on tools", () => {
  refuses([
    [{ ...BASE, tools: [] }, "tools", "empty_array"],
    [{ ...BASE, tools: null }, "tools", "invalid_value"],
    [offering(...Array.from({ length: 129 }, (_, n) => tool(`t${n}`))), "tools", "array_above_max_length"],
    [offering({ type: "function" }), "tools[0].function", "missing_required_parameter"],
    [offering({ type: "web_search", function: { name: "a" } }), "tools[0].type", "invalid_value"],
    [
      offering({ type: "function", function: { name: "a" }, cache_control: {} }),
      "tools[0].cache_control",
      "unknown_parameter",
    ],
    [
      offering({ type: "function", function: { name: "a", input_schema: {} } }),
      "tools[0].function.input_schema",
      "unknown_parameter",
    ],
    [offering(tool("a.b")), "tools[0].function.name", "invalid_value"],
    [offering(tool("a".repeat(65))), "tools[0].function.name", "invalid_value"],
    [offering(tool("a"), tool("a")), "tools[1].function.name", "invalid_value"],
    [
      offering({ type: "function", function: { name: "a", description: "d".repeat(1_025) } }),
      "tools[0].function.description",
      "invalid_value",
    ],
    ...[
      {},
      { type: "string" },
      { type: "object" },
      { ...PARAMETERS, anyOf: [] },
      { ...PARAMETERS, oneOf: [] },
      { ...PARAMETERS, allOf: [] },
      { ...PARAMETERS, not: {} },
      { ...PARAMETERS, enum: [] },
      { ...PARAMETERS, const: {} },
      { type: "object", properties: { a: { type: "array" } } },
      { type: "object", properties: { a: { anyOf: [{ type: ["array", "null"] }] } } },
      { type: "object", properties: { a: { type: "array", items: { type: "array" } } } },
      { ...PARAMETERS, $defs: { d: { type: "array" } } },
    ].map((schema): Refused => [
      offering(tool("a", schema)),
      "tools[0].function.parameters",
      "invalid_function_parameters",
    ]),
    [{ ...offering(tool("a")), tool_choice: "any" }, "tool_choice", "invalid_value"],
    [
      { ...offering(tool("a")), tool_choice: { type: "function", function: { name: "b" } } },
      "tool_choice",
      null,
    ],
  ]);
});

describe("checkChatRequest() on messages", () => {
  refuses([
    [saying({ content: "x" }), "messages[1].role", "missing_required_parameter"],
    [saying({ role: "model", content: "x" }), "messages[1].role", "invalid_value"],
    [saying({ role: "user" }), "messages[1].content", "missing_required_parameter"],
    [saying({ role: "user", content: null }), "messages[1].content", "invalid_value"],
    [saying({ role: "user", content: [] }), "messages[1].content", "empty_array"],
    [saying({ role: "user", content: "x", volley: 1 }), "messages[1].volley", "unknown_parameter"],
    [saying({ role: "user", content: "x", tool_calls: [] }), "messages[1].tool_calls", "unknown_parameter"],
    [saying({ role: "user", content: "x", name: "a b" }), "messages[1].name", "invalid_value"],
    [
      saying({ role: "user", content: [{ type: "text" }] }),
      "messages[1].content[0].text",
      "missing_required_parameter",
    ],
    [
      saying({ role: "user", content: [{ type: "tool_result" }] }),
      "messages[1].content[0].type",
      "invalid_value",
    ],
    [
      saying({ role: "system", content: [{ type: "image_url", image_url: { url: "data:," } }] }),
      "messages[1].content[0].type",
      "invalid_value",
    ],
    [saying({ role: "assistant" }), "messages.[1].content", null],
    [saying({ role: "assistant", content: null }), "messages.[1].content", null],
    [saying({ role: "assistant", content: "x", tool_calls: [] }), "messages[1].tool_calls", "empty_array"],
    [
      saying({ role: "assistant", content: "x", reasoning_content: "r" }),
      "messages[1].reasoning_content",
      "unknown_parameter",
    ],
  ]);
});

describe("checkChatRequest() on calls", () => {
  const withCall = (value: unknown): object =>
    saying({ role: "assistant", tool_calls: [value] }, answer("a"));
  refuses([
    [withCall({ index: 0, ...call("a") }), "messages[1].tool_calls[0].index", "unknown_parameter"],
    [
      withCall({ id: "a", function: { name: "f", arguments: "" } }),
      "messages[1].tool_calls[0].type",
      "missing_required_parameter",
    ],
    [
      withCall({ type: "function", function: { name: "f", arguments: "" } }),
      "messages[1].tool_calls[0].id",
      "missing_required_parameter",
    ],
    [withCall(call("")), "messages[1].tool_calls[0].id", "invalid_value"],
    [withCall(call("a".repeat(41))), "messages[1].tool_calls[0].id", "invalid_value"],
    [
      withCall({ id: "a", type: "function", function: { name: "f", arguments: {} } }),
      "messages[1].tool_calls[0].function",
      "invalid_value",
    ],
    [
      withCall({ id: "a", type: "function", function: { name: "f g", arguments: "{}" } }),
      "messages[1].tool_calls[0].function",
      "invalid_value",
    ],
    [withCall(call("a", '{"city":')), "messages[1].tool_calls[0].function.arguments", "invalid_value"],
    [withCall(call("a", "")), "messages[1].tool_calls[0].function.arguments", "invalid_value"],
    [
      saying({ role: "assistant", tool_calls: [call("a"), call("a")] }, answer("a")),
      "messages[1].tool_calls[1].id",
      null,
    ],
  ]);
});

describe("checkChatRequest() on what belongs together", () => {
  const mustFollow = "must be followed by tool messages responding to each 'tool_call_id'";
  const mustAnswer = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'";
  test.each<[string, object, string, string]>([
    ["no answer", saying(calling("a")), mustFollow, "messages.[2].role"],
    [
      "one answer of two",
      saying(calling("a", "b"), answer("a")),
      `${mustFollow}.*messages: b$`,
      "messages.[3].role",
    ],
    ["an answer too late", saying(calling("a"), USER, answer("a")), mustFollow, "messages.[2].role"],
    [
      "answers apart",
      saying(calling("a", "b"), answer("a"), USER, answer("b")),
      mustFollow,
      "messages.[3].role",
    ],
    ["an answer to nothing", saying(answer("a")), mustAnswer, "messages.[1].role"],
    [
      "an answer to a text",
      saying({ role: "assistant", content: "x" }, answer("a")),
      mustAnswer,
      "messages.[2].role",
    ],
    [
      "a stranger",
      saying(calling("a"), answer("b")),
      "'b' not found in 'tool_calls'",
      "messages.[2].tool_call_id",
    ],
    [
      "two answers",
      saying(calling("a"), answer("a"), answer("a")),
      "Duplicate value for 'tool_call_id' of 'a', in messages\\[2\\] and messages\\[3\\]",
      "messages.[3].tool_call_id",
    ],
  ])("refuses %s", (_, body, message, param) => {
    expect(checkChatRequest(body)).toMatchObject({
      status: 400,
      code: null,
      param,
      message: expect.stringMatching(new RegExp(message, "s")),
    });
  });

  test.each([
    [answer("a", null), "invalid_value"],
    [answer("a", { ok: true }), "invalid_value"],
    [{ role: "tool", tool_call_id: "a" }, "missing_required_parameter"],
    [{ role: "tool", content: "x" }, "missing_required_parameter"],
    [{ role: "tool", tool_call_id: "a", content: "x", name: "f" }, "unknown_parameter"],
    [answer("a", [{ type: "image_url", image_url: { url: "data:," } }]), "invalid_value"],
  ])("refuses the answer %j", (message, code) => {
    expect(checkChatRequest(saying(calling("a"), message))).toMatchObject({ code });
  });
});

trial.each(TOOL_SURFACES)("checkChatRequest() lets Volley's own tools pass, on the surface %s", (surface) => {
  const tools = toToolList(describeSurface(surface, createCatalog(SHIPPED_TOOLS)), "openai");
  expect(checkChatRequest({ ...BASE, tools })).toBeNull();
});
