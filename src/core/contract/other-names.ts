import { err, ok, type Result } from "../kit/result.ts";
import { describe, type Misfit, NO_SUCH_FIELD, OTHER_NAMES, toHint, visiblePath } from "./issues.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import * as LIMITS from "./limits.ts";
import { parseJsonText } from "./parse-json.ts";

/** From where a field of an action was read, where it did not stand under its own name. */
export type ReadAs = Readonly<Record<string, string>>;

/** An action under the names of the contract, and what was read as what. */
export interface Renamed {
  readonly action: JsonObject;
  readonly readAs: ReadAs;
}

/** All of them. */
export const OTHER_FIELDS: readonly string[] = Object.values(OTHER_NAMES).flat();

type Field = keyof typeof OTHER_NAMES;

/** A value that may be meant for a field, and where it stood. */
interface Meant {
  readonly from: string;
  readonly value: unknown;
}

/** Arguments stand three levels inside a body, so their text may nest that much less. */
const TEXT_DEPTH = LIMITS.nesting - 3;

/** Find the tool's name, where it stands under one other name alone; undefined where it does not. */
export function findToolName(raw: JsonObject): unknown {
  if (Object.hasOwn(raw, "tool")) return raw["tool"];
  const [found, another] = findMeant(raw, "tool");
  return another === undefined ? found?.value : undefined;
}

/**
 * Read an action that is not under the contract's own names: other names for `tool` and `args`, OpenAI's call with both
 * inside `function`, arguments as JSON text. Only where the right name is missing, and where one thing alone can be meant.
 *
 * @returns null when nothing of it can be read otherwise
 */
export function readOtherNames(raw: unknown): Result<Renamed, Misfit> | null {
  if (!isJsonObject(raw)) return null;
  const stranger = findStranger(raw["function"]);
  if (stranger !== null) return err(stranger);
  const found = { tool: findMeant(raw, "tool"), args: findMeant(raw, "args") };
  const isText = typeof raw["args"] === "string";
  if (found.tool.length + found.args.length === 0 && !isText) return null;
  for (const field of ["tool", "args"] as const) {
    const clash = findClash(raw, field, found[field]);
    if (clash !== null) return err(clash);
  }
  const [tool] = found.tool;
  const args = isText ? { from: "args", value: raw["args"] } : found.args[0];
  const read = args === undefined ? ok(undefined) : readArgs(args);
  if (!read.ok) return read;
  return ok({
    action: {
      ...withoutOthers(raw),
      ...(tool && { tool: tool.value }),
      ...(read.value !== undefined && { args: read.value }),
    },
    readAs: { ...(tool && { tool: tool.from }), ...(args && { args: isText ? "JSON text" : args.from }) },
  });
}

function findMeant(raw: JsonObject, field: Field): Meant[] {
  const found = findIn(raw, field, "");
  const called = raw["function"];
  // A call as OpenAI writes it: its function is an object that has both.
  return isJsonObject(called)
    ? [...found.filter(({ from }) => from !== "function"), ...findIn(called, field, "function.")]
    : found;
}

function findIn(object: JsonObject, field: Field, prefix: string): Meant[] {
  return OTHER_NAMES[field]
    .filter((name) => Object.hasOwn(object, name) && object[name] !== null)
    .map((name) => ({ from: prefix + name, value: object[name] }));
}

/** A field of OpenAI's `function` that is neither the tool's name nor its arguments. */
function findStranger(called: unknown): Misfit | null {
  if (!isJsonObject(called)) return null;
  const name = Object.keys(called).find((key) => !OTHER_FIELDS.includes(key));
  if (name === undefined) return null;
  const issue = {
    path: visiblePath(["function", name]),
    expected: NO_SUCH_FIELD,
    received: describe(called[name]),
  };
  return { issues: [issue], hint: `${toHint([issue])} Send the tool as 'tool' and its arguments as 'args'.` };
}

/** Two values for one field: the meant one cannot be known. */
function findClash(raw: JsonObject, field: Field, found: readonly Meant[]): Misfit | null {
  const [path, other] = found.map(toPath);
  if (path === undefined) return null;
  if (Object.hasOwn(raw, field)) {
    const issue = { path, expected: NO_SUCH_FIELD, received: describe(found[0]!.value) };
    return {
      issues: [issue],
      hint: `There is no field ${path}; '${field}' is there already, so leave it out.`,
    };
  }
  if (other === undefined) return null;
  const expected = `the only ${field}`;
  const issue = { path: other, expected, received: `${path} as well` };
  return {
    issues: [issue],
    hint: `${path} and ${other} could both be meant as '${field}'; send one of them, as '${field}'.`,
  };
}

function readArgs(meant: Meant): Result<unknown, Misfit> {
  const { value } = meant;
  if (isJsonObject(value)) return ok(value);
  const path = toPath(meant);
  const issue = { path, expected: "an object, or JSON text of one", received: describe(value) };
  if (typeof value !== "string") return err({ issues: [issue], hint: toHint([issue]) });
  // Providers send empty text for a call without arguments.
  if (value.trim() === "") return ok({});
  const parsed = parseJsonText(value, TEXT_DEPTH);
  if (parsed.ok && isJsonObject(parsed.value)) return ok(parsed.value);
  const why = parsed.ok ? `The text is ${describe(parsed.value)}.` : parsed.error;
  return err({ issues: [issue], hint: `${toHint([issue])} ${why} Send the object itself, as 'args'.` });
}

/** The action without its other names; a provider's `type` says nothing but that it is a call. */
function withoutOthers(raw: JsonObject): JsonObject {
  const others = new Set(OTHER_FIELDS);
  const { type } = raw;
  const isOpenAi = type === "function" && isJsonObject(raw["function"]);
  const isAnthropic = type === "tool_use" && Object.hasOwn(raw, "name") && Object.hasOwn(raw, "input");
  if (isOpenAi || isAnthropic) others.add("type");
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !others.has(name)));
}

function toPath({ from }: Meant): string {
  return `/${from.replace(".", "/")}`;
}
