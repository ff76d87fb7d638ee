import { meantBy } from "../kit/batch-fields.ts";
import type { JsonEntry, JsonNode, ReadJson } from "./read-json.ts";

/** An action of the text, with the places of what it says. */
export interface WrittenAction {
  readonly index: number;
  readonly node: JsonNode;
  readonly id: string;
  readonly tool: string | null;
  readonly entries: readonly JsonEntry[];
}

/** Read the actions of a text that may still be broken. */
export function readActions({ root }: Pick<ReadJson, "root">): readonly WrittenAction[] {
  const list = root === null ? undefined : valueOf(root, "actions");
  if (list?.kind !== "array") return [];
  return list.elements.map((node, index) => {
    const entries = node.kind === "object" ? node.entries : [];
    const id = valueOf(node, "id");
    const tool = fieldOf(entries, "tool")?.value;
    return {
      index,
      node,
      entries,
      id: id?.kind === "string" ? id.value : `a${index}`,
      tool: tool?.kind === "string" && tool.value !== "" ? tool.value : null,
    };
  });
}

/** A field under its own name or, where that is not there, under one that is read in its place. */
export function fieldOf(entries: readonly JsonEntry[], name: string): JsonEntry | undefined {
  return (
    entries.find(({ key }) => key.value === name) ?? entries.find(({ key }) => meantBy(key.value) === name)
  );
}

export function valueOf(node: JsonNode, name: string): JsonNode | undefined {
  return node.kind === "object" ? node.entries.find(({ key }) => key.value === name)?.value : undefined;
}

/** The object or list whose bracket stands at a place. */
export function containerAt(node: JsonNode | null, start: number): JsonNode | null {
  let at = node;
  while (at !== null && at.start !== start) {
    const parts: readonly JsonNode[] =
      at.kind === "object" ? at.entries.map(({ value }) => value) : at.kind === "array" ? at.elements : [];
    at = parts.find((part) => part.start <= start && start < part.end) ?? null;
  }
  return at;
}
