import type * as z from "zod/mini";

import { checkValue } from "./check-value.ts";
import { PARSING } from "./issues.ts";
import { isJsonObject, isLongInteger, parseExact } from "./json.ts";
import { attemptNow } from "../kit/result.ts";
import * as LIMITS from "./limits.ts";
import { exceedsDepth } from "./parse-json.ts";

type RawIssue = z.core.$ZodRawIssue;

/** The value that a schema made, and the issues it found. */
export interface Ran {
  readonly value: unknown;
  readonly issues: readonly RawIssue[];
}

/** Times that a value is asked about again without nulls: of long arguments only some of them are told at once. */
const ROUNDS = 4;

/** For who knows more than the value that was sent. */
interface Known {
  /** The check's first answer to it. */
  readonly first?: Ran;
  /** Make of the value, once texts in it are read, the one to check. */
  readonly onRead?: (value: unknown) => unknown;
}

/** Run a schema on what was sent, as `runLeniently` does. */
export function runSchema(schema: z.core.$ZodType, sent: unknown, known?: Known): Ran {
  return runLeniently((value) => run(schema, value), sent, known);
}

/**
 * Check what was sent. Serialisers write `null` in every optional field, so a null that is not admitted is as if the field
 * were not there; one that is admitted stays. A required field that is null is missing. JSON text of a list or an object is read
 * where one is asked for: models and their libraries encode such arguments once too often.
 */
export function runLeniently(
  check: (value: unknown) => Ran,
  sent: unknown,
  { first, onRead }: Known = {},
): Ran {
  let ran = first ?? check(sent);
  let value = sent;
  for (let round = 0; round < ROUNDS && ran.issues.length > 0; round += 1) {
    const repaired = repair(value, ran.issues);
    if (repaired === null) return ran;
    value = onRead === undefined ? repaired : onRead(repaired);
    ran = check(value);
  }
  return ran;
}

/** The value that was sent, without the nulls that `runSchema` takes for fields that are not there. */
export function withoutRefusedNulls(schema: z.core.$ZodType, sent: unknown): unknown {
  let bare = sent;
  runLeniently((value) => run(schema, (bare = value)), sent);
  return bare;
}

/** Like `safeParse()`, without putting into words all that is wrong. */
function run(schema: z.core.$ZodType, value: unknown): Ran {
  const ran = schema._zod.run({ value, issues: [] }, PARSING);
  if (ran instanceof Promise) throw new Error("Cannot check arguments: the schema answers later");
  return ran;
}

type Path = readonly PropertyKey[];

/**
 * A copy with what an issue tells of and that can be meant otherwise: without a field that is null, and with an integer beyond 2^53
 * as the text or the bigint that is asked for, with the list or the object that a text is the JSON of. Null where no issue tells of such
 * a thing.
 */
function repair(value: unknown, issues: readonly RawIssue[]): unknown {
  const changes = findChanges(value, issues);
  if (changes.length === 0) return null;
  const tree: Tree = new Map();
  for (const { path, change } of changes) add(tree, path, change);
  return apply(value, tree);
}

interface Told {
  readonly path?: PropertyKey[] | undefined;
  readonly code?: string | undefined;
  readonly expected?: unknown;
  readonly errors?: readonly (readonly Told[])[];
}

/** The value of a field instead; without one the field is left out. */
interface Change {
  readonly value?: unknown;
}

/** Each form of a union tells its own issues, by paths that begin where the union stands. */
function findChanges(
  value: unknown,
  issues: readonly Told[],
  base: Path = [],
): { readonly path: Path; readonly change: Change }[] {
  return issues.flatMap(({ path = [], expected, errors = [] }) => {
    const whole = [...base, ...path];
    const change = changeOf(value, whole, expected);
    return change === null
      ? errors.flatMap((form) => findChanges(value, form, whole))
      : [{ path: whole, change }];
  });
}

function changeOf(value: unknown, path: Path, expected: unknown): Change | null {
  let at = value;
  let isField = false;
  for (const key of path) {
    isField = isJsonObject(at);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return null;
    at = (at as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  if (at === null) return isField ? {} : null;
  if (path.length === 0) return null;
  if (typeof at === "bigint" && expected === "string") return { value: String(at) };
  const read = readJsonText(at, expected, path.length);
  if (read !== undefined) return { value: read };
  const isDigits = typeof at === "string" ? isLongInteger(at) : Number.isSafeInteger(at);
  return expected === "bigint" && isDigits ? { value: BigInt(at as string | number) } : null;
}

const LIST = /^\s*\[/;
const OBJECT = /^\s*\{/;

/**
 * Read JSON text of a list or an object, where one is asked for. Undefined where the value is no such text, nests deeper than a body may,
 * or holds what no argument may.
 *
 * @param levels how deep the text itself stands in the body, as far as that is known
 */
export function readJsonText(text: unknown, expected: unknown, levels: number): unknown {
  if (typeof text !== "string") return undefined;
  const asksForObject = expected === "object" || expected === "record";
  if (!(expected === "array" ? LIST : asksForObject ? OBJECT : undefined)?.test(text)) return undefined;
  if (exceedsDepth(text, LIMITS.nesting - levels)) return undefined;
  const parsed = attemptNow(() => parseExact(text));
  return parsed.ok && checkValue(parsed.value, []).ok ? parsed.value : undefined;
}

/** Changes by their way. */
type Tree = Map<string, Tree | Change>;

function add(tree: Tree, path: Path, change: Change): void {
  const [key, ...inside] = path.map(String);
  if (inside.length === 0) return void tree.set(key!, change);
  let inner = tree.get(key!);
  if (!(inner instanceof Map)) tree.set(key!, (inner = new Map<string, Tree | Change>()));
  add(inner, inside, change);
}

function apply(value: unknown, tree: Tree): unknown {
  const change = (key: string, inner: unknown): readonly unknown[] => {
    const within = tree.get(key);
    if (within === undefined) return [inner];
    if (within instanceof Map) return [apply(inner, within)];
    return "value" in within ? [within.value] : [];
  };
  if (Array.isArray(value))
    return value.map((inner: unknown, at) =>
      tree.has(String(at)) ? (change(String(at), inner)[0] ?? inner) : inner,
    );
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([key, inner]: [string, unknown]) =>
      change(key, inner).map((one) => [key, one] as const),
    ),
  );
}
