import { describe, expect, test } from "vitest";

import { createCatalog } from "../support/create-catalog.ts";
import { describeSurface, TOOL_SURFACES } from "../../src/features/discovery/tool-surface.ts";
import { toToolList } from "../../src/features/discovery/tool-list.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { checkMessagesRequest } from "../sandbox/upstreams/check-messages-request.ts";
import { trial } from "../support/trial.ts";

const USER = { role: "user", content: "Hi" };
const TOOL = { name: "f", description: "d", input_schema: { type: "object", properties: {} } };
const BASE = { model: "m", max_tokens: 10, messages: [USER] };
const CACHED = { cache_control: { type: "ephemeral" } };
const text = (value: string, more: object = {}): object => ({ type: "text", text: value, ...more });
const use = (id: string, more: object = {}): object => ({
  type: "tool_use",
  id,
  name: "f",
  input: {},
  ...more,
});
const result = (id: string, more: object = { content: "{}" }): object => ({
  type: "tool_result",
  tool_use_id: id,
  ...more,
});
const assistant = (...content: object[]): object => ({ role: "assistant", content });
const user = (...content: object[]): object => ({ role: "user", content });
const saying = (...messages: object[]): object => ({ ...BASE, tools: [TOOL], messages: [USER, ...messages] });
const offering = (...tools: object[]): object => ({ ...BASE, tools });
const THOUGHT = { type: "thinking", thinking: "Hm.", signature: "s" };
const THINKING = { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 2_000 };

test.each<[string, object]>([
  ["the least", BASE],
  [
    "every kind of field",
    {
      ...BASE,
      system: [text("s", CACHED)],
      stream: true,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 4,
      stop_sequences: ["x"],
      metadata: { user_id: "u" },
      service_tier: "auto",
      container: null,
      context_management: {},
      mcp_servers: [],
      output_config: { effort: "low" },
      ...CACHED,
      speed: "fast",
      inference_geo: "eu",
      thinking: { type: "adaptive" },
    },
  ],
  [
    "tools of the caller's and of Anthropic's",
    {
      ...offering({ ...TOOL, ...CACHED }, { type: "web_search_20260318", name: "web_search", max_uses: 1 }),
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    },
  ],
  [
    "answered calls, and more after them",
    saying(
      assistant(text("a"), use("t1", { caller: { type: "direct" } }), use("t2")),
      user(result("t2", {}), result("t1", { content: [text("r")], is_error: true }), text("and?")),
    ),
  ],
  [
    "a tool choice of none with calls",
    { ...saying(assistant(use("t1")), user(result("t1"))), tool_choice: { type: "none" } },
  ],
  ["thoughts before calls", { ...saying(assistant(THOUGHT, use("t1")), user(result("t1"))), ...THINKING }],
  [
    "a call without thoughts in a turn that has ended",
    { ...saying(assistant(use("t1")), user(result("t1")), assistant(text("a")), USER), ...THINKING },
  ],
  [
    "what Anthropic's tools found",
    saying(
      assistant(
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
        text("a"),
      ),
      USER,
    ),
  ],
  [
    "a paused turn",
    saying(assistant({ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} })),
  ],
  [
    "pictures and documents",
    {
      ...BASE,
      messages: [
        user(
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } },
          { type: "document", source: { type: "url", url: "https://a.test" }, title: "t" },
        ),
      ],
    },
  ],
  ["two user messages in a row", saying(USER)],
])("checkMessagesRequest() lets %s pass", (_, body) => {
  expect(checkMessagesRequest(body)).toBeNull();
});

function refuses(cases: readonly (readonly [body: unknown, message: string])[]): void {
  test.each(cases.map(([body, message]) => ({ body, message })))("says $message", ({ body, message }) => {
    expect(checkMessagesRequest(body)).toEqual({
      status: 400,
      type: "invalid_request_error",
      message: expect.stringContaining(message),
    });
  });
}

describe("checkMessagesRequest() on the request's own fields", () => {
  refuses([
    [null, "not valid JSON"],
    [{ max_tokens: 1, messages: [USER] }, "model: Field required"],
    [{ model: "m", messages: [USER] }, "max_tokens: Field required"],
    [{ model: "m", max_tokens: 1 }, "messages: Field required"],
    [{ ...BASE, max_tokens: 0 }, "max_tokens: Input should be"],
    [{ ...BASE, volley: {} }, "volley: Extra inputs are not permitted"],
    [{ ...BASE, n: 1 }, "n: Extra inputs are not permitted"],
    [{ ...BASE, temperature: 1.5 }, "temperature: Input should be"],
    [{ ...BASE, metadata: { a: "b" } }, "metadata: Input should be"],
    [{ ...BASE, system: null }, "system: Input should be"],
    [{ ...BASE, system: [text("")] }, "text content blocks must be non-empty"],
    [{ ...BASE, system: [use("t1")] }, "`tool_use` blocks cannot be in the system"],
    [{ ...BASE, thinking: { type: "enabled" } }, "thinking: Input should be"],
    [{ ...BASE, thinking: { type: "enabled", budget_tokens: 1_024 } }, "`max_tokens` must be greater"],
    [{ ...BASE, ...THINKING, temperature: 0 }, "`temperature` may only be set to 1"],
  ]);
});

describe("checkMessagesRequest() on tools", () => {
  const schema = (input_schema: object): object => offering({ ...TOOL, input_schema });
  refuses([
    [offering({ name: "f" }), "tools.0.custom.input_schema: Field required"],
    [offering({ input_schema: {} }), "tools.0.custom.name: Field required"],
    [offering({ ...TOOL, name: "a.b" }), "tools.0.custom.name: Input should be a string that matches"],
    [offering({ ...TOOL, name: "a".repeat(129) }), "tools.0.custom.name"],
    [offering({ ...TOOL, parameters: {} }), "tools.0.custom.parameters: Extra inputs are not permitted"],
    [offering({ ...TOOL, type: "function" }), "tools.0.custom.type: Input should be"],
    [offering(TOOL, TOOL), "tools: Tool names must be unique."],
    [schema({}), "input_schema.type: Field required"],
    [schema({ type: "array" }), "input_schema.type: Input should be 'object'"],
    [schema({ type: "object", anyOf: [] }), "input_schema does not support oneOf, allOf, or anyOf"],
    [schema({ type: "object", properties: { "a b": {} } }), "Property keys should match"],
    [{ ...BASE, tool_choice: { type: "none" } }, "tool_choice may only be specified while providing tools"],
    [{ ...offering(TOOL), tool_choice: { type: "tool", name: "g" } }, "Tool 'g' not found"],
    [{ ...offering(TOOL), tool_choice: { type: "required" } }, "tool_choice: Input should be"],
    [{ ...offering(TOOL), ...THINKING, tool_choice: { type: "any" } }, "Thinking may not be enabled"],
    [{ ...saying(assistant(use("t1")), user(result("t1"))), tools: [] }, "blocks must define tools"],
  ]);
});

describe("checkMessagesRequest() on messages", () => {
  refuses([
    [{ ...BASE, messages: [] }, "at least one message is required"],
    [{ ...BASE, messages: [{ role: "assistant", content: "x" }] }, 'first message must use the "user" role'],
    [saying({ role: "system", content: "x" }), 'Unexpected role "system"'],
    [saying({ role: "user" }), "messages.1.content: Field required"],
    [saying({ role: "user", content: "" }), "messages.1: all messages must have non-empty content"],
    [saying({ role: "user", content: [] }), "messages.1: all messages must have non-empty content"],
    [saying({ role: "user", content: " " }), "must contain non-whitespace text"],
    [saying({ role: "user", content: "x", name: "a" }), "messages.1.name: Extra inputs are not permitted"],
    [saying({ role: "assistant", content: "x" }), "does not support assistant message prefill"],
    [saying(user(text(""))), "text content blocks must be non-empty"],
    [saying(user(text("\n"))), "must contain non-whitespace text"],
    [saying(user(text("x", { id: 1 }))), "messages.1.content.0.text.id: Extra inputs are not permitted"],
    [saying(user({ text: "x" })), "messages.1.content.0.type: Field required"],
    [saying(user({ type: "image_url" })), "Input tag 'image_url' found"],
    [saying(user(use("t1"))), "`tool_use` blocks cannot be in the user"],
    [saying(assistant(result("t1"))), "`tool_result` blocks cannot be in the assistant"],
    [saying(user(THOUGHT)), "`thinking` blocks cannot be in the user"],
    [
      saying(assistant({ type: "thinking", thinking: "x" }), USER),
      "messages.1.content.0.thinking.signature: Field required",
    ],
    [saying(assistant({ ...THOUGHT, signature: "" }), USER), "thinking.signature: Input should be"],
    [
      saying(assistant(use("a b")), user(result("a b"))),
      "tool_use.id: Input should be a string that matches",
    ],
    [
      saying(assistant(use("t1", { input: "{}" })), user(result("t1"))),
      "tool_use.input: Input should be an object",
    ],
    [
      saying(assistant(use("t1", { index: 0 })), user(result("t1"))),
      "tool_use.index: Extra inputs are not permitted",
    ],
    [
      { ...saying(assistant(use("t1")), user(result("t1"))), ...THINKING },
      "Expected `thinking` or `redacted_thinking`, but found `tool_use`",
    ],
  ]);
});

describe("checkMessagesRequest() on what belongs together", () => {
  const unanswered = (index: number, ids: string): string =>
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}.`;
  refuses([
    [saying(assistant(use("t1"))), "does not support assistant message prefill"],
    [saying(assistant(use("t1")), USER), unanswered(1, "t1")],
    [saying(assistant(use("t1"), use("t2")), user(result("t1"))), unanswered(1, "t2")],
    [saying(assistant(use("t1")), USER, user(result("t1"))), unanswered(1, "t1")],
    [saying(assistant(use("t1"), use("t2")), user(result("t1")), user(result("t2"))), unanswered(1, "t2")],
    [saying(assistant(use("t1")), user(text("so"), result("t1"))), unanswered(1, "t1")],
    [
      saying(assistant(use("t1"), use("t2")), user(result("t1"), text("so"), result("t2"))),
      unanswered(1, "t1, t2"),
    ],
    [saying(assistant(use("t1")), user(result("t1"), result("t2"))), "unexpected `tool_use_id` found"],
    [saying(user(result("t1"))), "messages.1.content.0: unexpected `tool_use_id` found"],
    [
      saying(assistant(use("t1")), user(result("t1"), result("t1"))),
      "each tool_use must have a single result",
    ],
    [
      saying(assistant(use("t1")), user(result("t1")), assistant(use("t1")), user(result("t1"))),
      "messages.3: `tool_use` ids must be unique",
    ],
    [saying(assistant(use("t1"), use("t1")), user(result("t1"))), "`tool_use` ids must be unique"],
    [
      saying(assistant(use("t1")), user(result("t1", { content: { a: 1 } }))),
      "tool_result.content: Input should be",
    ],
    [saying(assistant(use("t1")), user(result("t1", { content: [text("")] }))), "must be non-empty"],
    [
      saying(assistant(use("t1")), user(result("t1", { is_error: true }))),
      "content cannot be empty if `is_error` is true",
    ],
    [
      saying(assistant({ type: "web_search_tool_result", tool_use_id: "s", content: [] }, text("a")), USER),
      "must have a corresponding `server_tool_use` block before it",
    ],
  ]);
});

test("checkMessagesRequest() counts every cache_control there is, and none in what a model wrote", () => {
  const body = (more: object): object => ({
    ...BASE,
    ...CACHED,
    tools: [{ ...TOOL, ...CACHED }],
    system: [text("s", CACHED)],
    messages: [
      USER,
      assistant(use("t1", { input: { cache_control: 1, content: [CACHED] } })),
      user(result("t1", { content: [text("r", more)], ...CACHED })),
    ],
  });
  expect(checkMessagesRequest(body({}))).toBeNull();
  expect(checkMessagesRequest(body(CACHED))!.message).toContain("A maximum of 4 blocks with cache_control");
  expect(checkMessagesRequest({ ...BASE, cache_control: { type: "kept" } })!.message).toContain(
    "cache_control",
  );
});

trial.each(TOOL_SURFACES)(
  "checkMessagesRequest() lets Volley's own tools pass, on the surface %s",
  (surface) => {
    const tools = toToolList(describeSurface(surface, createCatalog(SHIPPED_TOOLS)), "anthropic");
    expect(checkMessagesRequest({ ...BASE, tools })).toBeNull();
  },
);
