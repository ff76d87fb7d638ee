import type { JsonSchema } from "../../core/catalog/tool-schema.ts";
import { isJsonObject, type JsonObject } from "../../core/contract/json.ts";

/** Stands at the top of no function's schema there: for one such tool OpenAI and Anthropic refuse the whole request. */
const NOT_AT_THE_TOP: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "not", "enum", "const"]);

/**
 * Write a schema as one object, for providers that take no alternatives at its top: an object of all fields that any alternative has,
 * of which those are required that each of them requires. The call is checked against all of the schema, and a
 * refusal names the expected value.
 */
export function fitTop(schema: JsonSchema): JsonSchema {
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
