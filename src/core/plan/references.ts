import { tooLarge } from "../contract/action.ts";
import { type Failure, type Issue, makeFailure } from "../contract/failure.ts";
import { describe, toMisfit, visiblePath } from "../contract/issues.ts";
import { isJsonObject } from "../contract/json.ts";
import * as LIMITS from "../contract/limits.ts";
import { findOpen, Pending } from "../contract/pending.ts";
import { type Marker, type Part, readMarker, type Reference } from "../contract/reference.ts";
import { follow, toPointer } from "../kit/json/json-pointer.ts";
import { leastJsonSize } from "../kit/json/least-json-size.ts";
import { nearest } from "../kit/nearest.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { quotedText, visibleText } from "../kit/visible-text.ts";
import { getOrMake } from "../kit/get-or-make.ts";

/** The data a reference's id stands for, or why it may not be had; undefined when there is none. */
export type DataOf = (id: string) => Source | undefined;

export type Source = { readonly data: unknown } | { readonly refused: Failure };

/**
 * The work that looking up references may still cost one batch, all its actions and all elements of its loops together: there is
 * room for thousands of references, and each may stand for the same megabyte.
 */
export class Room {
  /** Bytes of JSON that arguments may still take. */
  bytes: number = LIMITS.batchArgsBytes;
  /** Things wrong with arguments that may still be looked for. */
  issues: number = LIMITS.batchIssues;
  /** Elements that parts of lists may still have. */
  elements: number = LIMITS.partElements;
  #suggestions: number = LIMITS.batchSuggestions;
  readonly #sizes = new Map<object, number>();
  readonly #alternatives = new Map<unknown, Map<string, string>>();

  /** A size that a value's JSON has at least, or any above `LIMITS.bodyBytes`. Data is shared, so all but one look it up. */
  sizeOf(value: unknown): number {
    if (typeof value !== "object" || value === null) return leastJsonSize(value, LIMITS.bodyBytes);
    return getOrMake(this.#sizes, value, () => leastJsonSize(value, LIMITS.bodyBytes));
  }

  /** Whether one more hint may look for similar names. */
  suggests(): boolean {
    this.#suggestions -= 1;
    return this.#suggestions >= 0;
  }

  /** Say what there is in a value instead of the key that was asked for, once for all who ask. */
  alternatives(asked: string, at: unknown): string {
    const known = getOrMake(this.#alternatives, at, () => new Map<string, string>());
    return getOrMake(known, asked, () => (this.suggests() ? alternatives(asked, at) : ""));
  }
}

/** A reference, and where it stands. */
export interface Found extends Reference {
  readonly at: readonly PropertyKey[];
}

/** Collect every reference in a value, or say where one is malformed. Literals are not looked into. */
export function findReferences(value: unknown, path: readonly PropertyKey[]): Result<Found[], Failure> {
  const found: Found[] = [];
  const failure = visit(value, [...path], found);
  return failure === null ? ok(found) : err(failure);
}

/** @param path is what it was when this is over */
function visit(value: unknown, path: PropertyKey[], found: Found[]): Failure | null {
  if (typeof value !== "object" || value === null) return null;
  const marker = readMarker(value);
  if (marker !== null) return collect(marker, path, found);
  for (const key of Object.keys(value)) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof inner !== "object" || inner === null) continue;
    path.push(key);
    const failure = visit(inner, path, found);
    if (failure !== null) return failure;
    path.pop();
  }
  return null;
}

function collect(marker: Marker, path: readonly PropertyKey[], found: Found[]): Failure | null {
  if (marker.kind === "malformed") {
    const { key, expected, received } = marker.flaw;
    return makeFailure("BAD_REFERENCE", toMisfit(toIssue([...path, key], received, expected)));
  }
  if (marker.kind === "ref") found.push({ ...marker.reference, at: [...path, "$ref"] });
  if (marker.kind === "template")
    for (const part of marker.parts)
      if (typeof part !== "string") found.push({ ...part, at: [...path, "$template"] });
  return null;
}

/** The failure of a reference that leads nowhere; where it stands, and as what. */
export function lostReference(
  hint: string,
  { at, text }: { readonly at: readonly PropertyKey[]; readonly text?: string },
): Failure {
  return makeFailure("BAD_REFERENCE", { hint, issues: [toIssue(at, text)] });
}

function toIssue(
  at: readonly PropertyKey[],
  sent: unknown,
  expected = "a reference to what is there",
): Issue {
  return { path: visiblePath(at), expected, received: describe(sent) };
}

export interface ResolveOptions {
  /** The name of the resolved value, for the failure when it becomes too large. */
  readonly what: string;
  /** Bytes of JSON that the values put in may take together; Infinity when they are not copied anywhere. */
  readonly limitBytes: number;
  /** The room that the batch has left for it; a batch's own where there is none. */
  readonly room?: Room;
  /** Where the value was sent, to say where a reference in it leads nowhere. */
  readonly path?: string;
  /** Whether what is put in takes of the batch's bytes. */
  readonly isCharged?: boolean;
}

export const ARGS = {
  what: "The arguments of one action, with what they refer to,",
  limitBytes: LIMITS.argsBytes,
  path: "args",
  isCharged: true,
};
export const LOOP = { what: "The elements of one for_each", limitBytes: LIMITS.bodyBytes, path: "for_each" };

/**
 * Put the values that references stand for in their place. Values are shared, not copied: nothing in the system
 * changes data once it is there.
 *
 * The inserted values are bounded while they are inserted: a reference takes ten bytes and may stand for a megabyte, and there is
 * room for thousands of them.
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
  readonly #batch: Room;
  #left: number;
  /** The place of the value that it is at; a failure leaves it there. */
  readonly #path: PropertyKey[];

  constructor(dataOf: DataOf, options: ResolveOptions) {
    this.#dataOf = dataOf;
    this.#options = options;
    this.#batch = options.room ?? new Room();
    this.#left = options.limitBytes;
    this.#path = [options.path ?? ""];
  }

  resolve(value: unknown): Result<unknown, Failure> {
    if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return ok(value);
    const marker = readMarker(value);
    if (marker !== null) return this.#resolveMarker(marker);
    const made = (Array.isArray(value) ? [] : {}) as Record<string, unknown>;
    for (const [key, inner] of Object.entries(value)) {
      this.#path.push(key);
      const resolved = this.resolve(inner);
      if (!resolved.ok) return resolved;
      made[key] = resolved.value;
      this.#path.pop();
    }
    return ok(made);
  }

  #resolveMarker(marker: Marker): Result<unknown, Failure> {
    if (marker.kind === "ref") return this.#lookUp(marker.reference, "$ref");
    if (marker.kind === "template") return this.#write(marker.parts);
    if (marker.kind === "literal") return ok(marker.value);
    // `findReferences()` refuses it before.
    throw new Error("Cannot resolve a malformed reference");
  }

  #write(parts: readonly (string | Reference)[]): Result<unknown, Failure> {
    let text = "";
    let isPending = false;
    for (const part of parts) {
      const resolved = typeof part === "string" ? ok(part) : this.#lookUp(part, "$template");
      if (!resolved.ok) return resolved;
      const { value } = resolved;
      isPending ||= value instanceof Pending || findOpen(value).size > 0;
      text += typeof value === "string" ? value : JSON.stringify(value);
    }
    if (!isPending) return ok(text);
    const [alone] = parts;
    return ok(Pending.text(typeof alone === "object" && parts.length === 1 ? alone.text : null));
  }

  #lookUp(reference: Reference, key: string): Result<unknown, Failure> {
    const { what, limitBytes, path, isCharged } = this.#options;
    const found = lookUp(reference, this.#dataOf, this.#batch);
    if (!found.ok && found.error.code === "BAD_REFERENCE" && path !== undefined)
      return err({ ...found.error, issues: [toIssue([...this.#path, key], reference.text)] });
    if (!found.ok || found.value instanceof Pending || limitBytes === Number.POSITIVE_INFINITY) return found;
    const size = this.#batch.sizeOf(found.value);
    this.#left -= size;
    if (this.#left < 0) return err(tooLarge(what, limitBytes));
    return isCharged ? charge(size, this.#batch, found.value) : found;
  }
}

/** Take from what a batch's arguments may have together, before anything is made of the value. */
export function charge<T>(bytes: number, room: Room, value: T): Result<T, Failure> {
  if (bytes > room.bytes) return err(makeFailure("INVALID_ARGS", { hint: NO_ROOM }));
  room.bytes -= bytes;
  return ok(value);
}

const NO_ROOM = `The arguments of one batch, with what they refer to, may take ${LIMITS.batchArgsBytes} bytes as JSON together, and this action would exceed that; refer to less, or send it in another batch.`;

function lookUp(reference: Reference, dataOf: DataOf, room: Room): Result<unknown, Failure> {
  const source = dataOf(reference.id);
  if (source === undefined) {
    // An action that went on elsewhere in the background, or a handle. Either may be of a write, which must not run again for its data.
    const hint = `'${reference.id}' has no data here: it goes on in the background, or its result was kept for 15 minutes.`;
    return err(makeFailure("BAD_REFERENCE", { hint }));
  }
  if ("refused" in source) return err(source.refused);
  const { tokens, part } = reference;
  const whole = part?.literal && follow(source.data, part.literal);
  if (whole?.found) return ok(whole.value);
  const found = follow(source.data, tokens);
  if (found.found)
    return part === undefined ? ok(found.value) : takePart(found.value, { reference, part, room });
  if (found.at instanceof Pending) return ok(Pending.value);
  const asked = { name: `${reference.id}#`, text: reference.text, tokens };
  return err(makeFailure("BAD_REFERENCE", { hint: sayNothingThere(asked, found, room) }));
}

function takePart(
  list: unknown,
  { reference, part, room }: { readonly reference: Reference; readonly part: Part; readonly room: Room },
): Result<unknown, Failure> {
  if (list instanceof Pending) return ok(Pending.value);
  const { id, text, tokens } = reference;
  const asked = `'${visibleText(text, 120)}' takes a part of a list`;
  if (!Array.isArray(list)) {
    const where = visibleText(`${id}#${toPointer(tokens)}`, 120);
    return err(makeFailure("BAD_REFERENCE", { hint: `${asked}, and ${where} is ${describe(list)}.` }));
  }
  const { from, count } = part;
  const taken = list.slice(from, from + count);
  room.elements -= taken.length;
  if (room.elements >= 0) return ok(taken);
  const hint = `${asked}, and the parts of lists in one batch may have ${LIMITS.partElements} elements together; take smaller parts.`;
  return err(makeFailure("INVALID_ARGS", { hint }));
}

/** Say what was there instead, and which keys are close to what was asked for. */
export function sayNothingThere(
  { name = "", text, tokens }: { name?: string; text: string; tokens: readonly string[] },
  { depth, at }: { readonly depth: number; readonly at: unknown },
  room: Room,
): string {
  const where = visibleText(name + toPointer(tokens.slice(0, depth)), 120);
  const asked = `'${visibleText(text, 120)}' is not there: ${where === "" ? "the data" : where} is ${describe(at)}`;
  return `${asked}${room.alternatives(tokens[depth]!, at)}.`;
}

/** Names of somebody else's in one hint of ours. */
const KEYS_SHOWN = 5;

function alternatives(asked: string, at: unknown): string {
  if (Array.isArray(at)) return at.length === 0 ? "" : `, its elements are 0 to ${at.length - 1}`;
  if (!isJsonObject(at)) return "";
  // JSON has no undefined: such a key is not there either.
  const keys = Object.keys(at).filter((key) => at[key] !== undefined);
  const near = nearest(asked, keys);
  const shown = (near.length > 0 ? near : keys.slice(0, KEYS_SHOWN)).map((key) => quotedText(key)).join(", ");
  return shown === "" ? " without any keys" : ` with the ${near.length > 0 ? "similar " : ""}keys ${shown}`;
}
