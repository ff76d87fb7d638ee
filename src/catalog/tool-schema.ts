import * as z from "zod";

import { canonicalJson } from "../kit/canonical-json.ts";
import { parsePointer } from "../kit/json-pointer.ts";
import type { Tool } from "./define-tool.ts";

/** A JSON Schema (2020-12) as Zod writes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const cache = new WeakMap<Tool, JsonSchema>();

/**
 * The JSON Schema of a tool's arguments, with its contract under `x-orchestration`. Throws when there is none that a
 * model could be given: the input is not an object, says something that JSON Schema cannot, or contains itself.
 *
 * `io: "input"` because callers send input: with output, fields that have a default would become required. It refers to
 * nothing outside itself and has no definitions, so it can stand anywhere inside another schema.
 */
export function toolSchema(tool: Tool): JsonSchema {
  const cached = cache.get(tool);
  if (cached !== undefined) return cached;
  const whole = { ...inputSchema(tool), "x-orchestration": tool.orchestration };
  cache.set(tool, whole);
  return whole;
}

/**
 * Write what a tool declares to do, so that equal declarations are equal text. A person's yes is to a tool as it was
 * declared: its arguments, its contract, what it does and where it sends things.
 */
export function toDeclarationText(tool: Tool): string {
  const { name, isWrite, execution, actions, hosts, bindings } = tool;
  const reaches = bindings.length === 0 ? { hosts } : { hosts, bindings };
  return canonicalJson({ name, isWrite, execution, actions, ...reaches, schema: toolSchema(tool) });
}

/** The JSON Schema of what is sent to something of that name, without any contract; throws as `toolSchema` does. */
export function inputSchema(callable: Pick<Tool, "name" | "input">): JsonSchema {
  const { $schema: _, $defs = {}, ...written } = writeSchema(callable);
  const definitions = new Map(Object.entries($defs as Readonly<Record<string, JsonSchema>>));
  const schema = inline(written, definitions) as JsonSchema;
  if (schema["type"] !== "object")
    throw new Error(`Cannot write the schema of '${callable.name}': 'input' must be an object schema`);
  return schema;
}

function writeSchema({ name, input }: Pick<Tool, "name" | "input">): JsonSchema {
  try {
    return z.toJSONSchema(input, {
      io: "input",
      cycles: "throw",
      override: ({ jsonSchema }) => {
        // OpenAI refuses an array without a schema of its items; how many a tuple has is said by its bounds.
        if (jsonSchema.type === "array" && typeof jsonSchema.items !== "object") jsonSchema.items = {};
        // Every name is a string; some clients warn of the keyword.
        if (isStringSchema(jsonSchema.propertyNames)) delete jsonSchema.propertyNames;
      },
    });
  } catch (cause) {
    // The first line says what and where; what follows recommends options that nobody here can set.
    const [problem] = (cause as Error).message.split("\n");
    throw new Error(`Cannot write the schema of '${name}': ${problem}`, { cause });
  }
}

function isStringSchema(schema: unknown): boolean {
  return JSON.stringify(schema) === '{"type":"string"}';
}

/** Put every definition in the places that refer to it. It ends: a schema that contains itself was refused before. */
function inline(value: unknown, definitions: ReadonlyMap<string, JsonSchema>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => inline(inner, definitions));
  const { $ref, ...rest } = value as JsonSchema;
  const name = typeof $ref === "string" ? parsePointer($ref.slice(1))?.[1] : undefined;
  const definition = name === undefined ? undefined : definitions.get(name);
  if (definition !== undefined) return { ...(inline(definition, definitions) as JsonSchema), ...rest };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inline(inner, definitions)]));
}
