import { describe, expect, test } from "vitest";

import { toToolList } from "../../../src/features/discovery/tool-list.ts";
import { checkMessagesRequest } from "../../sandbox/upstreams/check-messages-request.ts";

const STRING = { type: "string" };
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };

/** A tool as an MCP server of OData has it: its names are what no provider checks but Anthropic. */
const ODATA = {
  name: "list_items",
  description: "List items.",
  inputSchema: {
    type: "object" as const,
    properties: {
      drive: STRING,
      $top: { type: "integer" },
      "filter[name]": STRING,
      ["x".repeat(65)]: STRING,
    },
    required: ["drive", "$top"],
    additionalProperties: false,
  },
  annotations,
};

interface Written {
  readonly description: string;
  readonly input_schema: object;
}

describe("A tool with arguments whose names Anthropic refuses", () => {
  const [written] = toToolList([ODATA], "anthropic") as Written[];

  test("costs no other tool of the request: its schema has the other arguments, and takes more", () => {
    expect(written!.input_schema).toEqual({
      type: "object",
      properties: { drive: STRING },
      required: ["drive"],
    });
    const request = {
      model: "m",
      max_tokens: 1,
      messages: [{ role: "user", content: "Hi" }],
      tools: [written],
    };
    expect(checkMessagesRequest(request)).toBeNull();
  });

  test("says these arguments in words, and which of them it needs", () => {
    expect(written!.description).toBe(
      `List items.\nFurther arguments, by exactly these names: "$top" (required), "filter[name]", "${"x".repeat(65)}".`,
    );
  });

  test.each(["openai", "gemini", "json-schema"] as const)("is as it was in %s", (format) => {
    expect(JSON.stringify(toToolList([ODATA], format))).toContain('"$top":{"type":"integer"');
  });
});

test("MCP clients hand schemas on to OpenAI and Anthropic, so theirs have none of what either refuses", () => {
  const inputSchema = { ...ODATA.inputSchema, anyOf: [{ required: ["drive"] }, { required: ["$top"] }] };
  const [written] = toToolList([{ ...ODATA, inputSchema }], "mcp") as {
    readonly description: string;
    readonly inputSchema: object;
  }[];
  expect(written!.inputSchema).toEqual({
    type: "object",
    properties: { drive: STRING },
    required: ["drive"],
  });
  expect(written!.description).toMatch(/Further arguments, by exactly these names: "\$top" \(required\)/);
});

test("A tool whose names Anthropic takes has its schema as it is", () => {
  const inputSchema = {
    type: "object" as const,
    properties: { "a.b-c_9": STRING },
    additionalProperties: false,
  };
  const [written] = toToolList([{ ...ODATA, inputSchema }], "anthropic") as Written[];
  expect(written).toMatchObject({ description: "List items.", input_schema: inputSchema });
});
