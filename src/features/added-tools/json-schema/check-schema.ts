import * as LIMITS from "../limits.ts";
import { isJsonObject, type JsonObject, visibleText } from "../../../feature/schema.ts";
import { getOrMake } from "../../../core/kit/get-or-make.ts";
import { findCycle } from "../../../core/kit/layers.ts";
import { APPLICATORS, REFUSED, RULES } from "./keywords.ts";
import type { Budget } from "./position-automaton.ts";
import { inPlace, pathOf, type Place, type Walked, walkSchema } from "./walk-schema.ts";
import { weighPattern } from "./weigh-pattern.ts";

/** Told of each problem: where in the schema, what was expected there, what stands there, and what to do about it. */
type Report = (
  path: readonly PropertyKey[],
  expected: string,
  value: unknown,
  said?: { readonly hint?: string | undefined; readonly received?: string },
) => void;

/** Work for all patterns of one schema: a few milliseconds, and ten of the dearest in common use. */
const PATTERNS_WORK = 80_000;

/**
 * Find what is wrong with the schema of a tool's arguments: JSON Schema 2020-12 of an object, complete in itself, whose patterns
 * cannot explode. Unknown keywords are annotations and may stand anywhere.
 *
 * @param weigh weighs its patterns; within what many schemas may take together, where there are many
 */
export function checkSchema(
  schema: JsonObject,
  report: Report,
  weigh: typeof weighPattern = weighPattern,
): void {
  if (schema["type"] !== "object")
    report(["type"], '"object"', schema["type"], {
      hint: 'A tool\'s arguments are an object: write "type": "object" at the top of \'input_schema\'.',
    });
  const walked = walkSchema(schema);
  if (walked.places.size > LIMITS.declarationSchemas) {
    report([], `at most ${LIMITS.declarationSchemas} schemas inside`, schema, {
      received: "more of them",
      hint: `A tool's arguments are described by at most ${LIMITS.declarationSchemas} schemas; leave out what a model need not be told.`,
    });
    return;
  }
  const budget: Budget = { left: PATTERNS_WORK };
  const checkPattern = (path: readonly string[], pattern: string): void => {
    const weighed = weigh(pattern, budget);
    if (weighed.ok) return;
    report(path, "a regular expression that is quick for every text", pattern, {
      hint: `This pattern cannot be used: ${weighed.error}; write it so that each text fits in one way only, or leave it out and say in the description what is meant.`,
    });
  };
  for (const place of walked.places.values()) checkPlace(place, report, checkPattern);
  for (const { pointer, ref, wrong } of walked.badRefs)
    report(pathOf(pointer), "a reference to a place inside this schema", ref, {
      hint:
        wrong === "remote"
          ? "Only places inside 'input_schema' can be referred to; copy the other schema into its '$defs'."
          : "There is nothing at that place; refer to one of '$defs', such as #/$defs/address.",
    });
  if (walked.badRefs.length === 0) checkEnds(walked, report);
}

function checkPlace(
  { pointer, schema }: Place,
  report: Report,
  checkPattern: (path: readonly string[], pattern: string) => void,
): void {
  if (typeof schema === "boolean") return;
  if (!isJsonObject(schema)) {
    const isOldList = pointer.endsWith("/items") && Array.isArray(schema);
    report(pathOf(pointer), "a schema: an object, true or false", schema, {
      hint: isOldList ? "Write a list of schemas as 'prefixItems'." : undefined,
    });
    return;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const at = (...inside: string[]): string[] => [...pathOf(pointer), keyword, ...inside];
    const rule = RULES.get(keyword);
    const isNestedId = keyword === "$id" && pointer !== "";
    const instead = REFUSED.get(keyword) ?? (isNestedId ? "Leave '$id' out." : undefined);
    const holds = APPLICATORS.get(keyword);
    if (instead !== undefined) report(at(), "no such keyword", value, { hint: instead });
    else if (rule !== undefined && !rule.check(value)) report(at(), rule.expected, value);
    else if (keyword === "pattern") checkPattern(at(), value as string);
    else if (holds === "list" && (!Array.isArray(value) || value.length === 0))
      report(at(), "a list of at least one schema", value);
    else if (holds === "map" && !isJsonObject(value)) report(at(), "an object of schemas", value);
    else if (keyword === "patternProperties")
      for (const pattern of Object.keys(value as object)) checkPattern(at(pattern), pattern);
  }
}

/** Every value has to be checked some time: nothing may refer to itself without an object or a list between. */
function checkEnds({ places }: Walked, report: Report): void {
  const all = [...places.values()];
  const index = new Map(all.map(({ pointer }, at) => [pointer, at]));
  const needs = all.map((place) => inPlace(place).map(({ pointer }) => index.get(pointer)!));
  const cycle = findCycle(needs);
  if (cycle !== null) {
    const { pointer, schema } = all[cycle[0]!]!;
    const way = cycle.slice(0, 5).map((at) => visibleText(`#${all[at]!.pointer}`));
    report(pathOf(pointer), "a schema that does not come back to itself", schema, {
      hint: `Checking a value by it would never end: ${way.join(" → ")}; take one of these references out.`,
    });
    return;
  }
  for (const pointer of findEndless(places))
    report(pathOf(pointer), "a schema that some value fits", places.get(pointer)!.schema, {
      hint: "Each value of it needs another one inside without end; make the field that refers back optional.",
    });
}

/**
 * Find the schemas that are referred to and that no finite value fits, because every value of one needs another value of one
 * inside; by their pointers. It is the least fixed point of "some value that ends may fit": what only needs schemas that have
 * such a value has one itself. Only what recursion does is looked at; a schema may still be impossible for other reasons.
 */
function findEndless(places: ReadonlyMap<string, Place>): string[] {
  const ending = new Set<string>();
  const users = new Map<string, string[]>();
  const referred = new Set<string>();
  for (const [user, { inner }] of places)
    for (const [keyword, within] of inner)
      for (const { pointer } of within) {
        if (keyword === "$ref") referred.add(pointer);
        getOrMake(users, pointer, (): string[] => []).push(user);
      }
  // Inner schemas come before the outer ones, so most are looked at once.
  const waiting = [...places.keys()].toReversed();
  const queued = new Set(waiting);
  for (const pointer of waiting) {
    queued.delete(pointer);
    if (ending.has(pointer) || !mayEnd(places.get(pointer)!, ending)) continue;
    ending.add(pointer);
    for (const user of users.get(pointer) ?? []) {
      if (ending.has(user) || queued.has(user)) continue;
      queued.add(user);
      waiting.push(user);
    }
  }
  return [...referred].filter((pointer) => !ending.has(pointer));
}

function mayEnd({ schema, inner }: Place, ending: ReadonlySet<string>): boolean {
  if (!isJsonObject(schema)) return true;
  const ends = ({ pointer }: { readonly pointer: string }): boolean => ending.has(pointer);
  for (const keyword of ["$ref", "allOf"]) if (inner.get(keyword)?.every(ends) === false) return false;
  for (const keyword of ["anyOf", "oneOf"]) if (inner.get(keyword)?.some(ends) === false) return false;
  if (schema["type"] === "object") {
    const needed = new Set(Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : []);
    return (inner.get("properties") ?? []).every((field) => !needed.has(field.name) || ends(field));
  }
  if (schema["type"] === "array" && Number(schema["minItems"] ?? 0) > 0)
    return (inner.get("prefixItems")?.slice(0, 1) ?? inner.get("items") ?? []).every(ends);
  return true;
}
