import { tooLarge } from "../contract/action.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { describe, toMisfit, visiblePath } from "../contract/issues.ts";
import { isJsonObject, type JsonObject } from "../contract/json.ts";
import { type Flaw, type Marker, readMarker, type Reference } from "../contract/reference.ts";
import { follow, toPointer } from "../kit/json-pointer.ts";
import { leastJsonSize } from "../kit/least-json-size.ts";
import { nearest } from "../kit/nearest.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { quotedText, visibleText } from "../kit/visible-text.ts";

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
      return malformedReference(marker.flaw, path);
  }
}

function malformedReference({ key, expected, received }: Flaw, path: readonly PropertyKey[]): Failure {
  const issue = { path: visiblePath([...path, key]), expected, received: describe(received) };
  return makeFailure("BAD_REFERENCE", toMisfit(issue));
}

export interface ResolveOptions {
  /** What is being resolved, to name it when it becomes too large. */
  readonly what: string;
  /** Bytes of JSON that the values put in may take together; Infinity when they are not copied anywhere. */
  readonly limitBytes: number;
}

/**
 * Put the values that references stand for in their place. Values are shared, not copied: nothing in the system
 * changes data once it is there.
 *
 * What is put in is bounded while it is: a reference takes ten bytes and may stand for a megabyte, and there is room for
 * thousands of them.
 */
export function resolveReferences(
  value: unknown,
  dataOf: DataOf,
  options: ResolveOptions,
): Result<unknown, Failure> {
  return new Resolver(dataOf, options).resolve(value);
}

class Resolver {
  readonly #dataOf: DataOf;
  readonly #options: ResolveOptions;
  #room: number;

  constructor(dataOf: DataOf, options: ResolveOptions) {
    this.#dataOf = dataOf;
    this.#options = options;
    this.#room = options.limitBytes;
  }

  resolve(value: unknown): Result<unknown, Failure> {
    if (typeof value !== "object" || value === null) return ok(value);
    const marker = readMarker(value);
    if (marker !== null) return this.#resolveMarker(marker);
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const inner of value) {
        const resolved = this.resolve(inner);
        if (!resolved.ok) return resolved;
        items.push(resolved.value);
      }
      return ok(items);
    }
    const fields: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value as JsonObject)) {
      const resolved = this.resolve(inner);
      if (!resolved.ok) return resolved;
      fields[key] = resolved.value;
    }
    return ok(fields);
  }

  #resolveMarker(marker: Marker): Result<unknown, Failure> {
    switch (marker.kind) {
      case "ref":
        return this.#lookUp(marker.reference);
      case "literal":
        return ok(marker.value);
      case "template":
        return this.#write(marker.parts);
      case "malformed":
        throw new Error("Cannot resolve a malformed reference: findReferences() refuses it before");
    }
  }

  #write(parts: readonly (string | Reference)[]): Result<string, Failure> {
    let text = "";
    for (const part of parts) {
      const resolved = typeof part === "string" ? ok(part) : this.#lookUp(part);
      if (!resolved.ok) return resolved;
      text += typeof resolved.value === "string" ? resolved.value : JSON.stringify(resolved.value);
    }
    return ok(text);
  }

  #lookUp(reference: Reference): Result<unknown, Failure> {
    const found = lookUp(reference, this.#dataOf);
    if (!found.ok) return found;
    const { what, limitBytes } = this.#options;
    if (limitBytes === Number.POSITIVE_INFINITY) return found;
    this.#room -= leastJsonSize(found.value, this.#room);
    return this.#room < 0 ? err(tooLarge(what, limitBytes)) : found;
  }
}

function lookUp(reference: Reference, dataOf: DataOf): Result<unknown, Failure> {
  const source = dataOf(reference.id);
  if (source === undefined) {
    const hint = `'${reference.id}' is not known any more: results are kept for 15 minutes. Run its action again.`;
    return err(makeFailure("BAD_REFERENCE", { hint }));
  }
  const found = follow(source.data, reference.tokens);
  return found.found ? ok(found.value) : err(nothingThere(reference, found.depth, found.at));
}

/** Say what was there instead, and which keys are close to what was asked for. */
function nothingThere({ id, pointer, tokens }: Reference, depth: number, at: unknown): Failure {
  const where = `${id}#${toPointer(tokens.slice(0, depth))}`;
  const asked = `'${visibleText(`${id}#${pointer}`, 120)}' is not there: ${visibleText(where, 120)} is ${describe(at)}`;
  return makeFailure("BAD_REFERENCE", { hint: `${asked}${alternatives(tokens[depth]!, at)}.` });
}

/** Names of somebody else's in one hint of ours. */
const KEYS_SHOWN = 5;

function alternatives(asked: string, at: unknown): string {
  if (Array.isArray(at)) return at.length === 0 ? "" : `, its elements are 0 to ${at.length - 1}`;
  if (!isJsonObject(at)) return "";
  const keys = Object.keys(at);
  const near = nearest(asked, keys);
  const shown = (near.length > 0 ? near : keys.slice(0, KEYS_SHOWN)).map((key) => quotedText(key)).join(", ");
  return shown === ""
    ? " without any keys"
    : ` with ${near.length > 0 ? "the similar keys" : "the keys"} ${shown}`;
}
