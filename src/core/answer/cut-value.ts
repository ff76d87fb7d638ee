import type { Truncation } from "../contract/outcome.ts";
import { toPointer } from "../kit/json/json-pointer.ts";
import { cutJsonString, isCuttable, shortest } from "./cut-json-string.ts";
import { weighTokens } from "./estimate-tokens.ts";

/** The parts that were taken out of a value. */
export type Cuts = Omit<Truncation, "tokens_before" | "tokens_after">;

/** How far into a value is weighed, and the weight from which on no more of it is looked at. */
interface Weighing {
  readonly depth: number;
  readonly enough: number;
}

/** Up to this (thousandths of a token) an element or field is kept whole or not at all: part of it says too little. */
const SMALL = 48_000;
/** An object of more fields than this is a dictionary: like an array it is read from its head. */
const RECORD_FIELDS = 32;
/** Where it was cut is a hint for a model, not a list. */
const PLACES = 5;
/** Characters of one such hint. A hint about a longer pointer names the container instead. */
const LONGEST_PLACE = 200;
/** Texts of fewer characters are cheap to weigh again, and none of more is a link that is kept whole. */
const LARGE_TEXT = 4_096;
/** Deeper containers are kept whole or dropped. */
const DEEPEST = 32;

/**
 * Cut a JSON value that is too large, so that its text weighs at most `room` (thousandths of a token); its head is kept.
 *
 * Only whole elements and whole fields are left out, from the end, and long strings are cut after a word. The last element kept
 * may itself be cut, down to its own first element or field. The fields of a record first get room for what is small, in order,
 * and then share the rest evenly, so that one large field does not push out small ones beside it. More room never keeps less:
 * each part of each container then gets as much or more. A part that cannot be cut that far is left as nothing of its kind
 * (`leastOf`). The value is not changed; what is kept whole is shared with it.
 */
export function cutValue(value: unknown, room: number): { readonly data: unknown; readonly cuts: Cuts } {
  const cutter = new Cutter();
  return { data: cutter.cutRoot(value, room), cuts: cutter.cuts };
}

/** The least that is left of a value: nothing, of its kind. */
export function leastOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (isContainer(value)) return {};
  return typeof value === "string" ? "" : null;
}

/** An element or field of a container. */
interface Entry {
  /** The key of a field, the index of an element. */
  readonly key: string | number;
  readonly value: unknown;
  /** Thousandths of a token of its key and colon; 0 for an element. */
  readonly keyWeight: number;
  /** Weight of the whole value, with the character that follows it. */
  readonly weight: number;
}

class Cutter {
  readonly cuts = { elements_dropped: 0, fields_dropped: 0, characters_dropped: 0, at: [] as string[] };
  /** Weights of containers and large texts, each found once: opening them level by level reads nothing again. */
  readonly #weights = new Map<unknown, number>();
  /** The keys and indexes down to the container that is being cut. */
  readonly #path: (string | number)[] = [];

  cutRoot(value: unknown, room: number): unknown {
    if (isContainer(value)) return this.#cutContainer(value, room);
    if (isLongString(value) && weighTokens('"…"') <= room) return this.#cutString(value, room, 0);
    this.#note();
    if (typeof value === "string") this.cuts.characters_dropped = value.length;
    return leastOf(value);
  }

  #cutContainer(container: object, room: number): unknown {
    const isArray = Array.isArray(container);
    const left = room - (this.#path.length === 0 ? weighTokens(bracketOf(container)) : bracketsOf(container));
    const entries = this.#read(container, left);
    const floor = isArray || entries.length > RECORD_FIELDS ? Number.POSITIVE_INFINITY : SMALL;
    const sizes = allot(this.#sharesOf(entries), left, floor);
    this.#drop(sizeOf(container) - sizes.length, isArray);
    const kept = sizes.map(
      (size, index) => [entries[index]!.key, this.#cutEntry(entries[index]!, size)] as const,
    );
    // Entries, not assignments: `__proto__` becomes a field like any other.
    return isArray ? kept.map(([, value]) => value) : Object.fromEntries(kept);
  }

  /** Read as many entries as can matter: all of a record, of anything longer those that fit and one more. */
  #read(container: object, left: number): Entry[] {
    const isArray = Array.isArray(container);
    const entries: Entry[] = [];
    let weight = 0;
    for (const entry of this.#entriesOf(container, this.#path.length, Math.max(left, SMALL))) {
      entries.push(entry);
      weight += entry.weight;
      if (weight > left && (isArray || entries.length > RECORD_FIELDS)) break;
    }
    return entries;
  }

  /**
   * @param depth of the container
   * @param enough as for `#weigh`
   */
  *#entriesOf(container: object, depth: number, enough: number): Generator<Entry, void> {
    let before: string = bracketOf(container);
    const inside = { depth: depth + 1, enough };
    if (Array.isArray(container)) {
      for (const [key, value] of container.entries()) {
        yield { key, value, keyWeight: 0, weight: this.#weigh(value, before, inside) };
        before = ",";
      }
      return;
    }
    // Keys, not entries: of a wide object few are looked at, and a pair for each costs more than the rest.
    for (const key of Object.keys(container)) {
      const value = (container as Readonly<Record<string, unknown>>)[key];
      const keyWeight = weigh(`${JSON.stringify(key)}:`, before);
      yield { key, value, keyWeight, weight: keyWeight + this.#weigh(value, ":", inside) };
      before = ",";
    }
  }

  /**
   * Weigh a value and the character that follows it, where `before` stands before it. A value that weighs more than `enough` is
   * only known to do so: it is cut all the same, and to less the further in it stands.
   */
  #weigh(value: unknown, before: string, { depth, enough }: Weighing): number {
    const isLarge = isContainer(value) || (typeof value === "string" && value.length > LARGE_TEXT);
    const known = isLarge ? this.#weights.get(value) : undefined;
    if (known !== undefined) return known;
    let weight = 0;
    // A container that lies deeper is not opened: as text it weighs the same.
    if (isContainer(value) && depth < DEEPEST) {
      weight = bracketsOf(value);
      for (const entry of this.#entriesOf(value, depth, enough)) {
        weight += entry.weight;
        if (weight > enough) break;
      }
    } else weight = weigh(`${JSON.stringify(value)},`, before);
    if (isLarge) this.#weights.set(value, weight);
    return weight;
  }

  #sharesOf(entries: readonly Entry[]): Share[] {
    const depth = this.#path.length + 1;
    return entries.map((entry) => ({ min: this.#leastOf(entry, depth), whole: entry.weight }));
  }

  /** The least room in which something of an entry can be kept. */
  #leastOf({ value, keyWeight, weight }: Entry, depth: number): number {
    if (weight <= SMALL) return weight;
    if (isLongString(value)) return keyWeight + shortest() + afterText();
    if (!isContainer(value) || depth >= DEEPEST) return weight;
    const [first] = this.#entriesOf(value, depth, weight);
    return first === undefined ? weight : keyWeight + bracketsOf(value) + this.#leastOf(first, depth + 1);
  }

  #drop(dropped: number, isArray: boolean): void {
    if (dropped === 0) return;
    this.#note();
    if (isArray) this.cuts.elements_dropped += dropped;
    else this.cuts.fields_dropped += dropped;
  }

  #cutEntry({ key, value, keyWeight, weight }: Entry, size: number): unknown {
    if (size >= weight) return value;
    this.#path.push(key);
    const room = size - keyWeight;
    const cut = isContainer(value)
      ? this.#cutContainer(value, room)
      : this.#cutString(value as string, room - afterText(), 1);
    this.#path.pop();
    return cut;
  }

  /** @param start where its quote stands: first in the text, or behind punctuation */
  #cutString(text: string, room: number, start: 0 | 1): string {
    const json = `${start === 1 ? ":" : ""}${JSON.stringify(text)}`;
    const { json: kept, dropped } = cutJsonString(json, { start, end: json.length, room });
    this.#note();
    this.cuts.characters_dropped += dropped;
    return JSON.parse(kept) as string;
  }

  #note(): void {
    if (this.cuts.at.length === PLACES) return;
    let place = toPointer(this.#path);
    // Keys are as long as somebody made them.
    while (place.length > LONGEST_PLACE) place = place.slice(0, place.lastIndexOf("/"));
    this.cuts.at.push(place);
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

/** The weight of the character after a text. */
function afterText(): number {
  return weigh(",", '"');
}

/** Weigh a part of JSON text that stands behind the mark `before`. */
function weigh(text: string, before: string): number {
  return weighTokens(before + text, 1);
}

/**
 * Weigh what a container has besides its entries, inside another one: its first bracket, and what follows its last. The last
 * itself follows an entry, and weighs as much as the comma there would; or it follows the first.
 */
function bracketsOf(container: object): number {
  const isArray = Array.isArray(container);
  return sizeOf(container) === 0
    ? weigh(isArray ? "[]," : "{},", ",")
    : weigh(bracketOf(container), ",") + weigh(",", isArray ? "]" : "}");
}

function bracketOf(container: object): "[" | "{" {
  return Array.isArray(container) ? "[" : "{";
}

function sizeOf(container: object): number {
  return Array.isArray(container) ? container.length : Object.keys(container).length;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null && !JSON.isRawJSON(value);
}

function isLongString(value: unknown): value is string {
  if (typeof value !== "string") return false;
  if (value.length > LARGE_TEXT) return true;
  const json = JSON.stringify(value);
  return isCuttable(json, 0, json.length);
}

/** The bounds of one share among several: never less than `min`, never more than `whole`. */
export interface Share {
  readonly min: number;
  readonly whole: number;
}

/**
 * Find the highest level at which everyone's part of `total` (the level, held between its min and its whole) still
 * fits: who needs less than the level leaves the rest to the others. Whole numbers only.
 *
 * With a larger total the level is never lower. When not even the minima fit it is 0.
 */
export function waterLevel(shares: readonly Share[], total: number): number {
  const sum = (level: number): number => shares.reduce((sum, share) => sum + partOf(share, level), 0);
  let low = 0;
  let high = Math.max(0, ...shares.map(({ whole }) => whole));
  while (low < high) {
    const level = Math.ceil((low + high) / 2);
    if (sum(level) <= total) low = level;
    else high = level - 1;
  }
  return low;
}

/** The part that a share gets at a level. */
export function partOf({ min, whole }: Share, level: number): number {
  return Math.min(whole, Math.max(min, level));
}
