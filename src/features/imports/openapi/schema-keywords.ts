import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";

/** Tells whether a keyword's value can be kept. */
type Rule = (value: unknown) => boolean;

const isNumber: Rule = (value) => typeof value === "number" && Number.isFinite(value);
const isCount: Rule = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isTrue: Rule = (value) => value === true;

/**
 * The keywords that are kept as they are, each where its value is what JSON Schema 2020-12 asks for: documents hold many that are
 * not, and one of them would cost the whole tool. A limit that is left out here is still checked by the server that is called.
 */
export const PLAIN_KEYWORDS: Readonly<Record<string, Rule>> = {
  format: (value) => typeof value === "string" && value.length <= 64,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  maximum: isNumber,
  minimum: isNumber,
  exclusiveMaximum: isNumber,
  exclusiveMinimum: isNumber,
  maxLength: isCount,
  minLength: isCount,
  maxItems: isCount,
  minItems: isCount,
  uniqueItems: isTrue,
  maxProperties: isCount,
  minProperties: isCount,
  deprecated: isTrue,
};

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** The types that a schema names, those of OpenAPI 3.0 and 3.1 alike; undefined if it names none there is. */
export function typesOf({ type, nullable }: JsonObject): string[] | undefined {
  const named = (Array.isArray(type) ? type : [type]).map((name) => (name === "file" ? "string" : name));
  const known = [...new Set(named.filter((name): name is string => TYPES.has(name as string)))];
  if (known.length === 0) return undefined;
  return nullable === true && !known.includes("null") ? [...known, "null"] : known;
}

/** The type that a schema has without naming one: whatever has fields is an object. */
export function impliedTypes(schema: JsonObject): string[] | undefined {
  const isObject = isJsonObject(schema["properties"]) && !("anyOf" in schema) && !("oneOf" in schema);
  return isObject ? ["object"] : undefined;
}

/** The rest of a schema that is too deep: its type. */
export function shallow(types: readonly string[] | undefined): JsonObject {
  if (types === undefined) return {};
  return { type: writeTypes(types), ...(types.includes("array") && { items: {} }) };
}

/** The types as a schema writes them: one by its name, several as a list. */
export function writeTypes(types: readonly string[]): string | readonly string[] {
  return types.length === 1 ? types[0]! : types;
}

/** `exclusiveMinimum: true` of OpenAPI 3.0 makes the bound beside it exclusive; since 3.1 the keyword is the bound itself. */
export function withExclusiveBounds(schema: JsonObject): JsonObject {
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum } = schema;
  if (typeof exclusiveMinimum !== "boolean" && typeof exclusiveMaximum !== "boolean") return schema;
  return {
    ...schema,
    ...(exclusiveMinimum === true && { exclusiveMinimum: minimum, minimum: undefined }),
    ...(exclusiveMaximum === true && { exclusiveMaximum: maximum, maximum: undefined }),
  };
}

/** Let null be a value of a schema that was written for `nullable: true`. */
export function withNull(schema: JsonObject): JsonObject {
  const { type, enum: values, const: only, ...rest } = schema;
  if ("const" in schema) return { ...rest, enum: [only, null] };
  const nullTyped = type === undefined || [type].flat().includes("null");
  if (Array.isArray(values)) {
    const all = values.includes(null) ? values : [...(values as unknown[]), null];
    return nullTyped ? { ...schema, enum: all } : { ...schema, type: [type, "null"].flat(), enum: all };
  }
  if (!nullTyped) return { ...schema, type: [type, "null"].flat() };
  if (type !== undefined || !["$ref", "allOf", "anyOf"].some((keyword) => keyword in schema)) return schema;
  const { description, ...meant } = schema;
  return { ...(description !== undefined && { description }), anyOf: [meant, { type: "null" }] };
}

/** The keywords that describe a value and do not limit it. */
export function annotationsOf({ description, default: standard, deprecated }: JsonObject): JsonObject {
  return { description, default: standard, deprecated };
}

/** Whether a schema says nothing but what its fields are, so that several such are one. */
export function isPlainObject(schema: JsonObject): boolean {
  const { type } = schema;
  return (
    (type === "object" || (type === undefined && isJsonObject(schema["properties"]))) &&
    Object.keys(schema).every((keyword) =>
      ["type", "description", "properties", "required", "deprecated"].includes(keyword),
    )
  );
}

/** One object of the fields of several. A field that two of them have must be what both say. */
export function mergeObjects(schemas: readonly JsonObject[]): JsonObject {
  const fields = new Map<string, unknown>();
  for (const { properties } of schemas)
    for (const [name, schema] of Object.entries((properties ?? {}) as JsonObject)) {
      const other = fields.get(name);
      const isSame = other === undefined || JSON.stringify(other) === JSON.stringify(schema);
      fields.set(name, isSame ? schema : { allOf: [other, schema] });
    }
  const required = new Set(schemas.flatMap((schema) => (schema["required"] ?? []) as string[]));
  const description = schemas.findLast((schema) => schema["description"] !== undefined)?.["description"];
  return {
    type: "object",
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(fields),
    ...(required.size > 0 && { required: [...required] }),
  };
}
