import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { APPLICATORS, RULES } from "./keywords.ts";
import { type Inner, type Place, walkSchema } from "./walk-schema.ts";
import { type PatternCost, weighPattern } from "./weigh-pattern.ts";

/** A schema as the validator takes it: known keywords only, no booleans, every reference to one of `$defs`. */
export interface Compiled {
  /** `{$ref: "#/$defs/0", $defs: {"0": …}}`. */
  readonly document: JsonObject;
  readonly defs: Readonly<Record<string, JsonObject>>;
  readonly patterns: ReadonlyMap<string, PatternCost>;
}

/** Annotations are for readers of the schema. */
const UNCHECKED = new Set(["format", "title", "description", "$comment", "$anchor", "$schema"]);

/**
 * Make of a schema what the validator takes, which is a copy, because it writes into what it is given. A keyword that the validator would read otherwise than JSON Schema 2020-12 does (keywords of older drafts, `id`, `format`) is not in it.
 *
 * @param schema one that `checkSchema` found nothing wrong with
 */
export function compileSchema(schema: JsonObject): Compiled {
  const { places } = walkSchema(schema);
  const targets = new Map([["", 0]]);
  const patterns = new Map<string, PatternCost>();
  for (const place of places.values()) {
    const [referred] = place.inner.get("$ref") ?? [];
    if (referred !== undefined && !targets.has(referred.pointer)) targets.set(referred.pointer, targets.size);
    for (const pattern of patternsOf(place))
      if (!patterns.has(pattern)) patterns.set(pattern, weigh(pattern));
  }
  const apart = new Map(findApart(places).map((pointer, index) => [pointer, `apart-${index}`]));
  const copyHere = (pointer: string): JsonObject => copyPlace(places.get(pointer)!, copy, targets);
  const copy = (pointer: string): JsonObject => {
    const name = apart.get(pointer);
    return name === undefined ? copyHere(pointer) : checkApart(`#/$defs/${name}`);
  };
  const defs = Object.fromEntries([
    ...Array.from(targets, ([pointer, index]) => [index, copy(pointer)]),
    ...Array.from(apart, ([pointer, name]) => [name, copyHere(pointer)]),
  ]);
  return { document: { $ref: "#/$defs/0", $defs: defs }, defs, patterns };
}

/** Recursion is safe: a declaration's depth was bounded, and what is referred to is copied by itself. */
function copyPlace(
  { schema, inner }: Place,
  copy: (pointer: string) => JsonObject,
  targets: ReadonlyMap<string, number>,
): JsonObject {
  // One that no value fits is made anew for each place, because the validator writes into it.
  if (!isJsonObject(schema)) return schema === false ? { not: {} } : {};
  const checked = Object.entries(schema).filter(
    ([keyword]) => (RULES.has(keyword) && !UNCHECKED.has(keyword)) || keyword === "const",
  );
  const result: Record<string, unknown> = Object.fromEntries(checked);
  for (const [keyword, within] of inner) {
    const holds = APPLICATORS.get(keyword);
    if (keyword === "$defs" || keyword === "definitions") continue;
    if (holds === undefined) result["$ref"] = `#/$defs/${targets.get(within[0]!.pointer)}`;
    else if (holds === "schema") result[keyword] = copy(within[0]!.pointer);
    else if (holds === "list") result[keyword] = within.map(({ pointer }) => copy(pointer));
    else result[keyword] = Object.fromEntries(within.map(({ pointer, name }) => [name, copy(pointer)]));
  }
  return result;
}

/** Keywords by which the validator hands on what it has evaluated of the value. */
const HANDED_ON = ["$ref", "allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas"];

/**
 * Find the schemas with `unevaluated…` that the validator enters with what schemas beside them have evaluated. By JSON Schema 2020-12
 * these see only what they themselves and the schemas inside them evaluate.
 */
function findApart(places: ReadonlyMap<string, Place>): string[] {
  const entered = new Set<string>();
  const waiting = [...places.values()].filter(
    (place) => handsOn(place).length + (place.inner.has("if") ? 1 : 0) > 1,
  );
  for (const place of waiting)
    for (const { pointer } of handsOn(place).flat()) {
      if (entered.has(pointer)) continue;
      entered.add(pointer);
      waiting.push(places.get(pointer)!);
    }
  return [...entered].filter((pointer) => {
    const { inner } = places.get(pointer)!;
    return inner.has("unevaluatedProperties") || inner.has("unevaluatedItems");
  });
}

/** The schemas entered that way, in groups that do not see each other. */
function handsOn({ inner }: Place): Inner[][] {
  return HANDED_ON.flatMap((keyword) => {
    const within = inner.get(keyword) ?? [];
    return keyword === "dependentSchemas"
      ? within.map((one) => [one])
      : within.length > 0
        ? [[...within]]
        : [];
  });
}

/**
 * Check by a schema with nothing evaluated before, which is how the validator begins an `if`. The reference beside it tells what is
 * wrong, as far as that is wrong either way.
 */
function checkApart($ref: string): JsonObject {
  return { $ref, if: { $ref }, else: { not: { $comment: TOLD_ELSEWHERE } } };
}

/** Marks a refusal that is told only where nothing else is. */
export const TOLD_ELSEWHERE = "told elsewhere";

function patternsOf({ schema }: Place): string[] {
  if (!isJsonObject(schema)) return [];
  const { pattern, patternProperties } = schema;
  const names = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  return typeof pattern === "string" ? [pattern, ...names] : names;
}

function weigh(pattern: string): PatternCost {
  const weighed = weighPattern(pattern, { left: Number.POSITIVE_INFINITY });
  if (!weighed.ok) throw new Error(`Cannot check by the pattern '${pattern}': ${weighed.error}`);
  return weighed.value;
}
