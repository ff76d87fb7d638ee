import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AnswerBudget } from "../../../src/core/answer/envelope.ts";
import { selectFields, Selections } from "../../../src/core/answer/select-fields.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { planOf } from "../../support/fake-actions.ts";
import { successOf } from "../../support/success-of.ts";
import { trial } from "../../support/trial.ts";

const PLACES = {
  places: [
    { id: "a", name: "Jiffy", location: { lat: 33.4, lng: -112 } },
    { id: "b", name: "Lube", location: { lat: 33.5, lng: -111 } },
    { id: "c", name: "Quick", location: null },
  ],
  next: "page-2",
  "a/b": { "m~n": 1 },
};

const toTokens = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
const select = (data: unknown, ...pointers: string[]) => selectFields(data, pointers.map(toTokens));

describe("selectFields()", () => {
  test.each([
    ["a field", ["/next"], { next: "page-2" }],
    ["a field of one element", ["/places/0/id"], { places: [{ id: "a" }] }],
    [
      "elements in their own order, without gaps",
      ["/places/2/id", "/places/0/id"],
      { places: [{ id: "a" }, { id: "c" }] },
    ],
    [
      "fields in their own order",
      ["/next", "/places/1/name", "/places/1/id"],
      { places: [{ id: "b", name: "Lube" }], next: "page-2" },
    ],
    ["a container whole", ["/places/1"], { places: [PLACES.places[1]] }],
    [
      "overlapping pointers merged",
      ["/places/1/id", "/places/1", "/places/1/location/lat"],
      { places: [PLACES.places[1]] },
    ],
    ["everything", ["/next", ""], PLACES],
    ["null, which is a value", ["/places/2/location"], { places: [{ location: null }] }],
    ["escaped keys", ["/a~1b/m~0n"], { "a/b": { "m~n": 1 } }],
  ])("keeps %s", (_, pointers, data) => {
    const selected = select(PLACES, ...pointers);
    expect(selected).toEqual({ data, missing: [] });
    // The order of fields is the output's, too.
    expect(JSON.stringify(selected.data)).toBe(JSON.stringify(data));
  });

  test("names what does not exist, once, in the order asked, and keeps the rest", () => {
    expect(
      select(PLACES, "/x~1y", "/places/3/id", "/next", "/x~1y", "/places/-", "/places/01", "/next/0"),
    ).toEqual({
      data: { next: "page-2" },
      missing: ["/x~1y", "/places/3/id", "/places/-", "/places/01", "/next/0"],
    });
  });

  test.each([
    [{ a: 1 }, {}],
    [[1], []],
    [7, null],
    ["text", null],
    [null, null],
  ])("leaves nothing of %j when nothing exists", (data, left) => {
    expect(select(data, "/none")).toEqual({ data: left, missing: ["/none"] });
  });

  test("does not find a field that is undefined, which JSON leaves out", () => {
    expect(select({ a: undefined, b: 1 }, "/a", "/b")).toEqual({ data: { b: 1 }, missing: ["/a"] });
  });

  test("leaves nothing when nothing is asked", () => {
    expect(selectFields(PLACES, [])).toEqual({ data: {}, missing: [] });
  });

  test.each(["/constructor", "/__proto__", "/toString", "/places/length", "/places/map", "/next/length"])(
    "T06 finds nothing inherited or built in at '%s'",
    (pointer) => {
      expect(select(PLACES, pointer).missing).toEqual([pointer]);
    },
  );

  test("keeps a field called __proto__ as a field", () => {
    const data: unknown = JSON.parse('{"__proto__":{"polluted":true,"x":1},"y":2}');
    const selected = select(data, "/__proto__/polluted").data as Record<string, unknown>;
    expect(JSON.stringify(selected)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(selected)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("never changes its input, and never keeps more than was there", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.array(
          fc.array(fc.oneof(fc.constantFrom("0", "1", "", "a", "__proto__"), fc.string({ maxLength: 2 }))),
        ),
        (data, pointers) => {
          const before = JSON.stringify(data);
          const { data: selected, missing } = selectFields(data, pointers);
          expect(JSON.stringify(data)).toBe(before);
          expect(JSON.stringify(selected).length).toBeLessThanOrEqual(Math.max(4, before.length));
          expect(missing.length).toBeLessThanOrEqual(pointers.length);
        },
      ),
    );
  });
});

describe("Selections", () => {
  const show = (outcome: Outcome, pointers: readonly string[], isWrite = false) =>
    new Selections(new AnswerBudget()).show(outcome, pointers.map(toTokens), isWrite);

  test("show the selected parts, and say of nothing that it is missing where it is not", () => {
    const outcome = successOf({ b: 1, a: 2, c: 3 });
    expect(show(outcome, ["/a", "/b"])).toEqual({
      ...outcome,
      shown: { data: { b: 1, a: 2 }, json: '{"b":1,"a":2}' },
    });
  });

  test("leave what has failed as it is", () => {
    const failed: Outcome = { status: "error", error: makeFailure("TIMEOUT"), meta: {} };
    expect(show(failed, ["/a"])).toBe(failed);
  });

  test("say what is missing, and what is there instead where no part is", () => {
    const outcome = successOf({ name: 1, place: 2 });
    expect(show(outcome, ["/name", "/plase"]).meta).toEqual({ ...outcome.meta, selectMissing: ["/plase"] });
    const { meta } = show(outcome, ["/plase"]);
    expect(meta).toMatchObject({
      selectMissing: ["/plase"],
      selectHints: [expect.stringContaining("select found nothing")],
    });
    expect(meta).not.toHaveProperty("keepsWhole");
    expect(show(outcome, ["/plase"], true).meta).toMatchObject({ keepsWhole: true });
  });

  test("give five hints at most, and say of a field that JSON leaves out that it is missing", () => {
    const many = Array.from({ length: 9 }, (_, n) => `/missing${n}`);
    expect(show(successOf({ a: 1 }), many).meta.selectHints).toHaveLength(LIMITS.warnings);
    // JSON has no undefined: such a key is not there, and so is no key to ask for instead.
    for (const [data, said] of [
      [{ a: undefined, ab: 1 }, 'with the similar keys "ab".'],
      [{ a: undefined, other: 1 }, 'with the keys "other".'],
      [{ a: undefined }, "without any keys."],
    ] as const)
      expect(show(successOf(data), ["/a"]).meta.selectHints).toEqual([
        `select found nothing: '/a' is not there: the data is an object ${said}`,
      ]);
    expect(show(successOf({ a: undefined }), ["/a"]).meta).toMatchObject({ selectMissing: ["/a"] });
  });

  test("are made anew for other data and for other pointers", () => {
    const selections = new Selections(new AnswerBudget());
    const [one, two] = [
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ];
    const [a, b] = [[["a"]], [["b"]]];
    const shown = (data: object, pointers: readonly string[][]) =>
      (selections.show(successOf(data), pointers, false) as { shown: { data: unknown } }).shown.data;
    expect([shown(one, a), shown(one, a), shown(two, a), shown(two, b), shown(one, a)]).toEqual([
      { a: 1 },
      { a: 1 },
      { a: 3 },
      { b: 4 },
      { a: 1 },
    ]);
  });

  trial("are refused where the answer has no room for them, to the byte", () => {
    const budget = new AnswerBudget(1, 1, 0);
    const [step] = planOf([{ id: "a" }]).steps;
    // From here on only what is small has room.
    budget.admit(step!, successOf("x".repeat(LIMITS.answerBytes)));
    const selections = new Selections(budget);
    const of = (length: number): Outcome => successOf({ a: "x".repeat(length) });
    const around = '{"a":""}'.length;
    expect(selections.show(of(8 * 1024 - around), [["a"]], false)).toHaveProperty("shown");
    expect(selections.show(of(8 * 1024 - around + 1), [["a"]], false)).toMatchObject({
      error: { code: "RESPONSE_TOO_LARGE" },
    });
  });
});
