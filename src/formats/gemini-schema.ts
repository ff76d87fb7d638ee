import type { JsonSchema } from "../catalog/tool-schema.ts";
import { isJsonObject } from "../contract/json.ts";

type Definitions = Readonly<Record<string, unknown>>;

/** The forms a value may have, each of one type, and whether it may be null besides; it may be nothing else. */
interface Forms {
  readonly forms: readonly JsonSchema[];
  readonly nullable: boolean;
}

/** A value of any kind: a type is required, and so is what an array holds. */
const ANY: readonly JsonSchema[] = ["string", "number", "boolean", "object", "array"].map((type) => ({
  type,
}));

/** What an array of anything holds: one level deep is enough to be told. */
const ANY_ITEM: JsonSchema = { anyOf: ANY.filter(({ type }) => type !== "array") };

/** What a property may be called. */
const PROPERTY_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Keywords that are taken over as they are, by type; beside another type they are refused. */
const KEPT: ReadonlyMap<string, readonly string[]> = new Map([
  ["string", ["minLength", "maxLength"]],
  ["integer", ["minimum", "maximum"]],
  ["number", ["minimum", "maximum"]],
  ["array", ["minItems", "maxItems"]],
  ["object", ["minProperties", "maxProperties"]],
]);

/** Formats that are accepted, by type; any other is refused, not ignored. */
const FORMATS: ReadonlyMap<string, readonly string[]> = new Map([
  ["string", ["date-time", "enum"]],
  ["integer", ["int32", "int64"]],
  ["number", ["float", "double"]],
]);

/**
 * Translate a JSON Schema into the subset of OpenAPI 3.0 that Gemini's `parameters` takes. What the subset cannot say is
 * told in words or left out: the model is told less, and what it sends is checked against the whole schema all the same.
 *
 * Definitions are put where they are referred to, constants become enumerations, unions with null become `nullable`.
 * `anyOf` stands alone: beside any other field, a description included, Vertex AI refuses the whole request.
 *
 * Source: https://ai.google.dev/api/caching#Schema
 */
export function toGeminiSchema(schema: JsonSchema): JsonSchema {
  return convert(schema, isJsonObject(schema["$defs"]) ? schema["$defs"] : {});
}

function convert(value: unknown, definitions: Definitions): JsonSchema {
  const { forms, nullable } = formsOf(value, definitions);
  const [first, ...others] = (forms.length === 0 ? ANY : forms).map((form) => convertForm(form, definitions));
  const either = { ...first, ...(nullable && { nullable }) };
  return others.length === 0 ? either : { anyOf: [either, ...others] };
}

/** What is said of the whole is said of its first form. */
function formsOf(value: unknown, definitions: Definitions): Forms {
  if (!isJsonObject(value)) return { forms: ANY, nullable: false };
  const { $ref, ...beside } = value;
  if (typeof $ref === "string") {
    const definition = definitions[$ref.split("/").at(-1)!] as JsonSchema;
    return formsOf({ ...definition, ...beside }, definitions);
  }
  const { description, ...schema } = mergeAll(value);
  const { forms, nullable } = splitForms(schema, definitions);
  const [first, ...others] = forms;
  if (first === undefined || typeof description !== "string") return { forms, nullable };
  const said = [description, first["description"]].filter((text) => typeof text === "string");
  return { forms: [{ ...first, description: said.join("\n") }, ...others], nullable };
}

function splitForms(schema: JsonSchema, definitions: Definitions): Forms {
  const union = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(union)) {
    const parts = (union as unknown[]).map((option) => formsOf(option, definitions));
    return { forms: parts.flatMap(({ forms }) => forms), nullable: parts.some(({ nullable }) => nullable) };
  }
  const types = typesOf(schema);
  if (types.length === 0) return { forms: ANY, nullable: false };
  const named = types.filter((type) => type !== "null");
  return { forms: named.map((type) => ({ ...schema, type })), nullable: named.length < types.length };
}

/** The types of a schema without a union; none means any. */
function typesOf(schema: JsonSchema): readonly string[] {
  const { type } = schema;
  if (type !== undefined) return [type].flat() as string[];
  const values = valuesOf(schema);
  if (values !== undefined)
    return [...new Set(values.map((value) => (value === null ? "null" : typeof value)))];
  return isJsonObject(schema["properties"]) ? ["object"] : [];
}

function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? (schema["enum"] as unknown[]) : undefined;
}

/** `allOf` is not in the subset; its parts are one schema with all of their properties. */
function mergeAll(schema: JsonSchema): JsonSchema {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  return (allOf as unknown[]).filter(isJsonObject).reduce(
    (merged, part) => ({
      ...merged,
      ...part,
      properties: { ...(merged["properties"] as object), ...(part["properties"] as object) },
      required: [
        ...new Set([...((merged["required"] as string[]) ?? []), ...((part["required"] as string[]) ?? [])]),
      ],
    }),
    rest,
  );
}

function convertForm(schema: JsonSchema, definitions: Definitions): JsonSchema {
  const type = schema["type"] as string;
  const { description } = schema;
  return {
    type,
    ...(type === "string" && textOf(schema)),
    ...(type === "array" && { items: itemsOf(schema, definitions) }),
    ...(type === "integer" && boundsOf(schema)),
    ...keep(type, schema),
    ...(description !== undefined && { description }),
    ...(type === "object" && objectOf(schema, definitions)),
  };
}

function keep(type: string, schema: JsonSchema): JsonSchema {
  const kept = (KEPT.get(type) ?? []).filter((key) => key in schema).map((key) => [key, schema[key]]);
  const { format } = schema;
  const known = typeof format === "string" && FORMATS.get(type)?.includes(format) === true;
  return { ...Object.fromEntries(kept), ...(known && { format }) };
}

/** Only text can be enumerated. Groups that look around or have names are not in RE2, and refused. */
function textOf(schema: JsonSchema): JsonSchema {
  const values = valuesOf(schema)?.filter((value) => typeof value === "string");
  const { pattern } = schema;
  return {
    ...(values !== undefined && { enum: values }),
    ...(typeof pattern === "string" && !/\(\?(?!:)/.test(pattern) && { pattern }),
  };
}

/** Exclusive bounds are not in the subset; those of whole numbers can be said inclusively. */
function boundsOf({ exclusiveMinimum, exclusiveMaximum }: JsonSchema): JsonSchema {
  return {
    ...(typeof exclusiveMinimum === "number" && { minimum: exclusiveMinimum + 1 }),
    ...(typeof exclusiveMaximum === "number" && { maximum: exclusiveMaximum - 1 }),
  };
}

function itemsOf({ items, prefixItems }: JsonSchema, definitions: Definitions): JsonSchema {
  if (Array.isArray(prefixItems)) return convert({ anyOf: prefixItems as unknown[] }, definitions);
  return isJsonObject(items) && Object.keys(items).length > 0 ? convert(items, definitions) : ANY_ITEM;
}

/** Properties whose names are not allowed are told in words: an object may have keys that are not named. */
function objectOf({ properties, required, description }: JsonSchema, definitions: Definitions): JsonSchema {
  const all = isJsonObject(properties) ? Object.entries(properties) : [];
  const named = all.filter(([name]) => PROPERTY_NAME.test(name));
  const needed = Array.isArray(required) ? (required as string[]) : [];
  const must = needed.filter((name) => PROPERTY_NAME.test(name));
  const told = all
    .filter(([name]) => !PROPERTY_NAME.test(name))
    .map(([name, inner]) => sayProperty(name, inner, { required: needed.includes(name), definitions }));
  const said = [description, told.length > 0 && `Keys: ${told.join(", ")}.`];
  return {
    ...(named.length > 0 && {
      properties: Object.fromEntries(named.map(([name, inner]) => [name, convert(inner, definitions)])),
      ...(must.length > 0 && { required: must }),
    }),
    ...(told.length > 0 && { description: said.filter((text) => typeof text === "string").join("\n") }),
  };
}

function sayProperty(
  name: string,
  schema: unknown,
  { required, definitions }: { readonly required: boolean; readonly definitions: Definitions },
): string {
  const { forms } = formsOf(schema, definitions);
  const type = forms.length === ANY.length ? "anything" : forms.map((form) => form["type"]).join(" or ");
  return `${name} (${type}${required ? ", required" : ""})`;
}
