import { follow, isJsonObject, type JsonObject, visibleText } from "../../../feature/schema.ts";
import { parsePointer, toPointer } from "../../../core/kit/json/json-pointer.ts";
import { attemptNow, err, ok, type Result } from "../../../feature/refuse.ts";

/** The target of a reference, after all references that it leads to. */
export interface Target {
  /** Where that is, in one spelling, so that equal places are equal text. */
  readonly pointer: string;
  readonly value: JsonObject;
}

/** References that lead to references: more is a circle, or made to be one. */
const MOST_HOPS = 32;

/**
 * Find what a `$ref` leads to inside the document: a fragment that is an RFC 6901 pointer, percent-encoded as RFC 6901,
 * section 6, says. The error is the reason, as the end of a sentence about the operation.
 */
export function findTarget(root: JsonObject, reference: string): Result<Target, string> {
  let at = reference;
  for (let hop = 0; hop < MOST_HOPS; hop += 1) {
    const found = findPlace(root, at);
    if (!found.ok) return found;
    const { $ref: next } = found.value.value;
    if (typeof next !== "string") return found;
    at = next;
  }
  return err(`its reference ${show(reference)} leads in a circle`);
}

function findPlace(root: JsonObject, reference: string): Result<Target, string> {
  if (!reference.startsWith("#")) return err(`it needs another document, ${show(reference)}`);
  const fragment = attemptNow(() => decodeURIComponent(reference.slice(1)));
  const tokens = fragment.ok ? parsePointer(fragment.value) : null;
  if (tokens === null) return err(`its reference ${show(reference)} is no JSON Pointer`);
  const found = follow(root, tokens);
  if (!found.found || !isJsonObject(found.value))
    return err(`its reference ${show(reference)} leads nowhere in the document`);
  return ok({ pointer: toPointer(tokens), value: found.value });
}

/**
 * The object itself, or what its `$ref` leads to, with whatever stands beside the reference in place of what is there: what a
 * path item, a parameter or a body means.
 */
export function dereference(root: JsonObject, value: unknown): Result<JsonObject, string> {
  if (!isJsonObject(value)) return err("a part of it is not an object");
  const { $ref: reference, ...beside } = value;
  if (typeof reference !== "string") return ok(value);
  const target = findTarget(root, reference);
  if (!target.ok) return target;
  const { value: meant } = target.value;
  if (Object.keys(meant).length > MOST_FIELDS)
    return err(`what its reference ${show(reference)} leads to has more than ${MOST_FIELDS} fields`);
  return ok({ ...meant, ...beside });
}

/** Fields of a path item, a parameter or a body: the specification has thirteen, authors add a few of their own. */
const MOST_FIELDS = 100;

function show(reference: string): string {
  return `'${visibleText(reference, 100)}'`;
}
