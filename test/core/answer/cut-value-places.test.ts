import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { type Cuts, cutValue } from "../../../src/core/answer/cut-value.ts";
import { shortest } from "../../../src/core/answer/cut-json-string.ts";
import { weighTokens } from "../../../src/core/answer/estimate-tokens.ts";
import { samples } from "../../support/samples.ts";

const PROSE = "The fuel pump may fail and the engine may stall. ".repeat(60);
const weightOf = (value: unknown): number => weighTokens(JSON.stringify(value));
const NONE: Cuts = { elements_dropped: 0, fields_dropped: 0, characters_dropped: 0, at: [] };

function nested(levels: number, inside: unknown): unknown {
  let value = inside;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { next: value };
  return value;
}

describe("cutValue() with room for exactly its weight", () => {
  test.each<[string, object]>([
    ["a list", [1, 2, "three", null, true]],
    ["a record", { a: 1, b: "two", c: null }],
    ["lists and records in each other", [{ a: [1, [2, {}]], b: {} }, [], [[]], { c: [] }]],
    ["the same value behind a colon and behind a comma", [{ a: "x", b: "x" }, "x", "x", [7, 7], { c: 7 }]],
    ["the same container in several places", [[PROSE], { a: [PROSE] }, [PROSE]]],
    ["long texts", { a: PROSE, b: [PROSE, "short"], c: PROSE.repeat(3) }],
    ["a dictionary", Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`key ${n}`, { n }]))],
    ["containers deeper than are opened", [nested(40, { a: 1 }), nested(31, []), nested(32, PROSE)]],
  ])("keeps %s whole, and not with less", (_, value) => {
    expect(cutValue(value, weightOf(value))).toEqual({ data: value, cuts: NONE });
    const less = cutValue(value, weightOf(value) - 1);
    expect(less.cuts.at).not.toEqual([]);
    expect(weightOf(less.data)).toBeLessThan(weightOf(value));
  });

  test("keeps any container whole", () => {
    const values = fc.oneof(
      fc.array(fc.jsonValue({ maxDepth: 3 })),
      fc.dictionary(fc.string(), fc.jsonValue()),
    );
    fc.assert(
      fc.property(values, (data) => {
        const value = JSON.parse(JSON.stringify(data)) as object;
        expect(cutValue(value, weightOf(value))).toEqual({ data: value, cuts: NONE });
      }),
      { numRuns: samples(200) },
    );
  });
});

describe("cutValue() of a value alone", () => {
  test("cuts a text that is long, down to its mark, and empties any other", () => {
    const mark = weighTokens('"…"');
    expect(cutValue(PROSE, mark).data).toBe("…");
    expect(cutValue(PROSE, mark - 1)).toEqual({
      data: "",
      cuts: { ...NONE, characters_dropped: PROSE.length, at: [""] },
    });
    expect(cutValue("Jiffy Lube", mark)).toEqual({
      data: "",
      cuts: { ...NONE, characters_dropped: 10, at: [""] },
    });
    const kept = cutValue(PROSE, 50_000);
    expect(kept.cuts.characters_dropped).toBe(PROSE.length - ((kept.data as string).length - 1));
  });

  test.each([[12_345_678], [true], [null]])("leaves nothing of %j, which has no characters", (value) => {
    expect(cutValue(value, 0)).toEqual({ data: null, cuts: { ...NONE, at: [""] } });
  });
});

describe("cutValue() of a long text inside", () => {
  // The mark behind a colon, and the comma behind it.
  const least = shortest() + weighTokens('",', 1);
  test.each<[string, object, object]>([
    ["[", [PROSE], ["…"]],
    ['{"a":', { a: PROSE }, { a: "…" }],
    ['{"a":1,"b":', { a: 1, b: PROSE }, { a: 1, b: "…" }],
  ])(
    "leaves the mark behind %s where there is room for it, and nothing with less",
    (before, value, marked) => {
      const room = weighTokens(before) + least;
      expect(cutValue(value, room).data).toEqual(marked);
      expect(cutValue(value, room - 1).data).not.toEqual(marked);
      expect(JSON.stringify(cutValue(value, room - 1).data)).not.toContain("…");
    },
  );

  test("is cut up to 32 levels deep, and deeper dropped with what it stands in", () => {
    for (const levels of [0, 1, 30, 31])
      expect(cutValue(nested(levels, [PROSE, PROSE]), 400_000).cuts).toMatchObject({ elements_dropped: 1 });
    for (const levels of [32, 33, 40]) {
      const { data, cuts } = cutValue(nested(levels, [PROSE, PROSE]), 400_000);
      expect(JSON.stringify(data)).toHaveLength(2);
      expect(cuts).toMatchObject({ characters_dropped: 0, at: [""] });
    }
  });
});

describe("cutValue() of an object", () => {
  const fields = (count: number): Record<string, unknown> => ({
    body: PROSE,
    ...Object.fromEntries(Array.from({ length: count - 1 }, (_, n) => [`f${n}`, n])),
  });

  test("with 32 fields leaves room for the small ones behind a large one", () => {
    const { data, cuts } = cutValue(fields(32), 400_000);
    expect(Object.keys(data as object)).toHaveLength(32);
    expect(cuts).toMatchObject({ fields_dropped: 0, at: ["/body"] });
  });

  test("with 33 fields is read from its head", () => {
    const { data, cuts } = cutValue(fields(33), 400_000);
    expect(Object.keys(data as object)).toEqual(["body"]);
    expect(cuts).toMatchObject({ fields_dropped: 32, at: ["", "/body"] });
  });

  test("counts the characters of all texts that it cuts", () => {
    const { data, cuts } = cutValue({ a: PROSE, b: [PROSE], c: 1 }, 200_000);
    const { a, b } = data as { a: string; b: string[] };
    expect(cuts.characters_dropped).toBe(2 * PROSE.length - (a.length - 1) - (b[0]!.length - 1));
  });
});

describe("cutValue() says where", () => {
  test("up to 200 characters, and the container of what has a longer place", () => {
    for (const [length, place] of [
      [199, `/${"k".repeat(199)}`],
      [200, ""],
    ] as const)
      expect(cutValue({ ["k".repeat(length)]: PROSE }, 400_000).cuts.at).toEqual([place]);
    const deep = { list: [{ ["k".repeat(300)]: { ["l".repeat(300)]: PROSE } }] };
    expect(cutValue(deep, 600_000).cuts.at).toEqual(["/list/0"]);
  });
});
