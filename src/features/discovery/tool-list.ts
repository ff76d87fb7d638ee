import { isJsonObject, type JsonObject, utf8Length } from "../../feature/schema.ts";
import type { Catalog } from "../../feature/tool.ts";
import type { ToolDescriptor } from "./batch-tool.ts";
import { toGeminiSchema } from "./gemini-schema.ts";
import * as LIMITS from "./limits.ts";
import { splitContract, toPlainSchema, withContract } from "./plain-schema.ts";

/** The dialects in which tools can be listed. */
export const TOOL_FORMATS = [
  "json-schema",
  "openai",
  "openai-responses",
  "anthropic",
  "gemini",
  "mcp",
] as const;

export type ToolFormat = (typeof TOOL_FORMATS)[number];

/**
 * Write tools in a provider's dialect, ready to paste into a model call.
 *
 * A contract stays in the schema where unknown keywords are allowed, and is a line of the description where not. OpenAI's
 * strict mode is off in so many words, because Responses turns it on otherwise: it knows no optional fields.
 */
export function toToolList(tools: readonly ToolDescriptor[], format: ToolFormat): unknown[] {
  if (format !== "gemini") return tools.map(WRITERS[format]);
  return tools.length === 0 ? [] : [{ functionDeclarations: tools.map(toFunctionDeclaration) }];
}

const WRITERS: Readonly<Record<Exclude<ToolFormat, "gemini">, (tool: ToolDescriptor) => object>> = {
  "json-schema": ({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }),
  openai: (tool) => ({ type: "function", function: toFunction(tool) }),
  "openai-responses": (tool) => ({ type: "function", ...toFunction(tool) }),
  anthropic: ({ name, description, inputSchema }) => {
    const { schema, contract } = splitContract(inputSchema);
    const fitted = fitNames(description, fitTop(toPlainSchema(schema)));
    return {
      name,
      description: withContract(fitted.description, contract),
      input_schema: fitted.schema,
    };
  },
  mcp: ({ name, description, inputSchema, annotations }) => {
    const { schema, contract } = splitContract(inputSchema);
    // Clients hand it on to models of both, as it is.
    const fitted = fitNames(description, fitTop(schema));
    return {
      name,
      description: fitted.description,
      inputSchema: fitted.schema,
      annotations,
      ...(contract !== undefined && { _meta: { "x-orchestration": contract } }),
    };
  },
};

function toFunction({ name, description, inputSchema }: ToolDescriptor): object {
  return { name, description: fitDescription(description), parameters: fitTop(inputSchema), strict: false };
}

/** The names of arguments that Anthropic takes: for one other it refuses the whole request. */
const ARGUMENT = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Take arguments out of a schema whose names Anthropic refuses, and say them in words: a tool that is called with them anyhow takes
 * them.
 */
function fitNames(
  description: string,
  schema: JsonObject,
): { readonly description: string; readonly schema: JsonObject } {
  const { properties, required, additionalProperties: _, ...rest } = schema;
  const all = Object.entries(properties ?? {});
  const kept = all.filter(([name]) => ARGUMENT.test(name));
  if (kept.length === all.length) return { description, schema };
  const needed = new Set((required ?? []) as readonly string[]);
  const said = all
    .filter((one) => !kept.includes(one))
    .map(([name]) => JSON.stringify(name) + (needed.has(name) ? " (required)" : ""));
  const must = [...needed].filter((name) => ARGUMENT.test(name));
  return {
    description: `${description}\nFurther arguments, by exactly these names: ${said.join(", ")}.`,
    schema: { ...rest, properties: Object.fromEntries(kept), ...(must.length > 0 && { required: must }) },
  };
}

/** OpenAI refuses a whole request for one function whose description is longer. */
const LONGEST_DESCRIPTION = 1_024;

function fitDescription(description: string): string {
  if (description.length <= LONGEST_DESCRIPTION) return description;
  return `${description.slice(0, LONGEST_DESCRIPTION - 1).toWellFormed()}…`;
}

/** A function without parameters has none at all: an object without properties is refused. */
function toFunctionDeclaration({ name, description, inputSchema }: ToolDescriptor): object {
  const { schema: said, contract } = splitContract(inputSchema);
  const schema = fitTop(said);
  const takesParameters =
    Object.keys(schema["properties"] ?? {}).length > 0 || isJsonObject(schema["additionalProperties"]);
  return {
    name,
    description: withContract(description, contract),
    ...(takesParameters && { parameters: toGeminiSchema(toPlainSchema(schema)) }),
  };
}

/** Stands at the top of no function's schema there: for one such tool OpenAI and Anthropic refuse the whole request. */
const NOT_AT_THE_TOP: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "not", "enum", "const"]);

/**
 * Write a schema as one object, for providers that take no alternatives at its top: an object of all fields that any alternative has,
 * of which those are required that each of them requires. The call is checked against all of the schema, and a
 * refusal names the expected value.
 */
function fitTop(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => !NOT_AT_THE_TOP.has(keyword));
  if (kept.length === Object.keys(schema).length) return schema;
  const { fields, required } = collect(schema, 0);
  return {
    ...Object.fromEntries(kept),
    properties: Object.fromEntries(
      Array.from(fields, ([name, forms]) => [name, eitherOf([...forms.values()])]),
    ),
    ...(required.size > 0 && { required: [...required] }),
  };
}

interface Collected {
  /** By its name, the different schemas that a field has. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly required: ReadonlySet<string>;
}

/** Levels of alternatives inside alternatives that are looked at. */
const MOST_LEVELS = 8;

function collect(schema: unknown, level: number): Collected {
  const fields = new Map<string, Map<string, unknown>>();
  const add = (name: string, form: unknown): void => {
    const forms = fields.get(name) ?? new Map<string, unknown>();
    fields.set(name, forms.set(JSON.stringify(form), form));
  };
  if (!isJsonObject(schema) || level > MOST_LEVELS) return { fields, required: new Set() };
  const { properties } = schema;
  for (const [name, form] of Object.entries(isJsonObject(properties) ? properties : {})) add(name, form);
  const required = new Set(listOf(schema, "required").filter((name) => typeof name === "string"));
  const need = (names: Iterable<string>): void => {
    for (const name of names) required.add(name);
  };
  const take = (inner: Collected): ReadonlySet<string> => {
    for (const [name, forms] of inner.fields) for (const form of forms.values()) add(name, form);
    return inner.required;
  };
  for (const part of listOf(schema, "allOf")) need(take(collect(part, level + 1)));
  for (const keyword of ["anyOf", "oneOf"]) {
    const [first = new Set<string>(), ...others] = listOf(schema, keyword).map((form) =>
      take(collect(form, level + 1)),
    );
    need(Array.from(first).filter((name) => others.every((other) => other.has(name))));
  }
  return { fields, required };
}

function listOf(schema: JsonObject, keyword: string): readonly unknown[] {
  const list = schema[keyword];
  return Array.isArray(list) ? (list as unknown[]) : [];
}

/** An alternative that only says that a field may be there says nothing of it. */
function eitherOf(forms: readonly unknown[]): unknown {
  const said = forms.filter((form) => !isJsonObject(form) || Object.keys(form).length > 0);
  return said.length > 1 ? { anyOf: said } : (said[0] ?? {});
}

/** The bytes that a list of so many tools may take. A caller holds them before it is written: one that waits for them holds no text. */
export function roomOf(tools: number): number {
  return Math.min(LIMITS.toolListBytes, tools * LIMITS.listedToolBytes);
}

/** The share of the bytes that fit which is tried: tools are not of one size, so a list of as many might be too large again. */
const SHARE = 0.9;

/**
 * Write a list of tools, of the first of them only where all would be too large.
 *
 * @param write writes a list, and how many tools are missing in it
 */
export function fitTools(catalog: Catalog, write: (shown: Catalog, leftOut: number) => string): string {
  const { tools } = catalog;
  let count = tools.length;
  let list = write(catalog, 0);
  for (let size = utf8Length(list); size > LIMITS.toolListBytes && count > 0; size = utf8Length(list)) {
    count = Math.floor((count * SHARE * LIMITS.toolListBytes) / size);
    const shown = new Set(tools.slice(0, count));
    const part = catalog.only((tool) => shown.has(tool));
    list = write(part, tools.length - count);
  }
  return list;
}

/** The large lists of each catalog, by what they depend on besides, and the bytes of all of them. */
let written = new WeakMap<Catalog, Readonly<Record<string, Uint8Array>>>();
let bytes = 0;

/**
 * Write a large list of a catalog once. A catalog never changes, and is what some keys may see of their tenant's tools at one
 * version: where a tool is another, or a key may see others, so is the catalog. All that are kept take no more than one list may:
 * where one more would not fit beside them they are let go.
 *
 * @param as what the list depends on besides
 */
export function writeOnce(catalog: Catalog, as: string, write: () => Uint8Array): Uint8Array {
  const known = written.get(catalog)?.[as];
  if (known) return known;
  const list = write();
  // A list that is no larger than one tool may be is soon written.
  if (list.length <= LIMITS.listedToolBytes) return list;
  bytes += list.length;
  if (bytes > LIMITS.toolListBytes) [written, bytes] = [new WeakMap(), list.length];
  written.set(catalog, { ...written.get(catalog), [as]: list });
  return list;
}
