import { weighTokens } from "./estimate-tokens.ts";
import { toPointer } from "../kit/json-pointer.ts";
import { cutJsonString, isCuttable, SHORTEST } from "./cut-json-string.ts";
import { DEEPEST, JsonEntries, type JsonEntry } from "./json-entries.ts";
import { partOf, type Share, waterLevel } from "./water-level.ts";

/** What was taken out of a value. */
export interface Cuts {
  elementsDropped: number;
  fieldsDropped: number;
  charactersDropped: number;
  /** The first places where something was taken out, in order, as JSON Pointers. */
  readonly at: string[];
}

/** Up to this (thousandths of a token) an element or field is kept whole or not at all: part of it says too little. */
const SMALL = 48_000;
/** An object of more fields than this is a dictionary: like an array it is read from its head. */
const RECORD_FIELDS = 32;
/** Where it was cut is a hint for a model, not a list. */
const PLACES = 5;

/**
 * Cut JSON text that is too large, so that it weighs at most `room` (thousandths of a token); its head is kept.
 *
 * Only whole elements and whole fields are left out, from the end, and long strings are cut after a word. The last
 * element kept may itself be cut, down to its own first element or field. The fields of a record first get room for
 * what is small, in order, and then share the rest evenly, so that one large field does not push out small ones beside
 * it. More room never keeps less: each part of each container then gets as much or more. What cannot be cut that far
 * is left as nothing of its kind (`leastJson`). The text must be what `JSON.stringify` writes.
 */
export function cutJson(json: string, room: number): { readonly json: string; readonly cuts: Cuts } {
  const cutter = new Cutter(json);
  return { json: cutter.cutRoot(room), cuts: cutter.cuts };
}

/** Make the least that is left of JSON text: nothing, of its kind. */
export function leastJson(json: string): string {
  if (json.startsWith("[")) return "[]";
  if (json.startsWith("{")) return "{}";
  return json.startsWith('"') ? '""' : "null";
}

class Cutter {
  readonly cuts: Cuts = { elementsDropped: 0, fieldsDropped: 0, charactersDropped: 0, at: [] };
  readonly #json: string;
  readonly #entries: JsonEntries;
  /** The keys and indexes down to the container that is being cut. */
  readonly #path: PropertyKey[] = [];

  constructor(json: string) {
    this.#json = json;
    this.#entries = new JsonEntries(json);
  }

  cutRoot(room: number): string {
    const end = this.#json.length;
    if (isContainer(this.#json, 0)) return this.#cutContainer(0, room);
    if (isLongString(this.#json, 0, end)) {
      const shortest = weighTokens('"…"');
      if (shortest <= room) return this.#cutString({ start: 0, end, room });
    }
    this.#note();
    if (this.#json.startsWith('"')) this.cuts.charactersDropped = (JSON.parse(this.#json) as string).length;
    return leastJson(this.#json);
  }

  #cutContainer(start: number, room: number): string {
    const isArray = this.#json[start] === "[";
    const left = room - weighTokens(this.#json, start, start + 1);
    const entries = this.#read(start, left, isArray);
    const floor = isArray || entries.length > RECORD_FIELDS ? Number.POSITIVE_INFINITY : SMALL;
    const sizes = allot(this.#sharesOf(entries), left, floor);
    this.#drop(entries, sizes.length, isArray);
    const parts = sizes.map((size, index) => this.#cutEntry(entries[index]!, size, isArray ? index : null));
    return isArray ? `[${parts.join(",")}]` : `{${parts.join(",")}}`;
  }

  /** Read as many entries as can matter: all of a record, of anything longer those that fit and one more. */
  #read(start: number, left: number, isArray: boolean): JsonEntry[] {
    const entries: JsonEntry[] = [];
    let weight = 0;
    for (const entry of this.#entries.of(start)) {
      entries.push(entry);
      weight += entry.weight;
      if (weight > left && (isArray || entries.length > RECORD_FIELDS)) break;
    }
    return entries;
  }

  #sharesOf(entries: readonly JsonEntry[]): Share[] {
    const depth = this.#path.length + 1;
    return entries.map((entry) => ({ min: this.#leastOf(entry, depth), whole: entry.weight }));
  }

  /** The least room in which something of an entry can be kept. */
  #leastOf(entry: JsonEntry, depth: number): number {
    const { start, valueStart, end, weight } = entry;
    if (weight <= SMALL) return weight;
    const key = weighTokens(this.#json, start, valueStart);
    if (isLongString(this.#json, valueStart, end)) return key + SHORTEST;
    if (!isContainer(this.#json, valueStart) || depth >= DEEPEST) return weight;
    const [first] = this.#entries.of(valueStart);
    const open = weighTokens(this.#json, valueStart, valueStart + 1);
    return first === undefined ? weight : key + open + this.#leastOf(first, depth + 1);
  }

  #drop(entries: readonly JsonEntry[], kept: number, isArray: boolean): void {
    const last = entries.at(-1);
    const dropped = entries.length - kept + (last === undefined ? 0 : this.#entries.countAfter(last.end));
    if (dropped === 0) return;
    this.#note();
    if (isArray) this.cuts.elementsDropped += dropped;
    else this.cuts.fieldsDropped += dropped;
  }

  #cutEntry(entry: JsonEntry, size: number, index: number | null): string {
    const { start, valueStart, end, weight } = entry;
    if (size >= weight) return this.#json.slice(start, end);
    const key = this.#json.slice(start, valueStart);
    const room = size - weighTokens(this.#json, start, valueStart);
    this.#path.push(index ?? (JSON.parse(key.slice(0, -1)) as string));
    const value = isContainer(this.#json, valueStart)
      ? this.#cutContainer(valueStart, room)
      : this.#cutString({ start: valueStart, end, room });
    this.#path.pop();
    return key + value;
  }

  #cutString(range: { start: number; end: number; room: number }): string {
    const { json, dropped } = cutJsonString(this.#json, range);
    this.#note();
    this.cuts.charactersDropped += dropped;
    return json;
  }

  #note(): void {
    if (this.cuts.at.length < PLACES) this.cuts.at.push(toPointer(this.#path));
  }
}

/**
 * Share out `room` among entries; those without a size are dropped, always from the end.
 *
 * Each in turn gets up to `floor`; who cannot get it takes what is left, if that is enough, and is the last. When
 * everyone has it the rest is shared evenly. An amount that is once given is never taken back, whatever more there is.
 */
function allot(shares: readonly Share[], room: number, floor: number): number[] {
  const sizes: number[] = [];
  let left = room;
  for (const { min, whole } of shares) {
    const wanted = Math.min(whole, Math.max(min, floor));
    if (wanted > left) return min <= left ? [...sizes, left] : sizes;
    sizes.push(wanted);
    left -= wanted;
  }
  const raised = shares.map(({ whole }, index) => ({ min: sizes[index]!, whole }));
  const level = waterLevel(raised, room);
  return raised.map((share) => partOf(share, level));
}

function isContainer(json: string, start: number): boolean {
  return json[start] === "[" || json[start] === "{";
}

function isLongString(json: string, start: number, end: number): boolean {
  return json[start] === '"' && isCuttable(json, start, end);
}
