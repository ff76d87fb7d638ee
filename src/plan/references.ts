import { type Failure, makeFailure } from "../contract/failure.ts";
import { describe } from "../contract/issues.ts";
import { isJsonObject, type JsonObject } from "../contract/json.ts";
import { type Marker, readMarker, type Reference } from "../contract/reference.ts";
import { follow, toPointer } from "../kit/json-pointer.ts";
import { nearest } from "../kit/nearest.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { visibleText } from "../kit/visible-text.ts";

/** The data a reference's id stands for; undefined when there is none. */
export type DataOf = (id: string) => { readonly data: unknown } | undefined;

/** Collect every reference in a value, or say where one is malformed. Literals are not looked into. */
export function findReferences(value: unknown, path: readonly PropertyKey[]): Result<Reference[], Failure> {
  const found: Reference[] = [];
  const failure = visit(value, path, found);
  return failure === null ? ok(found) : err(failure);
}

function visit(value: unknown, path: readonly PropertyKey[], found: Reference[]): Failure | null {
  if (typeof value !== "object" || value === null) return null;
  const marker = readMarker(value);
  if (marker !== null) return collect(marker, path, found);
  for (const key of Object.keys(value)) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof inner !== "object" || inner === null) continue;
    const failure = visit(inner, [...path, key], found);
    if (failure !== null) return failure;
  }
  return null;
}

function collect(marker: Marker, path: readonly PropertyKey[], found: Reference[]): Failure | null {
  switch (marker.kind) {
    case "ref":
      found.push(marker.reference);
      return null;
    case "template":
      for (const part of marker.parts) if (typeof part !== "string") found.push(part);
      return null;
    case "literal":
      return null;
    case "malformed":
      return makeFailure("BAD_REFERENCE", { hint: `${toPointer(path)} must be ${marker.expected}.` });
  }
}

/**
 * Put the values that references stand for in their place. Values are shared, not copied: nothing in the system
 * changes data once it is there.
 */
export function resolveReferences(value: unknown, dataOf: DataOf): Result<unknown, Failure> {
  if (typeof value !== "object" || value === null) return ok(value);
  const marker = readMarker(value);
  if (marker !== null) return resolveMarker(marker, dataOf);
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const inner of value) {
      const resolved = resolveReferences(inner, dataOf);
      if (!resolved.ok) return resolved;
      items.push(resolved.value);
    }
    return ok(items);
  }
  const fields: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value as JsonObject)) {
    const resolved = resolveReferences(inner, dataOf);
    if (!resolved.ok) return resolved;
    fields[key] = resolved.value;
  }
  return ok(fields);
}

function resolveMarker(marker: Marker, dataOf: DataOf): Result<unknown, Failure> {
  switch (marker.kind) {
    case "ref":
      return lookUp(marker.reference, dataOf);
    case "literal":
      return ok(marker.value);
    case "template": {
      let text = "";
      for (const part of marker.parts) {
        const resolved = typeof part === "string" ? ok(part) : lookUp(part, dataOf);
        if (!resolved.ok) return resolved;
        text += typeof resolved.value === "string" ? resolved.value : JSON.stringify(resolved.value);
      }
      return ok(text);
    }
    case "malformed":
      throw new Error("Cannot resolve a malformed reference: findReferences() refuses it before");
  }
}

function lookUp(reference: Reference, dataOf: DataOf): Result<unknown, Failure> {
  const source = dataOf(reference.id);
  if (source === undefined)
    return err(
      makeFailure("BAD_REFERENCE", {
        hint: `'${reference.id}' is not known any more: results are kept for 15 minutes. Run its action again.`,
      }),
    );
  const found = follow(source.data, reference.tokens);
  return found.found ? ok(found.value) : err(nothingThere(reference, found.depth, found.at));
}

/** Say what was there instead, and which keys are close to what was asked for. */
function nothingThere({ id, pointer, tokens }: Reference, depth: number, at: unknown): Failure {
  const where = `${id}#${toPointer(tokens.slice(0, depth))}`;
  const asked = `'${visibleText(`${id}#${pointer}`, 120)}' is not there: ${visibleText(where, 120)} is ${describe(at)}`;
  return makeFailure("BAD_REFERENCE", { hint: `${asked}${alternatives(tokens[depth]!, at)}.` });
}

function alternatives(asked: string, at: unknown): string {
  if (Array.isArray(at)) return at.length === 0 ? "" : `, its elements are 0 to ${at.length - 1}`;
  if (!isJsonObject(at)) return "";
  const keys = Object.keys(at);
  const near = nearest(asked, keys);
  const shown = (near.length > 0 ? near : keys.slice(0, 8)).map((key) => `'${visibleText(key)}'`).join(", ");
  return shown === ""
    ? " without any keys"
    : ` with ${near.length > 0 ? "the similar keys" : "the keys"} ${shown}`;
}
