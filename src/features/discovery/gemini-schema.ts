import { isJsonObject, type JsonObject } from "../../feature/schema.ts";

type Definitions = Readonly<Record<string, unknown>>;

/** The forms a value may have, each of one type, and whether it may be null besides; it may be nothing else. */
interface Forms {
  readonly forms: readonly JsonObject[];
  readonly nullable: boolean;
}

/** The property of an object with free keys: it stands for all of them, because an object without any is refused. */
const FREE_KEYS: JsonObject = { any: { type: "string" } };

/** The forms of a value of any kind: a type is required, and so are the items of an array. */
const ANY: readonly JsonObject[] = [
  { type: "string" },
  { type: "number" },
  { type: "boolean" },
  { type: "object", properties: FREE_KEYS },
  { type: "array", items: { type: "string" } },
];

/** An item of any kind is told without arrays, which would go on for ever. */
const ANY_ITEM: JsonObject = { anyOf: ANY.slice(0, -1) };

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
 * Translate a JSON Schema into the subset of OpenAPI 3.0 that Gemini's `parameters` takes. Keywords that the subset lacks are
 * left out: the model is told less, and its arguments are checked against the whole schema all the same.
 *
 * Definitions are put where they are referred to, constants become enumerations, unions with null become `nullable`.
 * `anyOf` stands alone, so what is asked beside it is asked in each of its forms, and every object has properties: a
 * request with anything else is refused whole.
 *
 * Source: https://ai.google.dev/api/caching#Schema
 */
export function toGeminiSchema(schema: JsonObject): JsonObject {
  return convert(schema, isJsonObject(schema["$defs"]) ? schema["$defs"] : {});
}

function convert(value: unknown, definitions: Definitions): JsonObject {
  const { forms, nullable } = formsOf(value, definitions);
  const [first, ...others] = (forms.length === 0 ? ANY : forms).map((form) => convertForm(form, definitions));
  const either = { ...first, ...(nullable && { nullable }) };
  return others.length === 0 ? either : { anyOf: [either, ...others] };
}

/** The description of the whole goes to its first form. */
function formsOf(value: unknown, definitions: Definitions): Forms {
  if (!isJsonObject(value)) return { forms: ANY, nullable: false };
  const { $ref, ...beside } = value;
  if (typeof $ref === "string") {
    const definition = definitions[$ref.split("/").at(-1)!] as JsonObject;
    return formsOf(merge(definition, beside), definitions);
  }
  const { description, ...schema } = mergeAll(value);
  const { forms, nullable } = splitForms(schema, definitions);
  const [first, ...others] = forms;
  if (first === undefined || typeof description !== "string") return { forms, nullable };
  const said = [description, first["description"]].filter((text) => typeof text === "string");
  return { forms: [{ ...first, description: said.join("\n") }, ...others], nullable };
}

function splitForms(schema: JsonObject, definitions: Definitions): Forms {
  const { anyOf, oneOf, ...beside } = schema;
  const union = anyOf ?? oneOf;
  if (Array.isArray(union)) {
    const parts = (union as unknown[]).map((option, at) =>
      formsOf(
        isJsonObject(option) ? merge(at === 0 ? beside : withTypesOnly(beside), option) : option,
        definitions,
      ),
    );
    return { forms: parts.flatMap(({ forms }) => forms), nullable: parts.some(({ nullable }) => nullable) };
  }
  const types = typesOf(schema);
  if (types.length === 0) return { forms: ANY, nullable: false };
  const named = types.filter((type) => type !== "null");
  return { forms: named.map((type) => ({ ...schema, type })), nullable: named.length < types.length };
}

/** The types of a schema without a union; none means any. */
function typesOf(schema: JsonObject): readonly string[] {
  const { type } = schema;
  if (type !== undefined) return [type].flat() as string[];
  const values = valuesOf(schema);
  if (values !== undefined)
    return [...new Set(values.map((value) => (value === null ? "null" : typeof value)))];
  return isJsonObject(schema["properties"]) ? ["object"] : [];
}

function valuesOf(schema: JsonObject): readonly unknown[] | undefined {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? (schema["enum"] as unknown[]) : undefined;
}

/** `allOf` is not in the subset; its parts are one schema. */
function mergeAll(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  return Array.isArray(allOf)
    ? (allOf as unknown[]).filter(isJsonObject).reduce<JsonObject>(merge, rest)
    : schema;
}

/** One schema that asks for both, as far as they speak of different properties; of the same, the second decides. */
function merge(one: JsonObject, other: JsonObject): JsonObject {
  const { properties, required } = one;
  return {
    ...one,
    ...other,
    ...(isJsonObject(properties) && { properties: { ...properties, ...(other["properties"] as object) } }),
    ...(Array.isArray(required) && {
      required: [...new Set([...required, ...((other["required"] as string[]) ?? [])])],
    }),
  };
}

/** Keywords that say which types a value has, and nothing more of it. */
const STRUCTURE = "type enum const properties required items anyOf oneOf allOf $ref".split(" ");

/** Properties that several forms share are told in full in the first, and by their types in the others. */
function withTypesOnly(schema: JsonObject): JsonObject {
  const { properties, ...rest } = schema;
  if (!isJsonObject(properties)) return schema;
  const typed = Object.entries(properties).map(([name, inner]) => [
    name,
    Object.fromEntries(Object.entries(inner as JsonObject).filter(([key]) => STRUCTURE.includes(key))),
  ]);
  return { ...rest, properties: Object.fromEntries(typed) };
}

function convertForm(schema: JsonObject, definitions: Definitions): JsonObject {
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

function keep(type: string, schema: JsonObject): JsonObject {
  const kept = (KEPT.get(type) ?? []).filter((key) => key in schema).map((key) => [key, schema[key]]);
  const { format } = schema;
  const known = typeof format === "string" && FORMATS.get(type)?.includes(format) === true;
  return { ...Object.fromEntries(kept), ...(known && { format }) };
}

/** Only text that is not empty can be enumerated. Groups that look around or have names are not in RE2, and refused. */
function textOf(schema: JsonObject): JsonObject {
  const values = valuesOf(schema)?.filter((value) => typeof value === "string" && value !== "") ?? [];
  const { pattern } = schema;
  return {
    ...(values.length > 0 && { enum: values }),
    ...(typeof pattern === "string" && !/\(\?(?!:)/.test(pattern) && { pattern }),
  };
}

/** Exclusive bounds are not in the subset; those of whole numbers can be said inclusively. */
function boundsOf({ exclusiveMinimum, exclusiveMaximum }: JsonObject): JsonObject {
  return {
    ...(typeof exclusiveMinimum === "number" && { minimum: exclusiveMinimum + 1 }),
    ...(typeof exclusiveMaximum === "number" && { maximum: exclusiveMaximum - 1 }),
  };
}

function itemsOf({ items, prefixItems }: JsonObject, definitions: Definitions): JsonObject {
  if (Array.isArray(prefixItems)) return convert({ anyOf: prefixItems as unknown[] }, definitions);
  return isJsonObject(items) && Object.keys(items).length > 0 ? convert(items, definitions) : ANY_ITEM;
}

/** A value that can only be an empty object is not offered. */
function objectOf({ properties, required }: JsonObject, definitions: Definitions): JsonObject {
  const all = isJsonObject(properties) ? Object.entries(properties) : [];
  const named = all.filter(([, inner]) => !isEmptyObject(inner));
  if (named.length === 0) return { properties: FREE_KEYS };
  const needed = Array.isArray(required) ? (required as string[]) : [];
  const must = needed.filter((name) => named.some(([other]) => other === name));
  return {
    properties: Object.fromEntries(named.map(([name, inner]) => [name, convert(inner, definitions)])),
    ...(must.length > 0 && { required: must }),
  };
}

/** Whether an object has neither named properties nor free keys. */
function isEmptyObject(schema: unknown): boolean {
  if (!isJsonObject(schema) || schema["type"] !== "object") return false;
  const { properties, additionalProperties } = schema;
  return Object.keys(properties ?? {}).length === 0 && additionalProperties === false;
}
