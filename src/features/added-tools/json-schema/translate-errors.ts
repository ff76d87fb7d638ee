import type { OutputUnit } from "@cfworker/json-schema";
import type * as z from "zod/mini";

import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { type Compiled, TOLD_ELSEWHERE } from "./compile-schema.ts";

type RawIssue = z.core.$ZodRawIssue;
type Path = readonly PropertyKey[];

/** An issue as Zod's schemas make it, but for the value it is about, which is looked up where it is explained. */
function issue(code: RawIssue["code"], path: Path, said: object): RawIssue {
  return { code, path: [...path], input: undefined, ...said } as RawIssue;
}

/** Stands for one more that is counted and not told. */
const UNTOLD = issue("custom", [], { message: "" });

/** Keywords whose own line only says that something inside does not fit, which has a line of its own. */
const CARRIERS = new Set([
  "$ref",
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
  "unevaluatedItems",
  "allOf",
  "if",
  "dependentSchemas",
]);

/**
 * Translate what the validator found wrong into issues as Zod has them, so that they are explained in the same words. The
 * validator lists what is wrong from the outside in; of what only says that something inside is wrong nothing is told.
 *
 * @param base the path of the value that the issues' paths begin at
 */
export function translateErrors(
  errors: readonly OutputUnit[],
  compiled: Compiled,
  base: Path = [],
): RawIssue[] {
  const issues: RawIssue[] = [];
  for (let at = 0; at < errors.length;) {
    const end = endOfGroup(errors, at);
    if (issues.length >= LIMITS.issues) issues.push(UNTOLD);
    else if (issues.length === 0 || !isToldElsewhere(errors[at]!, compiled))
      issues.push(...translate(errors[at]!, errors.slice(at + 1, end), compiled, base));
    at = end;
  }
  return issues;
}

function isToldElsewhere({ keyword, keywordLocation }: OutputUnit, compiled: Compiled): boolean {
  if (keyword !== "not" || !keywordLocation.endsWith("/else/not")) return false;
  const { not } = schemaAt(keywordLocation, compiled).schema;
  return isJsonObject(not) && not["$comment"] === TOLD_ELSEWHERE;
}

/** Errors inside a union, a name's schema or a list's search are told together with it. */
function endOfGroup(errors: readonly OutputUnit[], at: number): number {
  const { keyword, keywordLocation } = errors[at]!;
  if (!["anyOf", "oneOf", "propertyNames", "contains"].includes(keyword)) return at + 1;
  let end = at + 1;
  while (errors[end]?.keywordLocation.startsWith(`${keywordLocation}/`) === true) end += 1;
  return end;
}

function translate(
  error: OutputUnit,
  inside: readonly OutputUnit[],
  compiled: Compiled,
  base: Path,
): RawIssue[] {
  const { keyword, keywordLocation, instanceLocation } = error;
  if (CARRIERS.has(keyword)) return [];
  const whole = readLocation(instanceLocation);
  const path = whole.slice(base.length);
  const { schema, isLookedFor } = schemaAt(keywordLocation, compiled);
  // An item that is not the one looked for is no mistake.
  if (isLookedFor) return [];
  const custom = (message: string): RawIssue[] => [issue("custom", path, { message })];
  const value = schema[keyword];
  const bound = (code: "too_small" | "too_big", origin: string, inclusive = true): RawIssue[] => [
    issue(code, path, { origin, inclusive, [code === "too_small" ? "minimum" : "maximum"]: value }),
  ];
  switch (keyword) {
    case "type":
      if (Array.isArray(value)) return custom(value.map((type) => article(String(type))).join(" or "));
      return [issue("invalid_type", path, { expected: value })];
    case "enum":
      return [issue("invalid_value", path, { values: value })];
    case "const":
      return [issue("invalid_value", path, { values: [value] })];
    case "required":
      return missing(error, schema, path);
    case "minimum":
      return bound("too_small", "number");
    case "maximum":
      return bound("too_big", "number");
    case "exclusiveMinimum":
      return bound("too_small", "number", false);
    case "exclusiveMaximum":
      return bound("too_big", "number", false);
    case "minLength":
      return bound("too_small", "string");
    case "maxLength":
      return bound("too_big", "string");
    case "minItems":
      return bound("too_small", "array");
    case "maxItems":
      return bound("too_big", "array");
    case "multipleOf":
      return [issue("not_multiple_of", path, { divisor: value })];
    case "pattern":
      return [issue("invalid_format", path, { format: "regex", pattern: `/${String(value)}/` })];
    case "minProperties":
      return custom(`an object with at least ${String(value)} ${Number(value) === 1 ? "field" : "fields"}`);
    case "maxProperties":
      return custom(`an object with at most ${String(value)} ${Number(value) === 1 ? "field" : "fields"}`);
    case "uniqueItems":
      return custom("an array of items that are all different");
    case "contains":
    case "minContains":
      return custom(
        `an array with at least ${Number(schema["minContains"] ?? 1)} of the items that are asked for`,
      );
    case "maxContains":
      return custom(`an array with at most ${String(value)} of the items that are looked for`);
    case "propertyNames":
      return [issue("custom", fieldOf(inside, base), { message: "a field of another name" })];
    case "dependentRequired":
      return together(error, path);
    case "not":
      return Object.keys(value as object).length === 0
        ? unexpected(keywordLocation, path)
        : custom("something else");
    case "oneOf":
    case "anyOf":
      return sayUnion(error, inside, { compiled, base: whole, path });
    default:
      return custom("what the schema asks for");
  }
}

/** The validator says which field it misses in words only. */
function missing({ error }: OutputUnit, schema: JsonObject, path: Path): RawIssue[] {
  const name = /^Instance does not have required property "([^]*)"\.$/.exec(error)?.[1] ?? "";
  const properties = schema["properties"];
  const declared = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const type = isJsonObject(declared) ? declared["type"] : undefined;
  const at = [...path, name];
  return [
    typeof type === "string"
      ? issue("invalid_type", at, { expected: type })
      : issue("custom", at, { message: "a value" }),
  ];
}

function together({ error }: OutputUnit, path: Path): RawIssue[] {
  const [, given = "", needed = ""] =
    /^Instance has "([^]*)" but does not have "([^]*)"\.$/.exec(error) ?? [];
  return [issue("custom", [...path, needed], { message: `a value, because '${given}' has one` })];
}

/** The field whose name does not fit stands only in what is said of the name. */
function fieldOf(inside: readonly OutputUnit[], base: Path): Path {
  const [first] = inside;
  return first === undefined ? [] : readLocation(first.instanceLocation).slice(base.length);
}

/** Where nothing may be: a field that does not exist, an item too many, or a value that a branch never takes. */
function unexpected(keywordLocation: string, path: Path): RawIssue[] {
  const under = keywordLocation.split("/").at(-2);
  const isField = under === "additionalProperties" || under === "unevaluatedProperties";
  if (isField) return [issue("unrecognized_keys", path.slice(0, -1), { keys: [path.at(-1)] })];
  return [issue("custom", path, { message: "nothing here" })];
}

interface Union {
  readonly compiled: Compiled;
  readonly base: Path;
  readonly path: Path;
}

function sayUnion(
  error: OutputUnit,
  inside: readonly OutputUnit[],
  { compiled, base, path }: Union,
): RawIssue[] {
  const matches = /\((\d+) matches\)/.exec(error.error)?.[1];
  if (matches !== undefined && matches !== "0")
    return [
      issue("custom", path, { message: `one of several forms, and it fits ${matches} of them at once` }),
    ];
  const prefix = `${error.keywordLocation}/`;
  const branches = Map.groupBy(
    inside,
    ({ keywordLocation }) => keywordLocation.slice(prefix.length).split("/", 1)[0]!,
  );
  const errors = Array.from(branches.values(), (branch) => translateErrors(branch, compiled, base));
  // One inside another is not given its words by Zod any more.
  return [issue("invalid_union", path, { errors, message: "Invalid input" })];
}

/** The schema that a keyword stands in, by the way the validator came to it; and whether it came there to look for something. */
function schemaAt(
  location: string,
  { document, defs }: Compiled,
): { readonly schema: JsonObject; readonly isLookedFor: boolean } {
  let at: unknown = document;
  let isLookedFor = false;
  for (const [index, token] of location.split("/").slice(1, -1).entries()) {
    const inside: unknown =
      isJsonObject(at) || Array.isArray(at) ? (at as JsonObject)[readToken(token)] : undefined;
    if (token === "contains" && isJsonObject(inside) && index > 0) isLookedFor = true;
    at = token === "$ref" && typeof inside === "string" ? defs[inside.slice("#/$defs/".length)] : inside;
  }
  return { schema: isJsonObject(at) ? at : {}, isLookedFor };
}

function readLocation(location: string): string[] {
  return location.split("/").slice(1).map(readToken);
}

/** The validator writes pointers as a URI's fragments. */
function readToken(token: string): string {
  return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
}

function article(type: string): string {
  if (type === "null") return type;
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}
