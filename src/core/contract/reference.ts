import { parsePointer, toPointer } from "../kit/json/json-pointer.ts";
import { isJsonObject } from "./json.ts";

/** The name under which the elements of a `for_each` are referred to; no action may have it as its id. */
export const ITEM = "item";

/** A place in another action's data. */
export interface Reference {
  /** An action's id, `item`, or the handle of an earlier batch's result. */
  readonly id: string;
  /** All of it as it was written: the id, "#", and an RFC 6901 pointer into its data. */
  readonly text: string;
  /** The keys of the pointer, without the part of a list at its end. */
  readonly tokens: readonly string[];
  readonly part?: Part;
}

/** A part of a list, as `?from=25&count=25` at the end of a pointer takes it. */
export interface Part {
  readonly from: number;
  readonly count: number;
  /** The keys if the whole pointer names one that only looks like this, which goes first; null where it cannot. */
  readonly literal: readonly string[] | null;
}

/** The meaning of an object in `args`. */
export type Marker =
  | { readonly kind: "ref"; readonly reference: Reference }
  /** Text and references in turn, as they stand in the template. */
  | {
      readonly kind: "template";
      readonly parts: readonly (string | Reference)[];
      /** Where two braces begin that nothing closes; they are text. */
      readonly open?: number;
    }
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "malformed"; readonly flaw: Flaw };

/** The fault of a marker: the value that its key should hold, with an example, and the value it or its braces hold instead. */
export interface Flaw {
  readonly key: "$ref" | "$template";
  readonly expected: string;
  readonly received: unknown;
}

/** The keys that make a marker of an object which has no other. */
export const MARKERS: ReadonlySet<string> = new Set(["$ref", "$template", "$literal"]);

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

/** Whether `readMarker` takes an object for a marker, which costs less to say than to read it. */
export function isMarker(value: object): boolean {
  const keys = Object.keys(value);
  return keys.length === 1 && MARKERS.has(keys[0]!);
}

/**
 * Whether a marker stands anywhere in a value: then it is not what it looks like. Templates without references and
 * literals count too, they have to be resolved although they refer to nothing.
 */
export function hasMarker(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isMarker(value) || Object.values(value).some((inner) => hasMarker(inner));
}

/** Read `id#pointer`; null when it is not shaped like that. */
export function parseReference(text: string): Reference | null {
  const match = REFERENCE.exec(text);
  if (match === null) return null;
  const [, id = "", pointer = ""] = match;
  const literal = parsePointer(pointer);
  const part = PART.exec(pointer);
  if (part === null) return literal === null ? null : { id, text, tokens: literal };
  const tokens = parsePointer(pointer.slice(0, part.index));
  if (tokens === null) return null;
  const [, from = part[4], count = part[3]] = part;
  const taken = { from: Number(from ?? 0), count: Number(count ?? Number.POSITIVE_INFINITY), literal };
  return { id, text, tokens, part: taken };
}

/** Anchored at the end, and each number is bounded, so looking for it takes no time to speak of. Node 22 takes no name of a group twice. */
const PART = /\?(?:from=(\d{1,9})(?:&count=(\d{1,9}))?|count=(\d{1,9})(?:&from=(\d{1,9}))?)$/;

function readReference(inner: unknown): Marker {
  const reference = typeof inner === "string" ? parseReference(inner) : null;
  return reference === null ? malformed("$ref", toReferenceForm(inner), inner) : { kind: "ref", reference };
}

function readTemplate(inner: unknown): Marker {
  if (typeof inner !== "string") {
    const expected = 'text with references in double braces, e.g. "Book {{shops#/places/0/name}}"';
    return malformed("$template", expected, inner);
  }
  const parts: (string | Reference)[] = [];
  let text = "";
  let end = 0;
  let unclosed: number | undefined;
  // A regular expression would look for an end from every brace anew: ten seconds for a hostile body.
  for (let open = inner.indexOf("{{"); open !== -1; open = inner.indexOf("{{", end)) {
    text += inner.slice(end, open);
    if (inner.startsWith(ESCAPED, open)) {
      text += "{{";
      end = open + ESCAPED.length;
      continue;
    }
    const close = unclosed === undefined ? inner.indexOf("}}", open) : -1;
    if (close === -1) {
      unclosed ??= open;
      text += "{{";
      end = open + 2;
      continue;
    }
    const braced = inner.slice(open + 2, close).trim();
    const reference = parseReference(braced);
    if (reference === null) return malformed("$template", toBracedForm(braced), braced);
    parts.push(text, reference);
    text = "";
    end = close + 2;
  }
  parts.push(text + inner.slice(end));
  return {
    kind: "template",
    parts: parts.filter((part) => part !== ""),
    ...(unclosed !== undefined && { open: unclosed }),
  };
}

/** Two braces that are text. */
const ESCAPED = "{{{{";

function toBracedForm(braced: string): string {
  return `text whose double braces hold ${toReferenceForm(braced)}; "${ESCAPED}" writes two braces`;
}

function malformed(key: Flaw["key"], expected: string, received: unknown): Marker {
  return { kind: "malformed", flaw: { key, expected, received } };
}

function toReferenceForm(written: unknown): string {
  const [, , pointer = ""] = (typeof written === "string" && REFERENCE.exec(written)) || [];
  const meant = typeof written === "string" ? guessReference(written) : null;
  // An id alone may be anything, and the form says already how the whole is written.
  const isOther = meant !== null && meant !== written && !meant.endsWith("#");
  const here = isOther ? `; here perhaps ${JSON.stringify(meant)}` : "";
  return `an action's id, "#" and ${toPointerForm(pointer)}, e.g. "shops#/places/0/id" or "shops#" for the whole${here}`;
}

/** A path as other languages write it: `.places[0]["name"]`, or with slashes. */
const STEPS = /^(?:[./][^.[\]/{}<>"'`\s#$,;]+|\[\d{1,9}\]|\["[^"\]]{1,64}"\]|\['[^'\]]{1,64}'\])*$/;
const STEP = /[./]([^.[\]/]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/g;

/**
 * The reference that somebody may have meant who wrote `shops.places[0].name`, `$shops.id`, `shops/id` or `shops#id`. A valid
 * reference stays as it is; null when the text has no such form.
 */
export function guessReference(written: string): string | null {
  const [, id, hash = "", rest = ""] = /^(?:\$\.?)?([A-Za-z0-9_-]{1,64})(#?)(.*)$/s.exec(written) ?? [];
  if (id === undefined || rest.length > 200) return null;
  if (parseReference(written) !== null) return written;
  if (hash !== "" && rest.startsWith("/")) return parsePointer(rest) === null ? null : `${id}#${rest}`;
  const path = hash !== "" && /^[^.[]/.test(rest) ? `.${rest}` : rest;
  if (!STEPS.test(path)) return null;
  const keys = [...path.matchAll(STEP)].map(
    ([, key, index, quoted, single]) => key ?? index ?? quoted ?? single ?? "",
  );
  return `${id}#${toPointer(keys)}`;
}

/** Say what a pointer is, and the rule that this one breaks where it breaks one. */
export function toPointerForm(pointer: string): string {
  if (parsePointer(pointer) !== null) return "a JSON Pointer";
  return pointer.startsWith("/")
    ? 'a JSON Pointer, in which a key\'s "~" is written "~0" and its "/" is written "~1"'
    : 'a JSON Pointer, which begins with "/"';
}

const HANDLE = /^r-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether an id is shaped like the handle of an earlier batch's result. */
export function isHandle(id: string): boolean {
  return HANDLE.test(id);
}

/** Make the test for ids that an action may name: another's of those that are known, a handle, and the element where it is a loop. */
export function sourcesOf(
  { id }: { readonly id: string },
  { loops, known }: { readonly loops: boolean; readonly known: { has(id: string): boolean } },
): { readonly isSource: (other: string) => boolean } {
  return {
    isSource: (other) => (other === ITEM ? loops : other !== id && (known.has(other) || isHandle(other))),
  };
}
