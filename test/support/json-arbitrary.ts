import fc from "fast-check";

type Json = Readonly<Record<string, unknown>>;

/** The value in place of a schema found at a path of property names; undefined where the schema itself decides. */
export type Override = (path: readonly string[]) => fc.Arbitrary<unknown> | undefined;

/** Values that a JSON Schema (without references) admits; patterns are not generated, so those need an override. */
export function jsonArbitrary(
  schema: unknown,
  override: Override,
  path: readonly string[] = [],
): fc.Arbitrary<unknown> {
  const instead = override(path);
  if (instead !== undefined) return instead;
  const { type, enum: values, const: only, anyOf, oneOf, ...rest } = (schema ?? {}) as Json;
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]));
  const union = anyOf ?? oneOf;
  if (Array.isArray(union))
    return fc.oneof(...(union as unknown[]).map((one) => jsonArbitrary(one, override, path)));
  const bound = (key: string, fallback: number): number =>
    typeof rest[key] === "number" ? rest[key] : fallback;
  switch (type) {
    case "object":
      return objectArbitrary(rest, override, path);
    case "array":
      return fc.array(jsonArbitrary(rest["items"], override, [...path, "*"]), {
        minLength: bound("minItems", 0),
        maxLength: Math.min(bound("maxItems", 3), bound("minItems", 0) + 3),
      });
    case "string":
      return fc.string({ minLength: bound("minLength", 0), maxLength: Math.min(bound("maxLength", 20), 40) });
    case "integer": {
      const min = Math.max(bound("minimum", 0), -1_000);
      return fc.integer({ min, max: Math.min(bound("maximum", Infinity), Math.max(min, 0) + 100) });
    }
    case "number":
      return fc.double({ min: bound("minimum", 0), max: Math.min(bound("maximum", 10), 10), noNaN: true });
    case "boolean":
      return fc.boolean();
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectArbitrary(schema: Json, override: Override, path: readonly string[]): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema["properties"] ?? {}) as Json);
  if (properties.length === 0)
    return schema["additionalProperties"] === false
      ? fc.constant({})
      : fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
  const model = Object.fromEntries(
    properties.map(([name, inner]) => [name, jsonArbitrary(inner, override, [...path, name])]),
  );
  return fc.record(model, { requiredKeys: (schema["required"] ?? []) as string[] as never[] });
}
