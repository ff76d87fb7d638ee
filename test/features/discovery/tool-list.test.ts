import { describe, expect, test } from "vitest";

import { toToolList, writeOnce } from "../../../src/features/discovery/tool-list.ts";
import * as LIMITS from "../../../src/features/discovery/limits.ts";
import { createCatalog } from "../../support/create-catalog.ts";
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

describe("A tool whose schema has alternatives at its top", () => {
  const byMail = {
    type: "object",
    properties: { email: STRING, note: STRING, team: {} },
    required: ["team", "email"],
  };
  const byPhone = {
    type: "object",
    properties: { phone: STRING, note: { type: "integer" }, team: STRING },
    required: ["phone", "team"],
  };
  const shown = {
    properties: {
      id: STRING,
      email: STRING,
      note: { anyOf: [STRING, { type: "integer" }] },
      team: STRING,
      phone: STRING,
    },
    required: ["id", "team"],
  };
  const toolOf = (more: object) => ({
    ...ODATA,
    inputSchema: { type: "object" as const, properties: { id: STRING }, required: ["id"], ...more },
  });

  test.each([
    ["anyOf", { anyOf: [byMail, byPhone] }],
    ["oneOf", { oneOf: [byMail, byPhone] }],
    ["alternatives inside a part", { allOf: [{ anyOf: [byMail, byPhone] }] }],
  ])("T67 is shown as one object of all their fields to those who take none there: %s", (_, more) => {
    for (const format of ["openai", "openai-responses", "anthropic", "mcp"] as const) {
      const [written] = toToolList([toolOf(more)], format) as Record<string, object>[];
      const all: Record<string, unknown> = { ...written, ...written!["function"] };
      const { parameters, input_schema: anthropic, inputSchema } = all;
      expect(parameters ?? anthropic ?? inputSchema).toEqual({ type: "object", ...shown });
    }
    const [gemini] = toToolList([toolOf(more)], "gemini") as {
      functionDeclarations: { parameters: { properties: object; required: string[] } }[];
    }[];
    const { properties, required } = gemini!.functionDeclarations[0]!.parameters;
    expect([Object.keys(properties), required]).toEqual([Object.keys(shown.properties), shown.required]);
    const [whole] = toToolList([toolOf(more)], "json-schema") as { input_schema: object }[];
    expect(whole!.input_schema).toMatchObject(more);
  });

  test("T67 has arguments even if it names none beside its alternatives", () => {
    const tool = {
      ...ODATA,
      inputSchema: { type: "object" as const, properties: {}, oneOf: [byMail, byPhone] },
    };
    const [written] = toToolList([tool], "openai") as { function: { parameters: object } }[];
    expect(written!.function.parameters).toMatchObject({ properties: { email: STRING, phone: STRING } });
  });
});

test("lists that are kept take no more than one list may: what does not fit beside them has them written anew", () => {
  const catalogs = Array.from({ length: 4 }, () => createCatalog([]));
  const written: number[] = [];
  const ask = (n: number, part = 2): void => {
    writeOnce(catalogs[n]!, "", () => (written.push(n), new Uint8Array(LIMITS.toolListBytes / part)));
  };
  ask(3, 1);
  for (const n of [0, 1, 0, 1]) ask(n);
  expect(written).toEqual([3, 0, 1]);
  for (const n of [2, 2, 0, 2]) ask(n);
  expect(written).toEqual([3, 0, 1, 2, 0]);
});
