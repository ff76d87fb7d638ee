import { describe } from "../contract/issues.ts";
import { type Check, isJsonObject, isWritten } from "../contract/json.ts";
import { nearest } from "../kit/nearest.ts";
import { visibleText } from "../kit/visible-text.ts";

/** Says the requirement that a field misses, in the words after "must"; null when the field meets it. */
export type Rule = (value: unknown) => string | null;

/** A rule that says the same of whatever does not pass. */
export function must(be: string, check: Check): Rule {
  return (value) => (check(value) ? null : be);
}

/** A field that may be left out. */
export function optional(rule: Rule): Rule {
  return (value) => (value === undefined ? null : rule(value));
}

/** Text that says something. */
export const writtenText: Rule = (value) => {
  if (typeof value !== "string") return "be text";
  return value.trim() === "" ? "not be empty" : null;
};

/** Names, of which there may be none. */
export const names: Rule = must(
  "be an array of names",
  (value) => Array.isArray(value) && value.every(isWritten),
);

/**
 * Find what is wrong with the shape of a declaration, field by field: what was expected and what came. Authors of plain
 * JavaScript have no compiler that tells them, and a field that is misspelt would be left at its default.
 *
 * @param rules one for every field there is
 */
export function findMisfits(declaration: unknown, rules: Readonly<Record<string, Rule>>): string[] {
  if (!isJsonObject(declaration))
    return [`the declaration must be an object, received ${glimpse(declaration)}`];
  const known = Object.keys(rules);
  const misfits = known.flatMap((field) => {
    const value = declaration[field];
    const expected = rules[field]!(value);
    return expected === null ? [] : [`'${field}' must ${expected}, received ${glimpse(value)}`];
  });
  const strays = Object.keys(declaration).filter((field) => !Object.hasOwn(rules, field));
  return [...misfits, ...strays.map((field) => sayStray(field, known))];
}

/**
 * Throw what is wrong with a tool's declaration, all of it, with the tool's name; nothing where nothing is.
 *
 * @param name as it was declared, which may be anything
 */
export function refuseDeclaration(name: unknown, problems: readonly string[]): void {
  if (problems.length > 0) throw declarationError(name, problems);
}

/** The exception that names a tool and all that is wrong with its declaration. */
export function declarationError(name: unknown, problems: readonly string[]): Error {
  const who = typeof name === "string" ? `tool '${name}'` : "a tool without a name";
  const [first] = problems;
  return new Error(
    problems.length === 1
      ? `Cannot define ${who}: ${first}`
      : `Cannot define ${who}:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`,
  );
}

function sayStray(field: string, known: readonly string[]): string {
  const [near] = nearest(field, known, 1);
  const said = `there is no field '${visibleText(field)}'`;
  return near === undefined ? said : `${said}; did you mean '${near}'?`;
}

/** Name what came, without the source of a function or what an object holds. */
function glimpse(value: unknown): string {
  if (typeof value === "function") return "a function";
  return typeof value === "number" ? String(value) : describe(value);
}
