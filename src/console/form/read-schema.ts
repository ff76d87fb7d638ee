import { parsePointer } from "../../core/kit/json/json-pointer.ts";
import type { JsonSchema } from "../kit/wire.ts";

/** How a value of a schema is asked for. */
export type FieldKind =
  | "text"
  | "long"
  | "number"
  | "boolean"
  | "choice"
  | "date"
  | "datetime"
  | "list"
  | "object"
  | "either"
  | "json";

/** JSON Schema with the keywords that only a form and a table read. */
export interface FieldSchema extends JsonSchema {
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly allOf?: readonly JsonSchema[];
}

/** Deeper than this a schema is asked for as JSON: it may contain itself. */
export const MOST_DEPTH = 6;
/** A text of more characters gets room for several lines. */
const LONG_TEXT = 300;

/** Follow `$ref` inside the document; what leads nowhere, or around, is any JSON. */
export function resolveSchema(schema: JsonSchema, root: JsonSchema): FieldSchema {
  let at: JsonSchema = schema;
  for (let hops = 0; hops < 10; hops += 1) {
    if (at.$ref === undefined) return at;
    const target = at.$ref.startsWith("#") ? readPointer(root, at.$ref.slice(1)) : undefined;
    if (typeof target !== "object" || target === null) return {};
    const { $ref: _followed, ...beside } = at;
    at = { ...(target as JsonSchema), ...beside };
  }
  return {};
}

function readPointer(root: unknown, pointer: string): unknown {
  return parsePointer(pointer)?.reduce<unknown>(
    (at, part) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, part)
        ? (at as Readonly<Record<string, unknown>>)[part]
        : undefined,
    root,
  );
}

/** Choose how a value is asked for; what no field fits is asked for as JSON. */
export function kindOf(schema: FieldSchema, depth: number): FieldKind {
  if (schema.const !== undefined || schema.enum !== undefined) return "choice";
  if (variantsOf(schema).length > 0) return depth < MOST_DEPTH ? "either" : "json";
  switch (schema.type) {
    case "string":
      if (schema.format === "date") return "date";
      if (schema.format === "date-time") return "datetime";
      return (schema.maxLength ?? 0) > LONG_TEXT ? "long" : "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return schema.items !== undefined && depth < MOST_DEPTH ? "list" : "json";
    case "object":
      return schema.properties !== undefined && depth < MOST_DEPTH ? "object" : "json";
    default:
      return "json";
  }
}

/** The alternatives that a value may be: `anyOf`, `oneOf`, or a list of types. */
export function variantsOf({ anyOf, oneOf, type, ...rest }: FieldSchema): readonly FieldSchema[] {
  const given = anyOf ?? oneOf;
  if (given !== undefined) return given.length > 1 ? given : [];
  if (typeof type === "object" && type.length > 1) return type.map((one) => ({ ...rest, type: one }));
  return [];
}

/** Name one variant: its title, or what it is. */
export function sayVariant(schema: FieldSchema, root: JsonSchema): string {
  const resolved = resolveSchema(schema, root);
  return resolved.title ?? sayType(resolved, root);
}

/** Say a schema's type in words. */
export function sayType(schema: FieldSchema, root: JsonSchema, depth = 0): string {
  const resolved = resolveSchema(schema, root);
  const { type, enum: values, const: only, items, format } = resolved;
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return `one of ${values.length}`;
  const variants = variantsOf(resolved);
  if (variants.length > 0)
    return depth > 2 ? "any of several" : variants.map((one) => sayType(one, root, depth + 1)).join(" or ");
  if (type === "array")
    return items === undefined || depth > 2 ? "list" : `list of ${sayType(items, root, depth + 1)}`;
  if (type === "string") return format === undefined ? "text" : `text, ${format}`;
  if (type === "integer") return "whole number";
  if (type === "boolean") return "yes or no";
  return typeof type === "string" ? type : "any JSON";
}

/** Say what a value is, and what it has to obey. */
export function sayAbout(schema: FieldSchema): string {
  const bounds = sayBounds(schema);
  return [schema.description, bounds && `${bounds[0]!.toUpperCase()}${bounds.slice(1)}.`]
    .filter(Boolean)
    .join(" ");
}

/** Say what else a value has to obey, in the order in which somebody trips over it. */
function sayBounds(schema: FieldSchema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: usual, enum: values } = schema;
  const bounds = [
    values !== undefined && values.length <= 12 && values.map((value) => JSON.stringify(value)).join(", "),
    sayRange(minimum, maximum, ""),
    sayRange(minLength, maxLength, " characters"),
    sayRange(minItems, maxItems, " elements"),
    usual !== undefined && `default ${JSON.stringify(usual)}`,
  ];
  return bounds.filter((bound) => typeof bound === "string").join("; ");
}

function sayRange(least: number | undefined, most: number | undefined, of: string): string | false {
  const big = most !== undefined && most >= Number.MAX_SAFE_INTEGER ? undefined : most;
  const small = least !== undefined && least <= Number.MIN_SAFE_INTEGER ? undefined : least;
  if (small !== undefined && big !== undefined) return `${small} to ${big}${of}`;
  if (small !== undefined) return `at least ${small}${of}`;
  return big !== undefined && `at most ${big}${of}`;
}

/** One row of a schema as a table. */
export interface SchemaRow {
  /** As in a JSON Pointer, `*` for each element of a list. */
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly type: string;
  readonly isRequired: boolean;
  readonly about: string;
}

/** A table of more rows is of no use. */
const MOST_ROWS = 200;

/** List the fields of a schema with those inside them, each with what it takes. */
export function listFields(root: JsonSchema): readonly SchemaRow[] {
  const rows: SchemaRow[] = [];
  const walk = (schema: JsonSchema, path: string, depth: number): void => {
    const resolved = resolveSchema(schema, root);
    if (depth > 3) return;
    for (const [name, field] of Object.entries(resolved.properties ?? {})) {
      if (rows.length >= MOST_ROWS) return;
      const one = resolveSchema(field, root);
      rows.push({
        path: `${path}/${name}`,
        name,
        depth,
        type: sayType(field, root),
        isRequired: resolved.required?.includes(name) ?? false,
        about: sayAbout(one),
      });
      walk(one.type === "array" && one.items !== undefined ? one.items : one, `${path}/${name}`, depth + 1);
    }
  };
  walk(root, "", 0);
  return rows;
}
