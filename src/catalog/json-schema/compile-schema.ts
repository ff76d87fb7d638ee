import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import { APPLICATORS, RULES } from "./keywords.ts";
import { type Place, walkSchema } from "./walk-schema.ts";
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
 * Make of a schema what the validator takes, which is a copy, because it writes into what it is given. Whatever the validator
 * would read otherwise than JSON Schema 2020-12 does (keywords of older drafts, `id`, `format`) is not in it.
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
  const copy = (pointer: string): JsonObject => copyPlace(places.get(pointer)!, copy, targets);
  const defs = Object.fromEntries(Array.from(targets, ([pointer, index]) => [index, copy(pointer)]));
  return { document: { $ref: "#/$defs/0", $defs: defs }, defs, patterns };
}

/** Recursion is safe: a declaration's depth was bounded, and what is referred to is copied by itself. */
function copyPlace(
  { schema, inner }: Place,
  copy: (pointer: string) => JsonObject,
  targets: ReadonlyMap<string, number>,
): JsonObject {
  if (!isJsonObject(schema)) return schema === false ? never() : {};
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

/** A schema that no value fits; one of its own for each place, because the validator writes into it. */
function never(): JsonObject {
  return { not: {} };
}

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
