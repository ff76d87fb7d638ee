import type * as z from "zod/mini";

import { type Failure, makeFailure } from "../contract/failure.ts";
import { explainMisfit, PARSING, toMisfits } from "../contract/issues.ts";
import { isJsonObject, isLongInteger, type JsonObject, mapExact } from "../contract/json.ts";
import { canonicalKey } from "../kit/json/canonical-json.ts";
import { toPointer } from "../kit/json/json-pointer.ts";
import { err, ok, type Result } from "../kit/result.ts";
import type { Tool } from "./define-tool.ts";
import { findCertain } from "./find-certain.ts";
import { conditionOf } from "../contract/orchestration.ts";
import { runSchema } from "../contract/run-schema.ts";

/** The work that explaining unfit arguments may still cost a caller that checks many. */
export interface ExplanationRoom {
  /** Things wrong that were found count against it. */
  issues: number;
  /** Whether one more hint may look for similar names. */
  suggests(): boolean;
}

/** How a refusal explains what is wrong. */
export interface ExplainOptions {
  readonly room?: ExplanationRoom;
  /** References put another's data into the arguments, whose keys are then quoted. */
  readonly isForeign?: boolean;
}

/**
 * Check arguments against the tool's schema; the refusal names each path, what was expected and what came. A null that the
 * schema does not admit is as if the argument were not there.
 */
export function parseArgs(
  tool: Tool,
  args: JsonObject,
  options: ExplainOptions = {},
): Result<unknown, Failure> {
  const isExact = "takesExact" in tool.input;
  const toValue = (given: unknown): unknown => (isExact ? given : mapExact(given, toCode));
  const value = toValue(args);
  // Like `safeParse()`, without putting into words all that is wrong.
  const first = tool.input._zod.run({ value, issues: [] }, PARSING);
  if (first instanceof Promise) throw new Error(`The schema of '${tool.name}' answers later`);
  if (first.issues.length === 0 && value === args) return ok(first.value);
  // JSON text has digits too.
  let read = value;
  const onRead = (repaired: unknown): unknown => (read = toValue(repaired));
  const parsed = first.issues.length === 0 ? first : runSchema(tool.input, value, { first, onRead });
  const isSafe = parsed.issues.length > 0 || isExact || read === args;
  const rounded = isSafe ? [] : findRounded(read, parsed.value);
  const issues = [...parsed.issues, ...rounded];
  return issues.length === 0 ? ok(parsed.value) : err(explain(tool, { args, issues }, options));
}

/** A schema that takes numbers which a double would change as they are, because it says itself what becomes of them. */
export interface TakesExact {
  readonly takesExact: true;
}

/** A number as code has it: an integer beyond 2^53 is a bigint, and any other the nearest double. */
function toCode(digits: string): bigint | number {
  return isLongInteger(digits) ? BigInt(digits) : Number(digits);
}

/** Integers beyond 2^53 of which a schema made doubles, which are other numbers. */
function findRounded(sent: unknown, made: unknown, path: readonly PropertyKey[] = []): z.core.$ZodRawIssue[] {
  if (typeof sent === "bigint")
    return typeof made === "number" ? [{ code: "custom", path: [...path], message: EXACT, input: sent }] : [];
  if (typeof sent !== "object" || sent === null || typeof made !== "object" || made === null) return [];
  return Object.entries(sent).flatMap(([key, inner]) =>
    Object.hasOwn(made, key)
      ? findRounded(inner, (made as Readonly<Record<string, unknown>>)[key], [...path, key])
      : [],
  );
}

const EXACT = "an integer within ±(2^53 - 1), or a string";

/** The parts of a call that come of its arguments. */
export interface ParsedCall {
  readonly input: JsonObject;
  readonly args: unknown;
  /** From where arguments were read that came as JSON text; undefined where none did. */
  readonly readAs?: string;
}

/**
 * Check the input of a call, which holds no references any more. Where a condition decides whether a person is asked, its input is
 * what the tool will get, so that all who read it see a default and what a text is read as.
 */
export function parseCall(
  tool: Tool,
  input: JsonObject,
  options: ExplainOptions = {},
): Result<ParsedCall, Failure> {
  const parsed = parseArgs(tool, input, options);
  if (!parsed.ok) return parsed;
  const args = parsed.value;
  const { orchestration } = tool;
  const isLookedAt = typeof orchestration.confirm === "object" && conditionOf(orchestration) !== undefined;
  const readAs = sayTexts(input, args);
  return ok({
    input: isLookedAt ? (toInput(tool, args) ?? input) : input,
    args,
    ...(readAs !== undefined && { readAs }),
  });
}

/** Say which arguments of a call were sent as JSON text of the list or the object that they are. */
function sayTexts(input: JsonObject, args: unknown): string | undefined {
  if (args === input || !isJsonObject(args)) return undefined;
  const read = Object.entries(input).filter(
    ([name, sent]) => typeof sent === "string" && /^\s*[[{]/.test(sent) && typeof args[name] === "object",
  );
  return read.length === 0 ? undefined : `JSON text in ${read.map(([name]) => toPointer([name])).join(", ")}`;
}

/** Parsed arguments as input that is parsed to the same again; null where JSON does not say them, or the schema turns them over. */
function toInput(tool: Tool, args: unknown): JsonObject | null {
  const key = canonicalKey(args);
  if (key === null || !isJsonObject(args)) return null;
  const again = parseArgs(tool, args);
  return again.ok && canonicalKey(again.value) === key ? args : null;
}

/**
 * Check arguments in which something is `Pending`: what is wrong with them whatever it turns out to be, as `parseArgs` says it;
 * null where they may still be right.
 */
export function refuseCertain(tool: Tool, args: JsonObject, options: ExplainOptions = {}): Failure | null {
  const issues = findCertain(tool.input, "takesExact" in tool.input ? args : mapExact(args, toCode));
  return issues.length === 0 ? null : explain(tool, { args, issues }, options);
}

function explain(
  tool: Tool,
  { args, issues }: { readonly args: JsonObject; readonly issues: readonly z.core.$ZodRawIssue[] },
  { room, isForeign = false }: ExplainOptions,
): Failure {
  const misfits = toMisfits(issues);
  if (room !== undefined) room.issues -= misfits.count;
  const known = room === undefined || room.suggests() ? fieldsOf(tool) : [];
  return makeFailure("INVALID_ARGS", explainMisfit(misfits, args, { known, base: ["args"], isForeign }));
}

function fieldsOf(tool: Tool): string[] {
  const { shape } = tool.input as { readonly shape?: Readonly<Record<string, unknown>> };
  return shape === undefined ? [] : Object.keys(shape);
}
