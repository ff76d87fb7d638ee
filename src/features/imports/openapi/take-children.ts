import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";
import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";

/** The fields of one child, by their names. */
export type Fields = readonly (readonly [string, unknown])[];

interface Children {
  readonly fields: readonly Fields[];
  /** The values that stand for them. */
  readonly values: readonly string[];
}

/**
 * Add the fields of children to those of their parent, none of them required: which go together is for who is called. A field of the
 * parent is as the parent says, and one that several children have may be as any of them says.
 */
export function takeChildren(
  parent: JsonSchema,
  { discriminator }: JsonObject,
  { fields, values }: Children,
): JsonSchema {
  if (fields.length === 0 || ["$ref", "allOf", "anyOf"].some((keyword) => keyword in parent)) return parent;
  const { properties } = parent;
  const own = isJsonObject(properties) ? properties : {};
  const more = new Map<string, Map<string, unknown>>();
  for (const [name, schema] of fields.flat()) {
    if (Object.hasOwn(own, name)) continue;
    const forms = more.get(name) ?? new Map<string, unknown>();
    more.set(name, forms.set(JSON.stringify(schema), schema));
  }
  const taken = Array.from(more, ([name, forms]) => [name, eitherOf([...forms.values()])] as const);
  const kind = isJsonObject(discriminator) ? discriminator["propertyName"] : undefined;
  const all = Object.entries(own).map(
    ([name, schema]) => [name, name === kind ? withValues(schema as JsonSchema, values) : schema] as const,
  );
  return { ...parent, type: "object", properties: Object.fromEntries([...all, ...taken]) };
}

function eitherOf(forms: readonly unknown[]): unknown {
  return forms.length === 1 ? forms[0] : { anyOf: forms };
}

const MOST_VALUES = 30;

/** The field that tells children apart, with their names in words: there may be more than the document knows. */
function withValues(kind: JsonSchema, values: readonly string[]): JsonSchema {
  if (values.length === 0 || "enum" in kind || "const" in kind) return kind;
  const { description } = kind;
  const listed = values.slice(0, MOST_VALUES).map((value) => JSON.stringify(value.slice(0, 64)));
  const said = `One of ${listed.join(", ")}`;
  return { ...kind, description: typeof description === "string" ? `${description} ${said}` : said };
}
