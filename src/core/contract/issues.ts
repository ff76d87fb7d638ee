import * as z from "zod/mini";

import { toPointer } from "../kit/json/json-pointer.ts";
import { nearest } from "../kit/nearest.ts";
import { quotedText, visibleText } from "../kit/visible-text.ts";
import type { Issue } from "./failure.ts";
import { isJsonObject } from "./json.ts";
import * as LIMITS from "./limits.ts";
import { Pending } from "./pending.ts";
import { MARKERS } from "./reference.ts";

/** The expectation that an issue about a field that does not exist names. */
export const NO_SUCH_FIELD = "no such field";

/**
 * Zod's words for what `explain` does not say itself. Its smaller edition brings none, and its whole English takes a KiB of every
 * Worker; the larger edition, where a tool uses it, sets the same.
 */
if (z.config().localeError === undefined) z.config({ localeError: sayRest });

function sayRest(issue: z.core.$ZodRawIssue): string {
  if (issue.code === "invalid_key") return `Invalid key in ${issue.origin}`;
  if (issue.code === "invalid_element") return `Invalid value in ${issue.origin}`;
  if (issue.code !== "invalid_union") return "Invalid input";
  const options = issue["options"];
  if (Array.isArray(options) && options.length > 0)
    return `Invalid discriminator value. Expected ${options.map((option) => `'${option}'`).join(" | ")}`;
  return issue.inclusive === false ? "Invalid input: more than one option matched" : "Invalid input";
}

type ZodIssue = z.core.$ZodIssue;

/** The issues that Zod found with a value. */
export interface Misfits {
  /** The first of it. */
  readonly issues: readonly ZodIssue[];
  /** How much there is of it, in every form that a value may have. */
  readonly count: number;
}

/** How a schema is run on what a caller sent. */
export const PARSING = { async: false } as const;

/**
 * Put into words what a schema found wrong, as much of it as is told: arguments of 64 KiB may have thirty thousand things
 * wrong with them, and saying one costs several times what finding it does.
 */
export function toMisfits(found: readonly z.core.$ZodRawIssue[]): Misfits {
  const told = found.slice(0, LIMITS.issues);
  return { issues: finalize(told), count: found.reduce((sum, issue) => sum + countOf(issue), 0) };
}

/**
 * Complete issues as a parse does at its end, with the words of the schema that raised each. By a schema that finds just these:
 * Zod exports the function itself in a namespace, which no bundler takes apart.
 */
export function finalize(found: readonly z.core.$ZodRawIssue[]): readonly ZodIssue[] {
  const finder = z.unknown().check(({ issues }) => void issues.push(...found));
  return z.safeParse(finder, null).error?.issues ?? [];
}

function countOf(issue: z.core.$ZodRawIssue): number {
  if (issue.code !== "invalid_union") return 1;
  return issue.errors.reduce((sum, { length }) => sum + length, 1);
}

/** Translate what Zod found wrong with `input` into issues under the pointer `base`, most important first. */
export function toIssues(
  error: Pick<Misfits, "issues">,
  input: unknown,
  {
    base = [],
    most = LIMITS.issues,
  }: { readonly base?: readonly PropertyKey[]; readonly most?: number } = {},
): Issue[] {
  const issues: Issue[] = [];
  for (const issue of error.issues) {
    for (const [path, expected] of explain(issue)) {
      if (issues.length === most) return issues;
      const value = valueAt(input, path);
      const isLong = JSON.isRawJSON(value) && (expected === "a number" || expected === "an integer");
      issues.push({
        path: visiblePath([...base, ...path]),
        expected: isLong ? "an integer within ±(2^53 - 1), or a string" : expected,
        received: describe(value),
      });
    }
  }
  return issues;
}

/** Write a path of keys as a pointer that can be shown: a key is the caller's text, however long or invisible. */
export function visiblePath(path: readonly PropertyKey[]): string {
  return visibleText(toPointer(path), 256);
}

/** A failure's words for values that do not fit: the issues, and one sentence for the model that sent them. */
export interface Misfit {
  readonly issues: readonly [Issue, ...Issue[]];
  readonly hint: string;
}

/** Say one issue, as what a failure says. */
export function toMisfit(issue: Issue): Misfit {
  return { issues: [issue], hint: toHint([issue]) };
}

/** Where the input stands that is explained. */
interface Explained {
  /** The fields there are, directly under `base`. */
  readonly known: readonly string[];
  readonly base?: readonly string[];
  /** Whether references put somebody else's data into the input. */
  readonly isForeign?: boolean;
}

/** Say what Zod found wrong with `input`, with a did-you-mean for fields that do not exist. */
export function explainMisfit(
  error: Pick<Misfits, "issues">,
  input: unknown,
  { known, base = [], isForeign = false }: Explained,
): Misfit {
  const issues = toIssues(error, input, { base }) as [Issue, ...Issue[]];
  if (isForeign) return { issues, hint: toForeignHint(issues, known, toPointer(base)) };
  const next =
    (base[0] === "args" && suggestMarker(error.issues, input)) ||
    suggestForm(error.issues[0]!, input) ||
    suggestFields(issues, known, toPointer(base));
  return { issues, hint: `${toHint(issues)} ${next}`.trim() };
}

/** Say which marker was meant by an object that does not fit; empty where none was. One that fits is what was sent. */
function suggestMarker(issues: readonly ZodIssue[], input: unknown): string {
  for (const { path } of issues) {
    // Where a field is missing, the object around it is what does not fit.
    const value = valueAt(input, path) ?? valueAt(input, path.slice(0, -1));
    const [name = "", another] = isJsonObject(value) ? Object.keys(value) : [];
    const [meant] = name.startsWith("$") && another === undefined ? nearest(name, MARKERS, 1) : [];
    if (meant !== undefined && meant !== name)
      return `Did you mean '${meant}' instead of '${visibleText(name)}'?`;
  }
  return "";
}

/** Say how a value is written that is right but for its form; empty where nothing is known of it. */
function suggestForm({ code, path, ...issue }: ZodIssue, input: unknown): string {
  const value = valueAt(input, path);
  if (value instanceof Pending) return value.advice;
  const expected = code === "invalid_type" && "expected" in issue ? issue.expected : "";
  if (isJsonObject(value) && ["$ref", "$template"].some((key) => Object.hasOwn(value, key)))
    return Object.keys(value).length > 1
      ? "An object stands for another value only where $ref or $template is its single key."
      : "References are not read here.";
  if (typeof value !== "string") return "";
  // A value that was written as text once too often.
  if (expected === "array" && value.trimStart().startsWith("["))
    return "Send the list itself, not JSON text of it.";
  if ((expected === "object" || expected === "record") && value.trimStart().startsWith("{"))
    return "Send the object itself, not JSON text of it.";
  if (expected === "array") return `Put it into a list: [${JSON.stringify(visibleText(value, 40))}].`;
  const isTime = String(path.at(-1)).endsWith("_ms") && value !== "" && Number.isNaN(Number(value));
  if (isTime && expected === "number") return "Write milliseconds as a number, such as 15000.";
  const isNumber = expected === "number" || expected === "integer";
  const isBare = isNumber ? PLAIN_NUMBER.test(value) : expected === "boolean" && FLAG.test(value);
  return isBare ? `Write it without quotes: ${value.toLowerCase()}.` : "";
}

const PLAIN_NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const FLAG = /^(?:true|false)$/i;

/** Say issues as one sentence that a model can act on. */
export function toHint(issues: readonly Issue[]): string {
  const said = issues.map(sayIssue).join("; ");
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}

/**
 * Say what is wrong with data that came from another's answer: no key of it stands in our sentence but in quotes. Two issues,
 * so that it is five such words at the most.
 */
export function toForeignHint(issues: readonly Issue[], known: readonly string[], base: string): string {
  return toHint(
    issues.slice(0, 2).map((issue) => ({ ...issue, path: foreignPath(issue.path, known, base) })),
  );
}

/** Only a declared field and the places in arrays are not the other's words. */
function foreignPath(path: string, known: readonly string[], base: string): string {
  const [field = "", ...inside] = path.slice(base.length + 1).split("/");
  if (path.length <= base.length) return path;
  const isKnown = known.includes(field);
  const theirs = isKnown ? inside : [field, ...inside];
  if (theirs.every((token) => /^\d{1,7}$/.test(token))) return path;
  return `${quotedText(`/${theirs.join("/")}`)} in ${isKnown ? `${base}/${field}` : base}`;
}

function sayIssue({ path, expected, received }: Issue): string {
  if (expected === NO_SUCH_FIELD) return `there is no field ${path}`;
  return `${path || "the value"} must be ${expected}, received ${received}`;
}

/** Name a value's type, with a glimpse of it when it is a scalar. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "string") return `the string ${quotedText(value)}`;
  if (value instanceof Pending) return value.isText ? "the text of a $template" : "what a $ref stands for";
  if (JSON.isRawJSON(value)) return `the number ${visibleText(value.rawJSON, 40)}`;
  if (typeof value === "object") return "an object";
  return `the ${typeof value} ${String(value)}`;
}

function explain(issue: ZodIssue): [path: PropertyKey[], expected: string][] {
  const { path } = issue;
  switch (issue.code) {
    case "invalid_type":
      return [[path, article(issue.expected)]];
    case "invalid_value":
      return [[path, oneOf(issue.values)]];
    case "unrecognized_keys":
      return issue.keys.slice(0, LIMITS.issues).map((key) => [[...path, key], NO_SUCH_FIELD]);
    case "too_small":
      return [[path, bound(issue, issue.inclusive === false ? "more than" : "at least", issue.minimum)]];
    case "too_big":
      return [[path, bound(issue, issue.inclusive === false ? "less than" : "at most", issue.maximum)]];
    case "invalid_format":
      if (issue.format !== "regex") return [[path, article(issue.format)]];
      // An author's own words for it, where the library's do not stand in their place.
      return [
        [
          path,
          issue.message.startsWith("Invalid ")
            ? `text matching ${String(issue.pattern)}`
            : visibleText(issue.message, 120),
        ],
      ];
    case "not_multiple_of":
      return [[path, `a multiple of ${issue.divisor}`]];
    case "invalid_union":
      return explainChoice(issue).map(([inner, expected]) => [[...path, ...inner], expected]);
    default:
      return [[path, visibleText(issue.message, 120)]];
  }
}

/** Name the types that one of several forms may have; where one was meant and is wrong inside, say what is wrong there. */
function explainChoice({ message, errors }: z.core.$ZodIssueInvalidUnion): [PropertyKey[], string][] {
  // An author's own words for it.
  if (message !== "Invalid input") return [[[], visibleText(message, 500)]];
  const meant = errors.filter((issues) => !issues.some(isOfAnotherType));
  if (meant.length === 1) return meant[0]!.flatMap(explain);
  const types = meant.length === 0 ? errors.flat().flatMap(explain) : [];
  const expected = new Set(types.flatMap(([path, type]) => (path.length === 0 ? [type] : [])));
  return [[[], expected.size === 0 ? "one of several forms" : [...expected].join(" or ")]];
}

function isOfAnotherType({ code, path }: ZodIssue): boolean {
  return path.length === 0 && ["invalid_type", "invalid_value", "invalid_union"].includes(code);
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_CHOICES).map((value) => JSON.stringify(value));
  return `one of ${shown.join(", ")}${values.length > MOST_CHOICES ? ", …" : ""}`;
}

/** Choices that are listed: a schema with more of them describes them elsewhere. */
const MOST_CHOICES = 50;

function bound(
  { origin, exact }: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  relation: string,
  value: number | bigint,
): string {
  const of = `${exact ? "exactly" : relation} ${value}`;
  if (origin !== "string" && origin !== "array" && origin !== "set") return `a number ${of}`;
  const noun = origin === "string" ? "character" : "item";
  return `${of} ${noun}${Number(value) === 1 ? "" : "s"} long`;
}

function article(noun: string): string {
  const word =
    noun === "int" ? "integer" : noun === "record" ? "object" : noun === "email" ? "email address" : noun;
  return `${/^(?:[aeio]|un)/.test(word) ? "an" : "a"} ${word}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isJsonObject(value) && Object.hasOwn(value, key)) value = value[String(key)];
    else return undefined;
  }
  return value;
}

/** Names that models use for the fields of an action, because their training wrote it so. */
export const OTHER_NAMES = {
  tool: ["name", "function", "tool_name"],
  args: ["arguments", "parameters", "params", "input"],
} as const;

/** Names that models use for the same thing. */
const SYNONYMS: readonly (readonly string[])[] = [
  ["args", ...OTHER_NAMES.args],
  ["tool", ...OTHER_NAMES.tool],
  ["actions", "tools", "calls", "tool_calls", "function_calls", "steps", "tasks", "requests", "batch"],
  ["deadline_ms", "timeout_ms", "timeout"],
];

function findMeant(name: string, known: readonly string[]): string | undefined {
  const group = SYNONYMS.find((names) => names.includes(name)) ?? [];
  return nearest(name, known, 1)[0] ?? known.find((other) => group.includes(other));
}

/** Fields that are listed to a caller whose field is like none of them. */
const LISTED_FIELDS = 10;

/** Add a did-you-mean to issues about fields that do not exist directly under `parent`, where the `known` ones do. */
export function suggestFields(issues: readonly Issue[], known: readonly string[], parent = ""): string {
  const strange = issues.flatMap(({ path, expected }) => {
    const at = path.lastIndexOf("/");
    return expected === NO_SUCH_FIELD && path.slice(0, at) === parent ? [path.slice(at + 1)] : [];
  });
  const suggestions = strange.flatMap((name) => {
    const meant = findMeant(name, known);
    return meant === undefined ? [] : [`Did you mean '${meant}' instead of '${visibleText(name)}'?`];
  });
  const isStrange = suggestions.length === 0 && strange.length === issues.length;
  if (!isStrange || known.length === 0) return suggestions.join(" ");
  const listed = known.slice(0, LISTED_FIELDS).map((name) => `'${visibleText(name)}'`);
  return `There ${listed.length === 1 ? "is" : "are"} ${listed.join(", ")}${known.length > LISTED_FIELDS ? " and others" : ""}.`;
}
