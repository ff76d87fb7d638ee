import { expect, test } from "vitest";

import { toToolList } from "../../../../src/features/discovery/tool-list.ts";
import { showSchema } from "../../../../src/features/added-tools/json-schema/to-input.ts";
import { checkChatRequest } from "../../../sandbox/upstreams/check-chat-request.ts";

const TEXT = { type: "string" };
const READ = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };

/* For one function whose schema OpenAI refuses it refuses the whole request, so every schema that a tenant may keep is shown as one it takes. */

test.each<[string, object]>([
  ["no word of its arguments", { type: "object" }],
  ["arguments by a pattern of their names alone", { type: "object", patternProperties: { "^x-": TEXT } }],
  ["arguments in its parts alone", { type: "object", allOf: [{ properties: { a: TEXT } }] }],
  ["a list of anything", { type: "object", properties: { a: { type: "array" } } }],
  ["a list or a text", { type: "object", properties: { a: { type: ["array", "string"] } } }],
  ["a list of two things", { type: "object", properties: { a: { type: "array", prefixItems: [TEXT] } } }],
  ["a list that is empty", { type: "object", properties: { a: { type: "array", items: false } } }],
  [
    "a list inside of a list, by reference",
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/l" } },
      $defs: { l: { type: ["array", "null"], contains: { type: "array" } } },
    },
  ],
])("A schema with %s is shown as one that OpenAI takes", (_, schema) => {
  const inputSchema = showSchema(schema as never);
  const tools = toToolList([{ name: "f", description: "d", inputSchema, annotations: READ }], "openai");
  const request = { model: "m", messages: [{ role: "user", content: "Hi" }], tools };
  expect(checkChatRequest(request)).toBeNull();
});

test("A schema that names its arguments is shown as it was written", () => {
  const schema = {
    type: "object",
    properties: { a: TEXT, l: { type: "array", items: TEXT } },
    required: ["a"],
  };
  expect(showSchema(schema)).toEqual(schema);
});
