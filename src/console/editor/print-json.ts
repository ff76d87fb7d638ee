import type { JsonNode } from "./read-json.ts";

const WIDTH = 60;

/**
 * Print what was read as JSON: short values on one line, long ones a part per line. Numbers stand digit for digit as they
 * were written, and what was read from a slip is JSON now.
 */
export function printJson(text: string, node: JsonNode): string {
  return print(text, node, { indent: 0, used: 0 });
}

function print(text: string, node: JsonNode, at: { readonly indent: number; readonly used: number }): string {
  const flat = printFlat(text, node, WIDTH - at.indent - at.used);
  // A batch's actions stand one below the other, however short they are.
  const isList =
    node.kind === "array" && node.elements.length > 1 && node.elements.some(({ kind }) => kind === "object");
  if (flat !== null && !isList && at.indent > 0) return flat;
  const indent = at.indent + 2;
  const pad = " ".repeat(indent);
  const close = `\n${" ".repeat(at.indent)}`;
  if (node.kind === "array" && node.elements.length > 0) {
    const parts = node.elements.map((part) => `${pad}${print(text, part, { indent, used: 0 })}`);
    return `[\n${parts.join(",\n")}${close}]`;
  }
  if (node.kind === "object" && node.entries.length > 0) {
    const parts = node.entries.map(({ key, value }) => {
      const name = `${JSON.stringify(key.value)}: `;
      return `${pad}${name}${print(text, value, { indent, used: name.length })}`;
    });
    return `{\n${parts.join(",\n")}${close}}`;
  }
  return flat ?? printScalar(text, node);
}

/** On one line, or null where that is longer than what is left of it. */
function printFlat(text: string, node: JsonNode, left: number): string | null {
  if (node.kind !== "object" && node.kind !== "array") return printScalar(text, node);
  if (left < 0) return null;
  let line = "";
  const parts = node.kind === "object" ? node.entries : node.elements;
  if (parts.length === 0) return node.kind === "object" ? "{}" : "[]";
  for (const part of parts) {
    const name = "key" in part ? `${JSON.stringify(part.key.value)}: ` : "";
    const value = printFlat(text, "key" in part ? part.value : part, left - line.length - name.length);
    if (value === null) return null;
    line += `${line === "" ? "" : ", "}${name}${value}`;
    if (line.length + 4 > left) return null;
  }
  return node.kind === "object" ? `{ ${line} }` : `[${line}]`;
}

function printScalar(text: string, node: JsonNode): string {
  switch (node.kind) {
    case "string":
      return JSON.stringify(node.value);
    case "number": {
      const written = text.slice(node.start, node.end);
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(written) ? written : String(node.value);
    }
    case "literal":
      return String(node.value);
    default:
      return "null";
  }
}

/**
 * Set fields of the outermost object in its text. The rest of the text keeps its digits, its order and its spaces.
 *
 * @returns the text as it is where it is no object
 */
export function setFields(
  text: string,
  root: JsonNode | null,
  fields: Readonly<Record<string, unknown>>,
): string {
  if (root?.kind !== "object") return text;
  const inside = new Map(root.entries.map(({ key, value }) => [key.value, value]));
  const changes = Object.entries(fields).flatMap(([name, value]) => {
    const written = JSON.stringify(value);
    const node = inside.get(name);
    if (node !== undefined) return [{ start: node.start, end: node.end, written }];
    const comma = root.entries.length > 0 ? "," : "";
    return [
      { start: root.start + 1, end: root.start + 1, written: `${JSON.stringify(name)}:${written}${comma}` },
    ];
  });
  return changes
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, { start, end, written }) => done.slice(0, start) + written + done.slice(end), text);
}
