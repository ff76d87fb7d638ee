import type { Schema } from "./read-operations.ts";

/** Write the type of the values that fit a schema, all read-only. Bounds and forms of text, which a type cannot say, are left out. */
export function toTypeScript(schema: Schema, indent = ""): string {
  const { $ref, anyOf, oneOf, type, items } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const either = anyOf ?? oneOf;
  if (either !== undefined) return unite(either.map((one) => toTypeScript(one, indent)));
  if (typeof type === "object")
    return unite(type.map((one) => toTypeScript({ ...schema, type: one }, indent)));
  switch (type) {
    case "object":
      return toObject(schema, indent);
    case "array":
      return `readonly ${parenthesize(toTypeScript(items ?? {}, indent))}[]`;
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return type;
    default:
      return "unknown";
  }
}

function toObject({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const optional = required.includes(name) ? "" : "?";
    return `${comment(schema.description, inner)}${inner}readonly ${key}${optional}: ${toTypeScript(schema, inner)};\n`;
  });
  const others =
    typeof additionalProperties === "object" ? toTypeScript(additionalProperties, inner) : "unknown";
  if (fields.length === 0)
    return additionalProperties === false
      ? "Readonly<Record<string, never>>"
      : `Readonly<Record<string, ${others}>>`;
  // Beside named fields others may stand, of any kind: a type of both would have to fit all.
  const more = additionalProperties === false ? "" : `${inner}readonly [more: string]: unknown;\n`;
  return `{\n${fields.join("")}${more}${indent}}`;
}

/** A comment above a line; nothing where there are no words. */
export function comment(words: string | undefined, indent: string): string {
  if (words === undefined) return "";
  const safe = words.replaceAll("*/", "*\\/").split("\n");
  return safe.length === 1
    ? `${indent}/** ${safe[0]} */\n`
    : `${indent}/**\n${safe.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

function unite(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

function parenthesize(type: string): string {
  return type.includes(" | ") || type.startsWith("readonly ") ? `(${type})` : type;
}
