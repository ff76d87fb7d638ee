import { describe, expect, test } from "vitest";

import type { ToolDescriptor } from "../../src/catalog/batch-tool.ts";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { describeSurface, TOOL_SURFACES } from "../../src/catalog/tool-surface.ts";
import { isJsonObject } from "../../src/contract/json.ts";
import { TOOL_FORMATS, type ToolFormat, toToolList } from "../../src/formats/tool-list.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { EXAMPLE_TOOLS } from "../sandbox/example-tools.ts";
import { createProbeTools } from "../sandbox/probe-tools.ts";

const CONTRACT = { mode: "fan-out-bounded", max_concurrency: 3 } as const;
const INPUT = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
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
    },
  ],
  [
    "openai-responses",
    {
      type: "function",
      name: "ping",
      description: "Say hello.",
      parameters: PING.inputSchema,
      strict: false,
    },
  ],
  ["anthropic", { name: "ping", description: LINE, input_schema: INPUT }],
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

test("toToolList() gives Gemini no parameters for a tool that has none", () => {
  const none = { ...PING, inputSchema: { type: "object", properties: {}, additionalProperties: false } };
  expect(toToolList([none], "gemini")).toEqual([
    { functionDeclarations: [{ name: "ping", description: "Say hello." }] },
  ]);
});

const catalog = createCatalog([
  ...SHIPPED_TOOLS,
  ...createProbeTools("https://probe.sandbox.test"),
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

describe.each(TOOL_SURFACES)("Of the whole sandbox, the surface %s", (surface) => {
  const described = describeSurface(surface, catalog);

  test.each(TOOL_FORMATS)("in %s has names that every provider takes, each once", (format) => {
    const text = JSON.stringify(toToolList(described, format));
    for (const { name } of described) {
      expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
      expect(text.split(`"name":${JSON.stringify(name)}`)).toHaveLength(2);
    }
  });

  test("in gemini uses only what its subset of OpenAPI has", () => {
    const known = new Set(
      "type format description nullable enum items properties required anyOf minimum maximum minItems maxItems minLength maxLength minProperties maxProperties pattern".split(
        " ",
      ),
    );
    const [list] = toToolList(described, "gemini") as { functionDeclarations: { parameters?: unknown }[] }[];
    for (const { parameters } of list!.functionDeclarations) {
      for (const schema of schemasIn(parameters)) {
        expect(Object.keys(schema).filter((key) => !known.has(key))).toEqual([]);
        expect(typeof schema["type"] === "string" || Array.isArray(schema["anyOf"])).toBe(true);
        if (schema["type"] === "array") expect(schema["items"]).toBeDefined();
        if (schema["enum"] !== undefined) expect(schema["type"]).toBe("string");
        if (typeof schema["pattern"] === "string") expect(schema["pattern"]).not.toMatch(/\(\?[=!<]/);
      }
    }
  });

  test("in anthropic has no keyword of ours, and an object at the top", () => {
    for (const { input_schema } of toToolList(described, "anthropic") as { input_schema: object }[]) {
      expect(JSON.stringify(input_schema)).not.toContain("x-orchestration");
      expect(input_schema).toMatchObject({ type: "object" });
      expect(Object.keys(input_schema)).not.toEqual(expect.arrayContaining(["anyOf"]));
    }
  });
});
