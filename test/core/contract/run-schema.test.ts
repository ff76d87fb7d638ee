import * as z from "zod";
import { describe, expect, test } from "vitest";

import { type Ran, runLeniently, runSchema } from "../../../src/core/contract/run-schema.ts";

const nullAt = (...path: PropertyKey[]) =>
  ({ code: "custom", path, message: "no null", input: null }) as const;
const text = z.string().optional();

describe("runSchema()", () => {
  test.each<[string, z.ZodType, unknown, unknown]>([
    ["at the top", z.strictObject({ a: text, b: z.int() }), { a: null, b: 1 }, { b: 1 }],
    [
      "in elements of a list, each where it is",
      z.strictObject({ list: z.array(z.strictObject({ a: text, b: text })) }),
      { list: [{ a: null }, { a: "x", b: "y" }, { b: null, a: "z" }] },
      { list: [{}, { a: "x", b: "y" }, { a: "z" }] },
    ],
    [
      "two in one object, further in",
      z.strictObject({ in: z.strictObject({ a: text, b: text, c: z.int() }) }),
      { in: { a: null, b: null, c: 3 } },
      { in: { c: 3 } },
    ],
    [
      "in whichever form of a union fits without it",
      z.strictObject({
        either: z.union([z.strictObject({ a: z.string(), n: text }), z.strictObject({ b: z.int() })]),
      }),
      { either: { a: "x", n: null } },
      { either: { a: "x" } },
    ],
  ])("leaves a null out that is not admitted: %s", (_, schema, sent, made) => {
    expect(runSchema(schema, sent)).toMatchObject({ value: made, issues: [] });
  });

  test.each<[string, z.ZodType, unknown, PropertyKey[]]>([
    ["the whole value", z.string(), null, []],
    [
      "an element of a list",
      z.strictObject({ list: z.array(z.string()) }),
      { list: ["a", null] },
      ["list", 1],
    ],
    ["a required field", z.strictObject({ a: z.string() }), { a: null }, ["a"]],
  ])("says what is wrong where the null is %s", (_, schema, sent, path) => {
    const [issue] = runSchema(schema, sent).issues;
    expect(issue).toMatchObject({ code: "invalid_type", expected: "string" });
    expect(issue!.path ?? []).toEqual(path);
  });

  test("keeps a null that the schema admits, and leaves what was sent as it was", () => {
    const sent = { a: null, b: null };
    const schema = z.strictObject({ a: z.string().nullable(), b: text });
    expect(runSchema(schema, sent)).toMatchObject({ value: { a: null }, issues: [] });
    expect(sent).toEqual({ a: null, b: null });
  });
});

describe("runLeniently()", () => {
  /** Tells of one null at a time, as a schema does of long arguments; counts how often it was asked. */
  function tellsOne(nulls: readonly string[]): { asked: () => number; check: (value: unknown) => Ran } {
    let asked = 0;
    const check = (value: unknown): Ran => {
      asked += 1;
      const next = nulls.find((key) => Object.hasOwn(value as object, key));
      return { value, issues: next === undefined ? [] : [nullAt(next)] };
    };
    return { asked: () => asked, check };
  }

  test("asks again until nothing is wrong any more, and then no more", () => {
    const { asked, check } = tellsOne(["a", "b", "c"]);
    expect(runLeniently(check, { a: null, b: null, c: null, d: 1 })).toEqual({ value: { d: 1 }, issues: [] });
    expect(asked()).toBe(4);
  });

  test("asks five times at most: what is told by then stands", () => {
    const { asked, check } = tellsOne(["a", "b", "c", "d", "e", "f"]);
    const sent = { a: null, b: null, c: null, d: null, e: null, f: null };
    expect(runLeniently(check, sent)).toEqual({ value: { e: null, f: null }, issues: [nullAt("e")] });
    expect(asked()).toBe(5);
  });

  test("asks once where nothing is wrong, or nothing that is wrong is a null", () => {
    for (const issues of [
      [],
      [nullAt("a", "b")],
      [nullAt("none")],
      [nullAt("text", "length")],
      [nullAt("n", "x")],
      [nullAt()],
    ]) {
      let asked = 0;
      const check = (value: unknown): Ran => {
        asked += 1;
        return { value, issues };
      };
      const sent = { a: 1, text: "x", n: null };
      expect(runLeniently(check, sent)).toEqual({ value: sent, issues });
      expect(asked).toBe(1);
    }
  });

  test("leaves out at once all that it is told of at once", () => {
    let asked = 0;
    const check = (value: unknown): Ran => {
      asked += 1;
      return {
        value,
        issues: asked === 1 ? [nullAt("in", "a"), nullAt("in", "b"), nullAt("list", 0, "c")] : [],
      };
    };
    const sent = { in: { a: null, b: null, d: 1 }, list: [{ c: null }, { c: null }] };
    expect(runLeniently(check, sent).value).toEqual({ in: { d: 1 }, list: [{}, { c: null }] });
    expect(asked).toBe(2);
  });

  test("takes a first answer that is there already for the first one", () => {
    const check = (): Ran => {
      throw new Error("It was asked");
    };
    expect(runLeniently(check, 1, { first: { value: 1, issues: [] } })).toEqual({ value: 1, issues: [] });
  });

  test("leaves a field out as a whole where both it and something inside is told of", () => {
    const check = (value: unknown): Ran => ({
      value,
      issues: Object.hasOwn(value as object, "a") ? [nullAt("a"), nullAt("b", "c")] : [],
    });
    expect(runLeniently(check, { a: null, b: { c: null, d: 1 } }).value).toEqual({ b: { d: 1 } });
  });
});
