import type * as z from "zod/mini";

import { PARSING } from "./issues.ts";
import { isJsonObject } from "./json.ts";

type RawIssue = z.core.$ZodRawIssue;

/** The value that a schema made, and the issues it found. */
export interface Ran {
  readonly value: unknown;
  readonly issues: readonly RawIssue[];
}

/** Times that a value is asked about again without nulls: of long arguments only some of them are told at once. */
const ROUNDS = 4;

/**
 * Run a schema on what was sent, as `runLeniently` does.
 *
 * @param first what it said already of what was sent
 */
export function runSchema(schema: z.core.$ZodType, sent: unknown, first?: Ran): Ran {
  return runLeniently((value) => run(schema, value), sent, first);
}

/**
 * Check what was sent. Serialisers write `null` in every optional field, so a null that is not admitted is as if the field
 * were not there; one that is admitted stays. A required field that is null is missing.
 */
export function runLeniently(check: (value: unknown) => Ran, sent: unknown, first = check(sent)): Ran {
  let ran = first;
  let value = sent;
  for (let round = 0; round < ROUNDS && ran.issues.length > 0; round += 1) {
    const bare = withoutNulls(value, ran.issues);
    if (bare === null) return ran;
    value = bare;
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

/** A copy without the fields that are null and of which an issue tells; null where no issue tells of such a field. */
function withoutNulls(value: unknown, issues: readonly RawIssue[]): unknown {
  const paths = findNulls(value, issues);
  if (paths.length === 0) return null;
  const bare: Tree = new Map();
  for (const path of paths) add(bare, path);
  return leaveOut(value, bare);
}

interface Told {
  readonly path?: PropertyKey[] | undefined;
  readonly code?: string | undefined;
  readonly errors?: readonly (readonly Told[])[];
}

/** Each form of a union tells its own issues, by paths that begin where the union stands. */
function findNulls(value: unknown, issues: readonly Told[], base: Path = []): Path[] {
  return issues.flatMap(({ path = [], errors = [] }) => {
    const whole = [...base, ...path];
    return isNullField(value, whole) ? [whole] : errors.flatMap((form) => findNulls(value, form, whole));
  });
}

function isNullField(value: unknown, path: Path): boolean {
  let at = value;
  let isField = false;
  for (const key of path) {
    isField = isJsonObject(at);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return isField && at === null;
}

/** Fields that are left out, by their way; null at its end. */
type Tree = Map<string, Tree | null>;

function add(tree: Tree, path: Path): void {
  const [key, ...inside] = path.map(String);
  if (inside.length === 0) return void tree.set(key!, null);
  let inner = tree.get(key!);
  if (inner === undefined || inner === null) tree.set(key!, (inner = new Map<string, Tree | null>()));
  add(inner, inside);
}

function leaveOut(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value))
    return value.map((inner: unknown, index) => {
      const within = tree.get(String(index));
      return within instanceof Map ? leaveOut(inner, within) : inner;
    });
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([key, inner]: [string, unknown]) => {
      const within = tree.get(key);
      if (within === null) return [];
      return [[key, within === undefined ? inner : leaveOut(inner, within)] as const];
    }),
  );
}
