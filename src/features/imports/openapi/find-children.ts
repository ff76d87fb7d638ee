import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { attemptNow } from "../../../feature/refuse.ts";
import { parsePointer, toPointer } from "../../../core/kit/json/json-pointer.ts";
import { findTarget } from "./document-reference.ts";
import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";

/** Schemas that say of themselves that they are all of another (`allOf`), by the pointer of that other. */
type Heirs = ReadonlyMap<string, readonly string[]>;

const heirsOf = new WeakMap<JsonObject, Heirs>();

/** Children of one parent that are looked at. */
const MOST_CHILDREN = 100;

/** A child of a schema with a `discriminator`, and the value that stands for it. */
interface Child {
  readonly pointer: string;
  readonly value: string;
}

/**
 * Find the children of a schema whose `discriminator` tells them apart (OpenAPI 3.1, 4.8.25): those that its `mapping` names, and those
 * that are all of it and more.
 */
export function findChildren(
  root: JsonObject,
  pointer: string,
  { discriminator }: JsonObject,
): readonly Child[] {
  if (!isJsonObject(discriminator)) return [];
  const { mapping } = discriminator;
  const children = new Map<string, string>();
  for (const [value, named] of Object.entries(isJsonObject(mapping) ? mapping : {})) {
    if (typeof named !== "string" || children.size >= MOST_CHILDREN) continue;
    const place = pointerOf(/^[\w.-]+$/.test(named) ? `#/components/schemas/${named}` : named);
    // A mapping that leads nowhere costs nothing but itself.
    if (place !== null && findTarget(root, `#${encodeURI(place)}`).ok) children.set(place, value);
  }
  const heirs = findHeirs(root);
  const waiting = [pointer];
  for (const parent of waiting)
    for (const heir of heirs.get(parent) ?? []) {
      if (waiting.includes(heir) || waiting.length > MOST_CHILDREN) continue;
      waiting.push(heir);
      if (!children.has(heir)) children.set(heir, heir.slice(heir.lastIndexOf("/") + 1));
    }
  children.delete(pointer);
  return Array.from(children, ([place, value]) => ({ pointer: place, value }));
}

/** Each document is looked through once. */
function findHeirs(root: JsonObject): Heirs {
  const known = heirsOf.get(root);
  if (known !== undefined) return known;
  const heirs = new Map<string, string[]>();
  const { components } = root;
  const schemas =
    isJsonObject(components) && isJsonObject(components["schemas"]) ? components["schemas"] : {};
  for (const [name, schema] of Object.entries(schemas))
    for (const part of isJsonObject(schema) && Array.isArray(schema["allOf"]) ? schema["allOf"] : []) {
      const parent = isJsonObject(part) && typeof part["$ref"] === "string" ? pointerOf(part["$ref"]) : null;
      if (parent === null) continue;
      const heir = toPointer(["components", "schemas", name]);
      const others = heirs.get(parent);
      if (others === undefined) heirs.set(parent, [heir]);
      else others.push(heir);
    }
  heirsOf.set(root, heirs);
  return heirs;
}

/** The pointer of a reference in its one spelling; null where it leads to another document. */
function pointerOf(reference: string): string | null {
  if (!reference.startsWith("#")) return null;
  const fragment = attemptNow(() => decodeURIComponent(reference.slice(1)));
  const tokens = fragment.ok ? parsePointer(fragment.value) : null;
  return tokens === null ? null : toPointer(tokens);
}

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
