import { isLongInteger, mapExact } from "../../../core/contract/json.ts";
import { isJsonObject, type JsonObject, Pending } from "../../../feature/schema.ts";
import { fieldPointers, type Place, pointersOf, walkSchema } from "./walk-schema.ts";
import { getOrMake } from "../../../core/kit/get-or-make.ts";

/**
 * Read integers beyond 2^53 as a schema has them: digits in text are a number where it takes numbers and no text, and a number is
 * text where it takes text and no numbers. Everything else stays, and so does the value itself where nothing is read otherwise.
 *
 * @param schema one that `checkSchema` found nothing wrong with, asked about a value that it may be asked about
 */
export function readExact(schema: JsonObject, value: unknown): unknown {
  return isSomewhereLong(value) ? new Reader(walkSchema(schema).places).read(value, [""]) : value;
}

/** A value with the nearest doubles, for a validator that knows no other numbers. */
export function toDoubles(value: unknown): unknown {
  return mapExact(value, Number);
}

function isSomewhereLong(value: unknown): boolean {
  if (typeof value === "string") return isLongInteger(value);
  if (typeof value !== "object" || value === null) return false;
  return JSON.isRawJSON(value) || Object.values(value).some(isSomewhereLong);
}

/** The types that a schema takes; null for any. */
type Types = ReadonlySet<string> | null;

class Reader {
  readonly #places: ReadonlyMap<string, Place>;
  readonly #types = new Map<string, Types>();
  readonly #around = new Map<string, readonly Place[]>();

  constructor(places: ReadonlyMap<string, Place>) {
    this.#places = places;
  }

  /** Recursion is safe: the value's depth was bounded before. */
  read(value: unknown, pointers: readonly string[]): unknown {
    if (typeof value === "string")
      return isLongInteger(value) && this.#takes(pointers, NUMBERS, TEXT) ? JSON.rawJSON(value) : value;
    if (typeof value !== "object" || value === null || value instanceof Pending) return value;
    if (JSON.isRawJSON(value)) {
      const { rawJSON } = value;
      return isLongInteger(rawJSON) && this.#takes(pointers, TEXT, NUMBERS) ? rawJSON : value;
    }
    const around = pointers.flatMap((pointer) => this.#placesAround(pointer));
    const inner = Object.entries(value).map(([key, one]) =>
      this.read(one, [...new Set(around.flatMap((place) => within(place, key, value)))]),
    );
    const before = Object.values(value) as unknown[];
    if (inner.every((one, at) => one === before[at])) return value;
    if (Array.isArray(value)) return inner;
    return Object.fromEntries(Object.keys(value).map((key, at) => [key, inner[at]]));
  }

  /** Whether schemas take one kind of value, and none of them the other. */
  #takes(pointers: readonly string[], wanted: readonly string[], others: readonly string[]): boolean {
    const types = pointers.map((pointer) => this.#typesOf(pointer));
    const isIn = (kinds: readonly string[]) => (one: Types) =>
      one === null || kinds.some((kind) => one.has(kind));
    return types.some((one) => one !== null && isIn(wanted)(one)) && !types.some(isIn(others));
  }

  #typesOf(pointer: string): Types {
    const known = this.#types.get(pointer);
    if (known !== undefined) return known;
    // A schema that comes back to itself in place is refused; until it is known it says nothing.
    this.#types.set(pointer, null);
    const place = this.#places.get(pointer);
    const types = place === undefined ? null : this.#findTypes(place);
    this.#types.set(pointer, types);
    return types;
  }

  #findTypes(place: Place): Types {
    const { schema } = place;
    if (!isJsonObject(schema)) return null;
    const { type, const: only, enum: allowed = only === undefined ? undefined : [only] } = schema;
    const values = Array.isArray(allowed) ? (allowed as readonly unknown[]) : null;
    let types: Types =
      type === undefined
        ? values && new Set(values.map((one) => typeof one))
        : new Set([type].flat().map(String));
    const narrow = (other: Types): void => {
      if (types === null) types = other;
      else if (other !== null) types = new Set([...types].filter((one) => other.has(one)));
    };
    for (const keyword of ["$ref", "allOf"])
      for (const inner of pointersOf(place, keyword)) narrow(this.#typesOf(inner));
    for (const keyword of ["anyOf", "oneOf"]) {
      const forms = pointersOf(place, keyword).map((inner) => this.#typesOf(inner));
      if (forms.length > 0 && !forms.includes(null)) narrow(new Set(forms.flatMap((one) => [...one!])));
    }
    return types;
  }

  #placesAround(pointer: string): readonly Place[] {
    return getOrMake(this.#around, pointer, () => {
      const found = new Map<string, Place>();
      const waiting = [pointer];
      for (const next of waiting) {
        const place = this.#places.get(next);
        if (place === undefined || found.has(next)) continue;
        found.set(next, place);
        waiting.push(...["$ref", "allOf", "anyOf", "oneOf"].flatMap((keyword) => pointersOf(place, keyword)));
      }
      return [...found.values()];
    });
  }
}

const NUMBERS = ["integer", "number"];
const TEXT = ["string"];

/** The schemas that a schema has for a field or an item. */
function within(place: Place, key: string, value: object): string[] {
  if (Array.isArray(value)) {
    const prefix = pointersOf(place, "prefixItems");
    return Number(key) < prefix.length ? [prefix[Number(key)]!] : pointersOf(place, "items");
  }
  return fieldPointers(place, key);
}
