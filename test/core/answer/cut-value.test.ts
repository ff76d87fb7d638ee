import { describe, expect, test } from "vitest";
import { weighTokens } from "../../../src/core/answer/estimate-tokens.ts";
import { cutValue, leastOf } from "../../../src/core/answer/cut-value.ts";
import { trial } from "../../support/trial.ts";

const PROSE = "The fuel pump may fail and the engine may stall. ".repeat(60);

function cut(data: unknown, tokens: number) {
  const kept = cutValue(data, tokens * 1_000);
  expect(weighTokens(JSON.stringify(kept.data))).toBeLessThanOrEqual(tokens * 1_000);
  return { data: kept.data as never, cuts: kept.cuts };
}

describe("cutValue()", () => {
  test("cuts the last element kept, when it is large", () => {
    const { data, cuts } = cut([{ body: PROSE }, { body: PROSE }, { body: PROSE }], 1_000);
    const [first, second, ...rest] = data as { body: string }[];
    expect([first!.body, rest]).toEqual([PROSE, []]);
    expect(second!.body).toMatch(/[a-z.]…$/);
    expect(cuts).toMatchObject({ elements_dropped: 1, fields_dropped: 0, at: ["", "/1/body"] });
  });

  test("keeps a small element whole or not at all", () => {
    const rows = Array.from({ length: 50 }, (_, id) => ({ id, name: "Jiffy Lube", open: true }));
    for (let tokens = 2; tokens < 120; tokens += 1) {
      const kept = cut(rows, tokens).data as unknown[];
      expect(kept).toEqual(rows.slice(0, kept.length));
    }
  });

  test("shares a record's room between its large fields, after the small ones", () => {
    const { data, cuts } = cut({ id: 7, a: PROSE, b: PROSE, c: [1, 2], "d/e": PROSE }, 400);
    const { id, c, ...large } = data as Record<string, string>;
    expect([id, c]).toEqual([7, [1, 2]]);
    const lengths = Object.values(large).map((text) => text.length);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(60);
    expect(cuts).toMatchObject({ fields_dropped: 0, at: ["/a", "/b", "/d~1e"] });
  });

  test("drops fields from the end when not even their heads fit", () => {
    const { data, cuts } = cut({ a: PROSE, b: PROSE, c: PROSE, d: 1 }, 80);
    expect(Object.keys(data)).toEqual(["a", "b"]);
    expect(cuts).toMatchObject({ fields_dropped: 2, at: ["", "/a", "/b"] });
  });

  trial("never leaves an empty container inside, which would read as 'there are none'", () => {
    const places = Array.from({ length: 30 }, (_, id) => ({ id, about: PROSE.slice(0, 300) }));
    for (let tokens = 1; tokens < 200; tokens += 1) {
      expect(JSON.stringify(cut({ results: { places }, more: [places] }, tokens).data)).not.toMatch(
        /.\[\]|.\{\}/,
      );
    }
  });

  test("names five places at most", () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, k) => [`k${k}`, PROSE]));
    expect(cut(many, 500).cuts.at).toEqual(["/k0", "/k1", "/k2", "/k3", "/k4"]);
  });
});

test.each([
  [[1], []],
  [{ a: 1 }, {}],
  ["text", ""],
  [12, null],
  [true, null],
])("leastOf(%j) is %j", (value, least) => {
  expect(leastOf(value)).toEqual(least);
});

test("cutValue() weighs what lies deep no more often than what does not", () => {
  const readsAt = (levels: number): number => {
    let reads = 0;
    const last = {
      get id() {
        reads += 1;
        return ROWS.length;
      },
    };
    let value: unknown = { rows: [...ROWS, last] };
    for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { next: value };
    cutValue(value, 2_000_000);
    return reads;
  };
  expect(readsAt(30)).toBe(readsAt(0));
});

const ROWS = Array.from({ length: 20_000 }, (_, id) => ({ id, ok: true }));
