import { isJsonObject } from "../contract/json.ts";
import type { Outcome, Shown } from "../contract/outcome.ts";
import * as LIMITS from "../contract/limits.ts";
import { getOrMake } from "../kit/get-or-make.ts";
import { follow, toPointer } from "../kit/json/json-pointer.ts";
import { leastJsonSize } from "../kit/json/least-json-size.ts";
import { Room, sayNothingThere } from "../plan/references.ts";
import type { refuseData } from "./refuse-data.ts";

type Pointers = readonly (readonly string[])[];

interface Selected {
  readonly shown: Shown;
  readonly missing: readonly string[];
  /** The keys that are there instead, where no selected part is. */
  readonly hints: readonly string[] | null;
}

/** An answer's room for data, and the failure of an action whose data it has no room for. */
export interface AnswerRoom {
  readonly room: number;
  readonly refuse: typeof refuseData;
}

/** Shows only the selected parts of a batch's outputs. References to an output still see the whole. */
export class Selections {
  readonly #answer: AnswerRoom;
  /** Work that one batch may spend on looking for similar keys. */
  readonly #hints = new Room();
  /** Elements of a loop that share a call are told one after another: what was selected for one is there for the next. */
  #last: { readonly pointers: Pointers; readonly data: unknown; readonly selected: Selected | null } | null =
    null;

  constructor(answer: AnswerRoom) {
    this.#answer = answer;
  }

  /** Show what is selected, or refuse what the answer has no room for before any text is made of it. */
  show(outcome: Outcome, pointers: Pointers, isWrite: boolean): Outcome {
    if (outcome.status !== "success") return outcome;
    const selected = this.#selectOf(outcome.data, pointers);
    if (selected === null) return this.#answer.refuse(outcome, isWrite);
    const { shown, missing, hints } = selected;
    if (missing.length === 0) return { ...outcome, shown };
    const meta = {
      ...outcome.meta,
      selectMissing: missing,
      ...(hints !== null && { selectHints: hints, ...(isWrite && { keepsWhole: true as const }) }),
    };
    return { ...outcome, shown, meta };
  }

  #selectOf(whole: unknown, pointers: Pointers): Selected | null {
    const last = this.#last;
    if (last !== null && last.data === whole && last.pointers === pointers) return last.selected;
    const { data, missing } = selectFields(whole, pointers);
    const { room } = this.#answer;
    const selected =
      leastJsonSize(data, room) > room
        ? null
        : {
            shown: { data, json: JSON.stringify(data) },
            missing,
            hints: this.#hint(whole, pointers, missing),
          };
    this.#last = { pointers, data: whole, selected };
    return selected;
  }

  /** One pointer that is there shows what the others may be, and an output may leave out what it does not have. */
  #hint(whole: unknown, pointers: Pointers, missing: readonly string[]): readonly string[] | null {
    const wanted = new Map(pointers.map((tokens) => [toPointer(tokens), tokens]));
    if (missing.length < wanted.size) return null;
    return [...wanted].slice(0, LIMITS.warnings).flatMap(([pointer, tokens]) => {
      const found = follow(whole, tokens);
      const asked = { text: pointer, tokens };
      return found.found ? [] : [`select found nothing: ${sayNothingThere(asked, found, this.#hints)}`];
    });
  }
}

/** The selection below a value: all of it, or these keys of it. */
type Wanted = "whole" | Map<string, Wanted>;

const ARRAY_INDEX = /^(?:0|[1-9][0-9]*)$/;

/**
 * Keep only what the pointers name, in the output's own shape: objects keep the selected fields, arrays the selected
 * elements, both in their own order, arrays without gaps. A selected container is kept whole; overlapping pointers
 * merge.
 *
 * A pointer that finds no value is named in `missing`, once each and in the order asked, and costs the others nothing. When
 * nothing exists an object leaves `{}`, an array `[]`, anything else null. The input is never changed; what is kept whole is
 * shared with it. Only own fields count, so no pointer reads or writes a prototype.
 *
 * @example
 * selectFields({ places: [{ id: 1, name: "A" }, { id: 2, name: "B" }] }, [["places", "1", "name"]]);
 * // { data: { places: [{ name: "B" }] }, missing: [] }
 */
export function selectFields(data: unknown, pointers: Pointers): { data: unknown; missing: string[] } {
  const missing = new Set<string>();
  const root: Map<string, Wanted> = new Map();
  let whole = false;
  for (const tokens of pointers) {
    if (!exists(data, tokens)) missing.add(toPointer(tokens));
    else if (tokens.length === 0) whole = true;
    else want(root, tokens);
  }
  return { data: keep(data, whole ? "whole" : root), missing: [...missing] };
}

function exists(data: unknown, tokens: readonly string[]): boolean {
  let at = data;
  for (const token of tokens) {
    if (!has(at, token)) return false;
    at = at[token];
    // JSON has no undefined: such a field will not be in the answer.
    if (at === undefined) return false;
  }
  return true;
}

function has(value: unknown, token: string): value is Readonly<Record<string, unknown>> {
  if (Array.isArray(value)) return ARRAY_INDEX.test(token);
  return isJsonObject(value) && Object.hasOwn(value, token);
}

function want(root: Map<string, Wanted>, tokens: readonly string[]): void {
  let at = root;
  for (const token of tokens.slice(0, -1)) {
    let next = at.get(token);
    if (next === "whole") return;
    if (next === undefined) at.set(token, (next = new Map<string, Wanted>()));
    at = next;
  }
  at.set(tokens.at(-1)!, "whole");
}

function keep(value: unknown, wanted: Wanted): unknown {
  if (wanted === "whole") return value;
  if (Array.isArray(value)) {
    const indexes = [...wanted.keys()].map(Number).sort((a, b) => a - b);
    return indexes.map((index) => keep(value[index], wanted.get(String(index))!));
  }
  if (!isJsonObject(value)) return null;
  const keys = [...wanted.keys()];
  if (keys.length > 1) {
    const places = placesOf(value);
    keys.sort((a, b) => places.get(a)! - places.get(b)!);
  }
  // Entries, not assignments: `__proto__` becomes a field like any other.
  return Object.fromEntries(keys.map((key) => [key, keep(value[key], wanted.get(key)!)]));
}

/** The order of an object's fields, found once for all the elements of all the loops that got the same answer. */
function placesOf(value: object): ReadonlyMap<string, number> {
  return getOrMake(places, value, () => new Map(Object.keys(value).map((key, place) => [key, place])));
}

const places = new WeakMap<object, ReadonlyMap<string, number>>();
