import type * as z from "zod";

import { toPointer } from "../kit/json-pointer.ts";
import { nearest } from "../kit/nearest.ts";
import { visibleText } from "../kit/visible-text.ts";
import type { Issue } from "./failure.ts";
import { isJsonObject } from "./json.ts";

/** A model repairs a few slips at once; a list of fifty is noise. */
const MAX_ISSUES = 5;

/** What an issue about a field that does not exist says it expected. */
const NO_SUCH_FIELD = "no such field";

type ZodIssue = z.core.$ZodIssue;

/** Translate what Zod found wrong with `input` into issues under the pointer `base`, most important first. */
export function toIssues(error: z.ZodError, input: unknown, base: readonly PropertyKey[] = []): Issue[] {
  const issues: Issue[] = [];
  for (const issue of error.issues) {
    for (const [path, expected] of explain(issue)) {
      if (issues.length === MAX_ISSUES) return issues;
      issues.push({
        path: visiblePath([...base, ...path]),
        expected,
        received: describe(valueAt(input, path)),
      });
    }
  }
  return issues;
}

/** Write a path of keys as a pointer that can be shown: a key is the caller's text, however long or invisible. */
export function visiblePath(path: readonly PropertyKey[]): string {
  return visibleText(toPointer(path), 256);
}

/** What a failure says of values that do not fit: the issues, and one sentence for the model that sent them. */
export interface Misfit {
  readonly issues: readonly [Issue, ...Issue[]];
  readonly hint: string;
}

/** Say one issue, as what a failure says. */
export function toMisfit(issue: Issue): Misfit {
  return { issues: [issue], hint: toHint([issue]) };
}

/**
 * Say what Zod found wrong with `input`, with a did-you-mean for fields that do not exist.
 *
 * @param known the fields there are, directly under `base`
 */
export function explainMisfit(
  error: z.ZodError,
  input: unknown,
  known: readonly string[],
  base: readonly string[] = [],
): Misfit {
  const issues = toIssues(error, input, base) as [Issue, ...Issue[]];
  const hint = `${toHint(issues)} ${suggestFields(issues, known, toPointer(base))}`.trim();
  return { issues, hint };
}

/** Say issues as one sentence that a model can act on. */
export function toHint(issues: readonly Issue[]): string {
  const said = issues.map(sayIssue).join("; ");
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
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
  if (typeof value === "string") return `the string "${visibleText(value, 40)}"`;
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
      return [[path, `one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`]];
    case "unrecognized_keys":
      return issue.keys.map((key) => [[...path, key], NO_SUCH_FIELD]);
    case "too_small":
      return [[path, bound(issue, issue.inclusive === false ? "more than" : "at least", issue.minimum)]];
    case "too_big":
      return [[path, bound(issue, issue.inclusive === false ? "less than" : "at most", issue.maximum)]];
    case "invalid_format":
      return [
        [path, issue.format === "regex" ? `text matching ${String(issue.pattern)}` : article(issue.format)],
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
  if (message !== "Invalid input") return [[[], visibleText(message, 120)]];
  const meant = errors.filter((issues) => !issues.some(isOfAnotherType));
  if (meant.length === 1) return meant[0]!.flatMap(explain);
  const types = meant.length === 0 ? errors.flat().flatMap(explain) : [];
  const expected = new Set(types.flatMap(([path, type]) => (path.length === 0 ? [type] : [])));
  return [[[], expected.size === 0 ? "one of several forms" : [...expected].join(" or ")]];
}

function isOfAnotherType({ code, path }: ZodIssue): boolean {
  return path.length === 0 && ["invalid_type", "invalid_value", "invalid_union"].includes(code);
}

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

/** Add a did-you-mean to issues about fields that do not exist directly under `parent`, where the `known` ones do. */
export function suggestFields(issues: readonly Issue[], known: readonly string[], parent = ""): string {
  const suggestions = issues.flatMap(({ path, expected }) => {
    const at = path.lastIndexOf("/");
    if (expected !== NO_SUCH_FIELD || path.slice(0, at) !== parent) return [];
    const name = path.slice(at + 1);
    const near = nearest(name, known, 1);
    return near.length > 0 ? [`Did you mean '${near[0]}' instead of '${visibleText(name)}'?`] : [];
  });
  return suggestions.join(" ");
}
