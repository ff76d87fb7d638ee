import { expect, test } from "vitest";

import { findStrayCall } from "../../src/turns/read-turn.ts";

test.each([
  [{ type: "tool_use", name: "x", input: {} }, "/v1/anthropic/tool_use"],
  [{ type: "function_call", name: "x", arguments: "{}" }, "/v1/openai/function_calls"],
  [{ type: "custom_tool_call", name: "x", input: "text" }, "/v1/openai/function_calls"],
  [{ type: "function", function: { name: "x", arguments: "{}" } }, "/v1/openai/tool_calls"],
  [{ functionCall: { name: "x", args: {} } }, "/v1/gemini/function_calls"],
  [{ function_call: { name: "x", args: {} } }, "/v1/gemini/function_calls"],
  [{ function_call: { name: "x", arguments: "{}" } }, "/v1/openai/tool_calls"],
])("findStrayCall() tells by its form that %j is for %s", (call, endpoint) => {
  expect(findStrayCall(call, "")).toEqual({ path: "", endpoint });
  expect(findStrayCall({ deep: [null, 7, call] }, "/at")).toEqual({ path: "/at/deep/2", endpoint });
});

test.each([
  { type: "function", function: { name: "x", parameters: {} } },
  { function_call: "auto" },
  { functionCall: null },
  "tool_use",
  null,
])("findStrayCall() finds no call in %j", (value) => {
  expect(findStrayCall(value, "")).toBeNull();
});
