import type { JsonSchema } from "../catalog/tool-schema.ts";
import { isJsonObject } from "../contract/json.ts";

type Definitions = Readonly<Record<string, unknown>>;

/** What stands for a value of any kind: a type is required. */
const ANY: JsonSchema = { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] };

/** Keywords whose values are taken over as they are. */
const KEPT = [
  "description",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
  "minimum",
  "maximum",
] as const;

/** Formats that are accepted, by type; any other is refused, not ignored. */
const FORMATS: ReadonlyMap<string, readonly string[]> = new Map([
  ["string", ["date-time", "enum"]],
  ["integer", ["int32", "int64"]],
  ["number", ["float", "double"]],
]);

/**
 * Translate a JSON Schema into the subset of OpenAPI 3.0 that Gemini's `parameters` takes. What the subset cannot say is
 * left out: the model is told less, and what it sends is checked against the whole schema all the same.
 *
 * Definitions are put where they are referred to, constants become enumerations, unions with null become `nullable`.
 *
 * Source: https://ai.google.dev/api/caching#Schema
 */
export function toGeminiSchema(schema: JsonSchema): JsonSchema {
  const definitions = isJsonObject(schema["$defs"]) ? schema["$defs"] : {};
  return convert(schema, definitions);
}

function convert(value: unknown, definitions: Definitions): JsonSchema {
  if (!isJsonObject(value)) return ANY;
  if (typeof value["$ref"] === "string") {
    const { $ref, ...beside } = value;
    const name = $ref.split("/").at(-1)!;
    return convert({ ...(definitions[name] as JsonSchema), ...beside }, definitions);
  }
  const merged = mergeAll(value);
  const union = merged["anyOf"] ?? merged["oneOf"];
  const converted = Array.isArray(union)
    ? convertUnion(union as unknown[], merged, definitions)
    : convertTyped(merged, definitions);
  return { ...converted, ...keep(merged) };
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

function convertUnion(options: readonly unknown[], schema: JsonSchema, definitions: Definitions): JsonSchema {
  const others = options.filter((option) => !isJsonObject(option) || option["type"] !== "null");
  const nullable = others.length < options.length && { nullable: true };
  const [only] = others;
  if (others.length === 1) return { ...convert(only, definitions), ...nullable };
  // Beside a union of objects stand the properties that all of them have.
  const shared = schema["type"] === undefined ? {} : convertTyped(schema, definitions);
  return { ...shared, anyOf: others.map((option) => convert(option, definitions)), ...nullable };
}

function convertTyped(schema: JsonSchema, definitions: Definitions): JsonSchema {
  const values = "const" in schema ? [schema["const"]] : schema["enum"];
  if (Array.isArray(values) && values.every((value) => typeof value === "string"))
    return { type: "string", enum: values };
  const { type, nullable } = typeOf(schema, values);
  if (type === undefined) return { ...ANY, ...nullable };
  switch (type) {
    case "object":
      return { type, ...objectOf(schema, definitions), ...nullable };
    case "array":
      return { type, items: itemsOf(schema, definitions), ...nullable };
    default:
      return {
        type,
        ...formatOf(type, schema),
        ...patternOf(schema),
        ...boundsOf(type, schema),
        ...nullable,
      };
  }
}

function typeOf(schema: JsonSchema, values: unknown): { type: string | undefined; nullable: object } {
  const { type } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  const [first] = types.filter((one) => one !== "null");
  const nullable = types.includes("null") && { nullable: true };
  if (first !== undefined) return { type: first, nullable: nullable || {} };
  // An enumeration of anything but text keeps the type of its first value only.
  const [value] = Array.isArray(values) ? (values as unknown[]) : [];
  const ofValue = typeof value === "number" || typeof value === "boolean" ? typeof value : undefined;
  return {
    type: ofValue ?? (isJsonObject(schema["properties"]) ? "object" : undefined),
    nullable: nullable || {},
  };
}

function objectOf({ properties, required }: JsonSchema, definitions: Definitions): JsonSchema {
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return {};
  const converted = Object.entries(properties).map(([name, inner]) => [name, convert(inner, definitions)]);
  return {
    properties: Object.fromEntries(converted) as JsonSchema,
    ...(Array.isArray(required) && required.length > 0 && { required: required as unknown[] }),
  };
}

function itemsOf({ items, prefixItems }: JsonSchema, definitions: Definitions): JsonSchema {
  if (!Array.isArray(prefixItems)) return convert(items, definitions);
  return { anyOf: (prefixItems as unknown[]).map((item) => convert(item, definitions)) };
}

function formatOf(type: string, { format }: JsonSchema): JsonSchema {
  return typeof format === "string" && FORMATS.get(type)?.includes(format) === true ? { format } : {};
}

/** Groups that look around or have names are not in RE2, and refused. */
function patternOf({ pattern }: JsonSchema): JsonSchema {
  return typeof pattern === "string" && !/\(\?(?!:)/.test(pattern) ? { pattern } : {};
}

/** Exclusive bounds are not in the subset; those of whole numbers can be said inclusively. */
function boundsOf(type: string, { exclusiveMinimum, exclusiveMaximum }: JsonSchema): JsonSchema {
  if (type !== "integer") return {};
  return {
    ...(typeof exclusiveMinimum === "number" && { minimum: exclusiveMinimum + 1 }),
    ...(typeof exclusiveMaximum === "number" && { maximum: exclusiveMaximum - 1 }),
  };
}

function keep(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(KEPT.filter((key) => key in schema).map((key) => [key, schema[key]]));
}
