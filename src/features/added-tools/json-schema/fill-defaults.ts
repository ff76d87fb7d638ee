import { isJsonObject, type JsonObject, Pending } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { leastJsonSize } from "../../../core/kit/json/least-json-size.ts";
import { fieldPointers, type Place, pointersOf, walkSchema } from "./walk-schema.ts";

/** A value with the defaults of its schema. */
export interface Filled {
  readonly value: unknown;
  /** Whether they come to more than arguments may take. */
  readonly isTooMuch: boolean;
}

/**
 * Fill in the defaults that a schema says for fields that are not there, in every object that is: those of `properties`, by `$ref`,
 * `allOf`, and the first form of an `anyOf` or `oneOf` that the object may have; an object that a default brings is filled likewise.
 *
 * The value is not changed. A default that is null says nothing, as null does in a field that may be left out.
 *
 * @param schema one that `checkSchema` found nothing wrong with
 */
export function fillDefaults(schema: JsonObject, value: unknown): Filled {
  const filler = new Filler(walkSchema(schema).places);
  const filled = filler.fill(value, [""], 0);
  return { value: filled, isTooMuch: filler.left < 0 };
}

class Filler {
  readonly #places: ReadonlyMap<string, Place>;
  /** Bytes that defaults may still bring. */
  left = LIMITS.argsBytes;

  constructor(places: ReadonlyMap<string, Place>) {
    this.#places = places;
  }

  /** Recursion is bounded: by the value's depth, and where a default brings another by the depth that a value may have. */
  fill(value: unknown, pointers: readonly string[], depth: number): unknown {
    if (typeof value !== "object" || value === null || value instanceof Pending || depth > LIMITS.nesting)
      return value;
    const around = pointers.flatMap((pointer) => this.#around(pointer, value));
    if (Array.isArray(value)) return this.#fillItems(value, around, depth);
    return isJsonObject(value) ? this.#fillFields(value, around, depth) : value;
  }

  #fillItems(values: readonly unknown[], around: readonly Place[], depth: number): readonly unknown[] {
    const filled = values.map((inner, at) => {
      const pointers = around.flatMap((place) => {
        const prefix = place.inner.get("prefixItems") ?? [];
        return at < prefix.length ? [prefix[at]!.pointer] : pointersOf(place, "items");
      });
      return this.fill(inner, pointers, depth + 1);
    });
    return filled.every((inner, at) => inner === values[at]) ? values : filled;
  }

  #fillFields(fields: JsonObject, around: readonly Place[], depth: number): JsonObject {
    const filled = new Map(Object.entries(fields));
    for (const { inner } of around)
      for (const { name, pointer } of inner.get("properties") ?? []) {
        const said = filled.has(name) || this.left < 0 ? undefined : this.#defaultOf(pointer);
        if (said === undefined) continue;
        this.left -= name.length + leastJsonSize(said, this.left);
        filled.set(name, said);
      }
    let isSame = filled.size === Object.keys(fields).length;
    for (const [name, value] of filled) {
      const within = this.fill(
        value,
        around.flatMap((place) => fieldPointers(place, name)),
        depth + 1,
      );
      isSame &&= within === value;
      filled.set(name, within);
    }
    return isSame ? fields : Object.fromEntries(filled);
  }

  /** The schemas that say something of a value, from the outside in. */
  #around(pointer: string, value: object, seen = new Set<string>()): Place[] {
    const place = this.#places.get(pointer);
    if (place === undefined || seen.has(pointer)) return [];
    seen.add(pointer);
    const forms = ["anyOf", "oneOf"].flatMap((keyword) =>
      pointersOf(place, keyword)
        .filter((form) => this.#mayFit(form, value))
        .slice(0, 1),
    );
    const all = [...pointersOf(place, "$ref"), ...pointersOf(place, "allOf"), ...forms];
    return [place, ...all.flatMap((inner) => this.#around(inner, value, seen))];
  }

  /** Whether a value may have a form, as far as that is seen without checking what is inside it. */
  #mayFit(pointer: string, value: object, seen = new Set<string>()): boolean {
    const place = this.#places.get(pointer);
    if (place === undefined || seen.has(pointer)) return true;
    seen.add(pointer);
    const { schema } = place;
    if (!isJsonObject(schema)) return schema !== false;
    if (!admits(schema["type"], value)) return false;
    if (isJsonObject(value) && !this.#mayHaveFields(place, schema, value)) return false;
    const whole = [...pointersOf(place, "$ref"), ...pointersOf(place, "allOf")];
    return whole.every((inner) => this.#mayFit(inner, value, seen));
  }

  #mayHaveFields(place: Place, { required, additionalProperties }: JsonObject, value: JsonObject): boolean {
    const own = new Map((place.inner.get("properties") ?? []).map(({ name, pointer }) => [name, pointer]));
    const isThere = (name: unknown): boolean =>
      typeof name === "string" &&
      (Object.hasOwn(value, name) || this.#defaultOf(own.get(name) ?? "") !== undefined);
    if (Array.isArray(required) && !required.every(isThere)) return false;
    const isPatterned = place.inner.has("patternProperties");
    return Object.entries(value).every(([name, inner]) => {
      const pointer = own.get(name);
      if (pointer === undefined) return additionalProperties !== false || isPatterned;
      return this.#mayBe(pointer, inner);
    });
  }

  /** Whether a field may be what names a form: its `const`, or one of its `enum`. */
  #mayBe(pointer: string, value: unknown, seen = new Set<string>()): boolean {
    const place = this.#places.get(pointer);
    if (typeof value === "object" || !isJsonObject(place?.schema) || seen.has(pointer)) return true;
    seen.add(pointer);
    const { const: only = value, enum: allowed = [value] } = place.schema;
    if (only !== value || !(allowed as readonly unknown[]).includes(value)) return false;
    return [...pointersOf(place, "$ref"), ...pointersOf(place, "allOf")].every((inner) =>
      this.#mayBe(inner, value, seen),
    );
  }

  #defaultOf(pointer: string, seen = new Set<string>()): unknown {
    const place = this.#places.get(pointer);
    if (pointer === "" || !isJsonObject(place?.schema) || seen.has(pointer)) return undefined;
    seen.add(pointer);
    const said = place.schema["default"];
    if (said !== undefined && said !== null) return said;
    for (const inner of [...pointersOf(place, "$ref"), ...pointersOf(place, "allOf")]) {
      const found = this.#defaultOf(inner, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Whether a schema's `type` admits an object or a list; of others it is not asked. */
function admits(type: unknown, value: object): boolean {
  const kind = Array.isArray(value) ? "array" : "object";
  return type === undefined || [type].flat().includes(kind);
}
