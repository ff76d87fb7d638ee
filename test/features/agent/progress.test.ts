import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { sumUsage } from "../../../src/features/agent/progress.ts";

describe("sumUsage()", () => {
  test("adds numbers wherever they stand", () => {
    expect(
      sumUsage(
        { prompt_tokens: 1, prompt_tokens_details: { cached_tokens: 2 } },
        { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 20 } },
      ),
    ).toEqual({ prompt_tokens: 11, prompt_tokens_details: { cached_tokens: 22 } });
  });

  test.each([
    ["keeps what only one has", { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    ["lets the later word count", { tier: "standard" }, { tier: "priority" }, { tier: "priority" }],
    ["passes over null", { a: 1, b: null }, { a: null, b: 2 }, { a: 1, b: 2 }],
    ["keeps the later of two kinds", { a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
    ["knows one side only", null, { a: 1 }, { a: 1 }],
    ["knows the other side only", { a: 1 }, null, { a: 1 }],
    ["knows of nothing", null, null, null],
  ])("%s", (_, first, second, sum) => {
    expect(sumUsage(first, second)).toEqual(sum);
  });

  test("is the same in whichever groups numbers are added", () => {
    const usage = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.nat(1_000));
    fc.assert(
      fc.property(usage, usage, usage, (one, two, three) => {
        expect(sumUsage(sumUsage(one, two), three)).toEqual(sumUsage(one, sumUsage(two, three)));
      }),
    );
  });

  test("changes neither of the two", () => {
    const first = { a: 1, b: { c: 1 } };
    const second = { a: 2, b: { c: 2 } };
    sumUsage(first, second);
    expect([first, second]).toEqual([
      { a: 1, b: { c: 1 } },
      { a: 2, b: { c: 2 } },
    ]);
  });

  test("takes keys of prototypes for nothing but keys", () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":1},"constructor":1,"toString":2}') as object;
    const sum = sumUsage({ a: 1 }, hostile as Record<string, unknown>)!;
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(sum).toMatchObject({ a: 1, constructor: 1, toString: 2 });
    expect(sum["polluted"]).toBeUndefined();
  });
});
