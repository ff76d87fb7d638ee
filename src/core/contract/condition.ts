import * as z from "zod/mini";

import { follow, parsePointer, toPointer } from "../kit/json/json-pointer.ts";
import { err, ok, type Result } from "../kit/result.ts";
import type { Issue } from "./failure.ts";
import { toIssues } from "./issues.ts";
import { isJsonObject } from "./json.ts";
import { lazySchema, strictSchema } from "./lazy-schema.ts";
import * as LIMITS from "./limits.ts";

const scalar = () =>
  z.union([z.string().check(z.maxLength(LIMITS.conditionCharacters)), z.number(), z.boolean(), z.null()]);
const ordered = () =>
  z.optional(z.union([z.number(), z.string().check(z.maxLength(LIMITS.conditionCharacters))]));

const testsSchema = /* @__PURE__ */ strictSchema(() => ({
  eq: z.optional(scalar()),
  ne: z.optional(scalar()),
  in: z.optional(z.array(scalar()).check(z.minLength(1), z.maxLength(LIMITS.conditionChoices))),
  gt: ordered(),
  gte: ordered(),
  lt: ordered(),
  lte: ordered(),
  exists: z.optional(z.boolean()),
}));

/** Name the tests that a value may be put to. */
export const conditionTests = (): readonly string[] => Object.keys(testsSchema().shape);

/**
 * Tests of values by RFC 6901 pointer, all of which are required: `{"/amount": {"gte": 100}, "/kind": {"in": ["a", "b"]}}`.
 *
 * A value that is missing fits `exists: false` and nothing else. Order is that of two numbers, or of two texts by their code
 * units, such as times of one form.
 */
export const conditionSchema = /* @__PURE__ */ lazySchema("Condition", () =>
  z
    .record(
      z.string(),
      testsSchema().check(
        z.refine(
          (test) => Object.keys(test).length > 0,
          "an object with eq, ne, in, gt, gte, lt, lte or exists",
        ),
      ),
    )
    .check(({ value, issues }) => {
      const pointers = Object.keys(value);
      for (const pointer of pointers)
        if (pointer.length > LIMITS.conditionCharacters || parsePointer(pointer) === null)
          issues.push({ code: "custom", input: value, path: [pointer], message: POINTER });
      if (pointers.length > LIMITS.conditionPointers)
        issues.push({
          code: "custom",
          input: value,
          path: [],
          message: `at most ${LIMITS.conditionPointers} pointers`,
        });
    }),
);

const POINTER = `a JSON pointer of at most ${LIMITS.conditionCharacters} characters, such as /amount`;

export type WrittenCondition = z.infer<ReturnType<typeof conditionSchema>>;

/** A condition that is ready to be asked. */
export type Condition = readonly {
  readonly tokens: readonly string[];
  readonly test: WrittenCondition[string];
}[];

/**
 * Parse a condition, or say what is wrong with it.
 *
 * @param base the path where it stands
 */
export function parseCondition(
  written: unknown,
  base: readonly PropertyKey[] = [],
): Result<Condition, readonly Issue[]> {
  // Zod passes this one key over, and a test that is not there would let everything through.
  if (isJsonObject(written) && Object.hasOwn(written, "__proto__"))
    return err([{ path: toPointer([...base, "__proto__"]), expected: POINTER, received: "a reserved key" }]);
  const parsed = conditionSchema().safeParse(written);
  if (!parsed.success) return err(toIssues(parsed.error, written, { base }));
  return ok(
    Object.entries(parsed.data).map(([pointer, test]) => ({ tokens: parsePointer(pointer) ?? [], test })),
  );
}

/** Whether a value fits every test of a condition. One without a test fits all. */
export function fitsCondition(condition: Condition, value: unknown): boolean {
  return condition.every(({ tokens, test }) => {
    const found = follow(value, tokens);
    return found.found ? fitsTest(test, toComparable(found.value)) : isOnlyAbsence(test);
  });
}

function isOnlyAbsence(test: WrittenCondition[string]): boolean {
  return test.exists === false && Object.keys(test).length === 1;
}

function fitsTest(test: WrittenCondition[string], value: unknown): boolean {
  const { eq, ne, in: choices, gt, gte, lt, lte, exists } = test;
  return (
    exists !== false &&
    (eq === undefined || value === eq) &&
    (ne === undefined || value !== ne) &&
    (choices === undefined || (choices as readonly unknown[]).includes(value)) &&
    (gt === undefined || compare(value, gt) > 0) &&
    (gte === undefined || compare(value, gte) >= 0) &&
    (lt === undefined || compare(value, lt) < 0) &&
    (lte === undefined || compare(value, lte) <= 0)
  );
}

/** A number that no double is counts as the nearest one, and a time that a schema made of text as text. */
function toComparable(value: unknown): unknown {
  if (JSON.isRawJSON(value)) return Number(value.rawJSON);
  if (typeof value === "bigint") return Number(value);
  return value instanceof Date ? value.toJSON() : value;
}

/** Negative, zero or positive as the first comes before, with or after the second; NaN, which is none of these, for unlike ones. */
function compare(value: unknown, than: string | number): number {
  if (typeof value !== typeof than) return Number.NaN;
  const other = value as string | number;
  return other === than ? 0 : other < than ? -1 : 1;
}
