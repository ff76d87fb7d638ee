import * as z from "zod/mini";
import { canonicalJson } from "../kit/json/canonical-json.ts";
import { parsePointer } from "../kit/json/json-pointer.ts";
import type { ContractField } from "./contract-field.ts";
import type { Tool } from "./define-tool.ts";
import type { Orchestration } from "../contract/orchestration.ts";
import { getOrMake } from "../kit/get-or-make.ts";

/** A JSON Schema (2020-12) as Zod writes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The names of tools that the reader of a schema must not be told, and the fields that features add to contracts. */
export interface Hidden extends ReadonlySet<string> {
  readonly fields?: readonly ContractField[];
}

/** For callers that see every tool. */
export const NOTHING_HIDDEN: Hidden = new Set();

/** Hide names from readers that are told the fields of features. */
export function hide(names: Iterable<string>, fields: readonly ContractField[] = []): Hidden {
  return Object.assign(new Set(names), { fields });
}

/** By the names that are hidden, because each part of a catalog has one set of them. */
const cache = new WeakMap<Hidden, WeakMap<Tool, JsonSchema>>();

/**
 * The JSON Schema of a tool's arguments, with its effective contract under `x-orchestration`. Throws when there is none that a
 * model could be given: the input is not an object, says something that JSON Schema cannot, or contains itself.
 *
 * `io: "input"` because callers send input: with output, fields that have a default would become required. It refers to
 * nothing outside itself and has no definitions, so it can stand anywhere inside another schema.
 *
 * @param hidden names of tools that must not be said to the schema's reader
 */
export function toolSchema(tool: Tool, hidden = NOTHING_HIDDEN): JsonSchema {
  const known = getOrMake(cache, hidden, () => new WeakMap<Tool, JsonSchema>());
  return getOrMake(known, tool, () => {
    const schema = hidden.size === 0 ? writeWhole(tool) : withoutNames(writeWhole(tool), hidden);
    return withFields(schema, tool, hidden);
  });
}

const wholes = new WeakMap<Tool, JsonSchema>();

/** The schema as everybody may read it but for names, without what features add. */
function writeWhole(tool: Tool): JsonSchema {
  return getOrMake(wholes, tool, () => ({
    ...inputSchema(tool),
    "x-orchestration": effectiveContract(tool),
  }));
}

/** Add to a contract what features bring, where its reader knows the tools that are named there. */
function withFields(schema: JsonSchema, { brought = {} }: Tool, hidden: Hidden): JsonSchema {
  const shown = (hidden.fields ?? []).filter(
    ({ name, toolsOf }) => name in brought && !toolsOf(brought[name as never]).some((one) => hidden.has(one)),
  );
  if (shown.length === 0) return schema;
  const values = shown.map(({ name }): [string, unknown] => [name, brought[name as never]]);
  const contract = { ...(schema["x-orchestration"] as Orchestration), ...Object.fromEntries(values) };
  said.set(
    contract,
    shown.map(({ name, say }) => say(brought[name as never])),
  );
  return { ...schema, "x-orchestration": contract };
}

const said = new WeakMap<object, readonly string[]>();

/** Say the fields of features in a contract that `toolSchema` gave, each in a few words. */
export function sayFields(contract: object): readonly string[] {
  return said.get(contract) ?? [];
}

/**
 * A contract is then what it comes to for who cannot call the others: what they would fill in has to be sent. A part that names none of them stays the same object, because every key with tools of its own has its own set of hidden ones.
 */
function withoutNames(schema: JsonSchema, hidden: ReadonlySet<string>): JsonSchema {
  const described = hideInDescriptions(schema, hidden) as JsonSchema;
  const { depends_on = [], verify_with, ...own } = schema["x-orchestration"] as Tool["orchestration"];
  const shown = depends_on.filter(({ tool }) => !hidden.has(tool));
  const isVerifiedUnseen = verify_with !== undefined && hidden.has(verify_with.tool);
  if (shown.length === depends_on.length && !isVerifiedUnseen) return described;
  const contract = {
    ...own,
    ...(shown.length > 0 && { depends_on: shown }),
    ...(verify_with !== undefined && !isVerifiedUnseen && { verify_with }),
  };
  return { ...described, "x-orchestration": contract };
}

function hideInDescriptions(value: unknown, hidden: ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown, unknown] => [
    key,
    inner,
    key === "description" && typeof inner === "string"
      ? hideNames(inner, hidden)
      : hideInDescriptions(inner, hidden),
  ]);
  if (entries.every(([, before, after]) => before === after)) return value;
  if (Array.isArray(value)) return entries.map(([, , after]) => after);
  return Object.fromEntries(entries.map(([key, , after]) => [key, after]));
}

const patterns = new WeakMap<ReadonlySet<string>, RegExp>();

/**
 * Say what an author wrote without the names of tools that are hidden from who reads it. A name that is one plain word is
 * taken for the word, unless it stands in quotes.
 */
export function hideNames(text: string, hidden: ReadonlySet<string>): string {
  if (hidden.size === 0) return text;
  const pattern = getOrMake(patterns, hidden, () => toPattern([...hidden]));
  return text.replaceAll(pattern, "another tool");
}

function toPattern(names: readonly string[]): RegExp {
  const telling = names.filter((name) => /[_-]|[a-z][A-Z]|\d/.test(name));
  const bare = telling.length === 0 ? [] : [`(?<![\\w-])(?:${telling.join("|")})(?![\\w-])`];
  return new RegExp([`(['"\`])(?:${names.join("|")})\\1`, ...bare].join("|"), "g");
}

/**
 * Write what a tool declares to do, so that equal declarations are equal text. A person's yes is to a tool as it was
 * declared: its arguments, its contract, what it does and where it sends things.
 */
export function toDeclarationText(tool: Tool): string {
  const { name, isWrite, execution, actions, hosts, bindings } = tool;
  const reaches = bindings.length === 0 ? { hosts } : { hosts, bindings };
  // As it was written: a yes outlives the way in which defaults are shown.
  const schema = { ...inputSchema(tool), "x-orchestration": tool.orchestration };
  return canonicalJson({ name, isWrite, execution, actions, ...reaches, schema });
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
      // JSON has integers of any length; all else that JSON Schema does not know is its author's to write otherwise.
      unrepresentable: ({ zodSchema }) =>
        (zodSchema as z.core.$ZodType)._zod.def.type === "bigint" ? { type: "integer" } : "throw",
      override: ({ jsonSchema }) => {
        // OpenAI refuses an array without a schema of its items; how many a tuple has is said by its bounds.
        if (jsonSchema.type === "array" && typeof jsonSchema.items !== "object") jsonSchema.items = {};
        // Every name is a string; some clients warn of the keyword.
        if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}') delete jsonSchema.propertyNames;
      },
    });
  } catch (cause) {
    // The first line says the problem and its place; the others recommend options that cannot be set here.
    const [problem] = (cause as Error).message.split("\n");
    throw new Error(`Cannot write the schema of '${name}': ${problem}`, { cause });
  }
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

/**
 * Say a tool's contract with the defaults for the fields that its author left out, so that a model reads the rules that the
 * engine obeys. A person approves the declaration, which this is not.
 */
export function effectiveContract({ orchestration, onError, confirm }: Tool): Orchestration {
  return {
    ...orchestration,
    on_error: onError,
    confirm: orchestration.confirm ?? (confirm ? "always" : "never"),
  };
}
