import { expect, test } from "vitest";

import { showSchema } from "../../../../src/features/added-tools/json-schema/show-schema.ts";
import { checkChatRequest } from "../../../sandbox/upstreams/check-chat-request.ts";

const TEXT = { type: "string" };

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
  const parameters = showSchema(schema as never);
  const tool = {
    type: "function",
    function: { name: "f", description: "d", parameters: fitTop(parameters) },
  };
  const request = { model: "m", messages: [{ role: "user", content: "Hi" }], tools: [tool] };
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

/** As the list of tools is written: parts do not stand at the top. */
function fitTop({ allOf: _, ...schema }: { readonly allOf?: unknown }): object {
  return schema;
}
