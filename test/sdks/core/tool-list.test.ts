import type Anthropic from "@anthropic-ai/sdk";
import { Validator } from "@cfworker/json-schema";
import type OpenAI from "openai";
import { describe, expect, test } from "vitest";

import type { ToolDescriptor } from "../../../src/features/discovery/batch-tool.ts";
import { createCatalog } from "../../support/create-catalog.ts";
import { describeSurface, TOOL_SURFACES } from "../../../src/features/discovery/tool-surface.ts";
import { isJsonObject } from "../../../src/core/contract/json.ts";
import { TOOL_FORMATS, type ToolFormat, toToolList } from "../../../src/features/discovery/tool-list.ts";
import { OPT_IN_TOOLS } from "../../../src/tools/opt-in-tools.ts";
import { SHIPPED_TOOLS } from "../../../src/tools/shipped-tools.ts";
import { EXAMPLE_TOOLS } from "../../sandbox/example-tools.ts";
import { createProbeTools } from "../../sandbox/probe-tools.ts";

const CONTRACT = { mode: "fan-out-bounded", max_concurrency: 3 } as const;
const INPUT = { type: "object" as const, properties: { n: { type: "number" } }, required: ["n"] };
const PING: ToolDescriptor = {
  name: "ping",
  description: "Say hello.",
  inputSchema: { ...INPUT, "x-orchestration": CONTRACT },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
};
const LINE = "Say hello.\nContract: fan-out-bounded, at most 3 at once.";

test.each<[ToolFormat, object]>([
  ["json-schema", { name: "ping", description: "Say hello.", input_schema: PING.inputSchema }],
  [
    "openai",
    {
      type: "function",
      function: { name: "ping", description: "Say hello.", parameters: PING.inputSchema, strict: false },
    } satisfies OpenAI.ChatCompletionTool,
  ],
  [
    "openai-responses",
    {
      type: "function",
      name: "ping",
      description: "Say hello.",
      parameters: PING.inputSchema,
      strict: false,
    } satisfies OpenAI.Responses.FunctionTool,
  ],
  ["anthropic", { name: "ping", description: LINE, input_schema: INPUT } satisfies Anthropic.Tool],
  ["gemini", { functionDeclarations: [{ name: "ping", description: LINE, parameters: INPUT }] }],
  [
    "mcp",
    {
      name: "ping",
      description: "Say hello.",
      inputSchema: INPUT,
      annotations: PING.annotations,
      _meta: { "x-orchestration": CONTRACT },
    },
  ],
])("toToolList() writes %s with the contract where it belongs", (format, written) => {
  expect(toToolList([PING], format)).toEqual([written]);
});

test.each(TOOL_FORMATS)(
  "toToolList() keeps the order of the tools in %s and lists none of none",
  (format) => {
    const list = JSON.stringify(toToolList([PING, { ...PING, name: "pong" }], format));
    expect(list.indexOf('"ping"')).toBeLessThan(list.indexOf('"pong"'));
    expect(toToolList([], format)).toEqual([]);
  },
);

test.each([{ additionalProperties: false }, {}])(
  "toToolList() gives Gemini no parameters for a tool that has none, with %j",
  (rest) => {
    const none = { ...PING, inputSchema: { type: "object", properties: {}, ...rest } };
    expect(toToolList([none], "gemini")).toEqual([
      { functionDeclarations: [{ name: "ping", description: "Say hello." }] },
    ]);
  },
);

test.each(["openai", "openai-responses"] as const)(
  "toToolList() cuts a description that %s would refuse the whole request for",
  (format) => {
    const long = { ...PING, description: "é".repeat(1_025) };
    expect(JSON.stringify(toToolList([long], format))).toContain(`"${"é".repeat(1_023)}…"`);
    const fits = { ...PING, description: "é".repeat(1_024) };
    expect(JSON.stringify(toToolList([fits], format))).toContain(`"${fits.description}"`);
  },
);

test.each(["openai", "openai-responses", "anthropic"] as const)(
  "toToolList() leaves out in %s what is refused at the top of a schema, and nothing inside it",
  (format) => {
    const inside = { anyOf: [{ type: "string" }, { type: "integer" }] };
    const inputSchema = {
      type: "object",
      properties: { id: inside, email: { type: "string" } },
      anyOf: [{ required: ["id"] }, { required: ["email"] }],
      not: { required: ["id", "email"] },
    };
    const [listed] = toToolList([{ ...PING, inputSchema }], format);
    const text = JSON.stringify(listed);
    expect(text).toContain('"properties":{"id":{"anyOf":[');
    expect(text.match(/"anyOf"|"not"/g)).toEqual(['"anyOf"']);
  },
);

test("toToolList() gives Gemini parameters for a tool that takes whatever it is sent", () => {
  const loose = { ...PING, inputSchema: { type: "object", properties: {}, additionalProperties: {} } };
  expect(toToolList([loose], "gemini")).toMatchObject([
    { functionDeclarations: [{ parameters: { type: "object", properties: expect.any(Object) } }] },
  ]);
});

const catalog = createCatalog([
  ...SHIPPED_TOOLS,
  ...createProbeTools("https://probe.sandbox.test"),
  ...Object.values(OPT_IN_TOOLS).flat(),
  ...EXAMPLE_TOOLS,
]);

/** Every object inside a value that stands where a schema does. */
function* schemasIn(schema: unknown): Generator<Record<string, unknown>> {
  if (!isJsonObject(schema)) return;
  yield schema;
  for (const inner of Object.values(schema["properties"] ?? {})) yield* schemasIn(inner);
  for (const inner of Object.values(schema["$defs"] ?? {})) yield* schemasIn(inner);
  for (const inner of (schema["anyOf"] ?? schema["oneOf"] ?? []) as unknown[]) yield* schemasIn(inner);
  for (const key of ["items", "additionalProperties"]) yield* schemasIn(schema[key]);
}

interface OpenAITool {
  readonly description: string;
  readonly parameters: object;
  readonly function?: OpenAITool;
}

interface Declaration {
  readonly parameters?: object;
}

function declarationsOf(tools: readonly ToolDescriptor[]): readonly Declaration[] {
  const [list] = toToolList(tools, "gemini") as { functionDeclarations: Declaration[] }[];
  return list!.functionDeclarations;
}

/** By type: beside another type a keyword is refused. */
const GEMINI_KEYWORDS = {
  common: ["type", "description", "nullable", "format"],
  string: ["enum", "pattern", "minLength", "maxLength"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: [],
  array: ["items", "minItems", "maxItems"],
  object: ["properties", "required", "minProperties", "maxProperties"],
};

describe.each(TOOL_SURFACES)("For the whole sandbox, the surface %s", (surface) => {
  const described = describeSurface(surface, catalog);

  test.each(TOOL_FORMATS)("in %s has names that every provider takes, each once", (format) => {
    const text = JSON.stringify(toToolList(described, format));
    for (const { name } of described) {
      expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
      expect(text.split(`"name":${JSON.stringify(name)}`)).toHaveLength(2);
    }
  });

  test.each(["openai", "openai-responses"] as const)(
    "in %s has no description and no array that OpenAI refuses",
    (format) => {
      for (const tool of toToolList(described, format) as OpenAITool[]) {
        const { description, parameters } = tool.function ?? tool;
        expect(description.length).toBeLessThanOrEqual(1_024);
        expect(parameters).toMatchObject({ type: "object", properties: expect.any(Object) });
        for (const schema of schemasIn(parameters))
          if (schema["type"] === "array") expect(schema["items"]).toBeTypeOf("object");
      }
    },
  );

  test("in gemini uses only what its subset of OpenAPI has", () => {
    for (const { parameters } of declarationsOf(described)) {
      for (const schema of schemasIn(parameters)) {
        if (schema["anyOf"] !== undefined) {
          expect(Object.keys(schema)).toEqual(["anyOf"]);
          continue;
        }
        const known = [...GEMINI_KEYWORDS.common, ...GEMINI_KEYWORDS[schema["type"] as "string"]];
        expect(known).toEqual(expect.arrayContaining(Object.keys(schema)));
        if (schema["type"] === "array") expect(schema["items"]).toBeTypeOf("object");
        if (typeof schema["pattern"] === "string") expect(schema["pattern"]).not.toMatch(/\(\?[=!<]/);
        const properties = Object.keys(schema["properties"] ?? {});
        expect(properties.length > 0).toBe(schema["type"] === "object");
        expect(properties).toEqual(expect.arrayContaining((schema["required"] ?? []) as string[]));
      }
    }
  });

  test("in anthropic has no keyword of ours, and an object at the top", () => {
    for (const { input_schema } of toToolList(described, "anthropic") as { input_schema: object }[]) {
      expect(JSON.stringify(input_schema)).not.toContain("x-orchestration");
      expect(input_schema).toMatchObject({ type: "object" });
      for (const name of Object.keys((input_schema as { properties: object }).properties))
        expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
      expect(Object.keys(input_schema)).not.toEqual(expect.arrayContaining(["anyOf"]));
    }
  });
});

/** References, a loop, a selection: what a model writes with the batch tool. */
const BATCH = {
  actions: [
    { id: "found", tool: "probe-search", args: { q: "tea" }, select: ["/items/0/id"] },
    { id: "all", tool: "probe-item", for_each: { $ref: "found#/items" }, args: { id: { $ref: "item#/id" } } },
    { tool: "probe-search", for_each: ["tea", "milk"], args: { q: { $ref: "item#" } }, depends_on: ["all"] },
    {
      tool: "send_email",
      args: { to: ["a@b.co"], subject: { $template: "{{found#/items/0/name}}" }, body: "Hi" },
    },
  ],
  on_error: "fail-fast",
};

test.each(["batch", "meta"] as const)(
  "The surface %s lets a model write a batch with references, loops and selections in every format",
  (surface) => {
    const described = describeSurface(surface, catalog).filter(({ name }) => name === "execute_actions");
    const [openai] = toToolList(described, "openai") as { function: { parameters: object } }[];
    const [anthropic] = toToolList(described, "anthropic") as { input_schema: object }[];
    const [gemini] = declarationsOf(described);
    for (const schema of [openai!.function.parameters, anthropic!.input_schema, gemini!.parameters!]) {
      const validator = new Validator(schema, "2020-12");
      expect(validator.validate(BATCH).errors).toEqual([]);
      expect(validator.validate({ actions: "none" }).valid).toBe(false);
    }
  },
);
