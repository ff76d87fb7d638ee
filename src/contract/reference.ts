import { parsePointer } from "../kit/json-pointer.ts";
import { isJsonObject } from "./json.ts";

/** The name under which the elements of a `for_each` are referred to; no action may have it as its id. */
export const ITEM = "item";

/** A place in another action's data. */
export interface Reference {
  /** An action's id, `item`, or the handle of an earlier batch's result. */
  readonly id: string;
  /** RFC 6901 pointer into its data, as it was written. */
  readonly pointer: string;
  readonly tokens: readonly string[];
}

/** What an object in `args` stands for. */
export type Marker =
  | { readonly kind: "ref"; readonly reference: Reference }
  /** Text and references in turn, as they stand in the template. */
  | { readonly kind: "template"; readonly parts: readonly (string | Reference)[] }
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "malformed"; readonly expected: string };

const REFERENCE = /^([A-Za-z0-9_-]{1,64})#(.*)$/s;

/**
 * Read a value as a marker: an object whose only key is `$ref`, `$template` or `$literal`. Null when it is a plain
 * value, which is also what an object with further keys beside these is.
 */
export function readMarker(value: unknown): Marker | null {
  if (!isJsonObject(value)) return null;
  const keys = Object.keys(value);
  if (keys.length !== 1) return null;
  const inner = value[keys[0]!];
  switch (keys[0]) {
    case "$ref":
      return readReference(inner);
    case "$template":
      return readTemplate(inner);
    case "$literal":
      return { kind: "literal", value: inner };
    default:
      return null;
  }
}

/** Read `id#pointer`; null when it is not shaped like that. */
export function parseReference(text: string): Reference | null {
  const match = REFERENCE.exec(text);
  if (match === null) return null;
  const [, id = "", pointer = ""] = match;
  const tokens = parsePointer(pointer);
  return tokens === null ? null : { id, pointer, tokens };
}

function readReference(inner: unknown): Marker {
  const reference = typeof inner === "string" ? parseReference(inner) : null;
  if (reference === null)
    return {
      kind: "malformed",
      expected: 'an action\'s id, "#" and a JSON Pointer, e.g. "shops#/places/0/id"',
    };
  return { kind: "ref", reference };
}

function readTemplate(inner: unknown): Marker {
  const expected = 'text with references in double braces, e.g. "Book {{shops#/places/0/name}}"';
  if (typeof inner !== "string") return { kind: "malformed", expected };
  const parts: (string | Reference)[] = [];
  let end = 0;
  // A regular expression would look for an end from every brace anew: ten seconds for a hostile body.
  for (let open = inner.indexOf("{{"); open !== -1; open = inner.indexOf("{{", end)) {
    const close = inner.indexOf("}}", open);
    if (close === -1) break;
    const reference = parseReference(inner.slice(open + 2, close).trim());
    if (reference === null) return { kind: "malformed", expected };
    parts.push(inner.slice(end, open), reference);
    end = close + 2;
  }
  parts.push(inner.slice(end));
  return { kind: "template", parts: parts.filter((part) => part !== "") };
}

const HANDLE = /^r-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether an id is shaped like the handle of an earlier batch's result. */
export function isHandle(id: string): boolean {
  return HANDLE.test(id);
}
