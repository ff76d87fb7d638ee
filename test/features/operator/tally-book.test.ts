import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { readHour, toHourText } from "../../../src/features/operator/hour-text.ts";
import { OTHERS } from "../../../src/features/operator/operator.ts";
import { TallyBook } from "../../../src/features/operator/tally-book.ts";
import { samples } from "../../support/samples.ts";

const BOUNDS = { tenants: 4, tools: 8, tenantTools: 3 };
const names = fc.constantFrom("a", "b", "c", "d", "e", "f", "toString", "__proto__", "constructor");
const counted = fc.array(
  fc.record({
    tenant: names,
    tool: names,
    isError: fc.boolean(),
    durationMs: fc.integer({ min: 0, max: 9_999 }),
  }),
  { maxLength: 200 },
);

const bookOf = (all: readonly { tenant: string; tool: string; isError: boolean; durationMs: number }[]) => {
  const book = new TallyBook(BOUNDS);
  for (const { tenant, ...action } of all) {
    book.addAction(tenant, { ...action, isCall: true, isThrottled: false });
    book.addRun(tenant, action.durationMs);
  }
  return book;
};

describe("A book of counts", () => {
  test("is bounded whatever the names are, and its sums are those of what was counted", () => {
    fc.assert(
      fc.property(counted, (all) => {
        const rows = [...bookOf(all).counted()];
        expect(rows.filter(({ row }) => row[0] !== OTHERS).length).toBeLessThanOrEqual(BOUNDS.tenants);
        const named = rows.flatMap(({ tools }) => tools.filter(([tool]) => tool !== OTHERS));
        expect(named.length).toBeLessThanOrEqual(BOUNDS.tools);
        const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
        expect(sum(rows.map(({ row }) => row[1]))).toBe(all.length);
        expect(sum(rows.map(({ row }) => row[2]))).toBe(all.length);
        const calls = rows.flatMap(({ tools }) => tools.map((tool) => tool[1]));
        expect(sum(calls)).toBe(all.length);
        const errors = all.filter(({ isError }) => isError).length;
        expect(sum(rows.map(({ row }) => row[3]))).toBe(errors);
      }),
      { numRuns: samples(200) },
    );
  });

  test("comes back whole from a row, and may be added to another", () => {
    fc.assert(
      fc.property(counted, counted, (some, more) => {
        const whole = bookOf([...some, ...more]);
        const read = new TallyBook(BOUNDS);
        for (const part of [bookOf(some), bookOf(more)])
          for (const one of readHour(toHourText(part.counted()))) read.add(one);
        const actions = (book: TallyBook) =>
          Array.from(book.counted(), ({ row }) => row[2]).reduce((sum, one) => sum + one, 0);
        expect(actions(read)).toBe(actions(whole));
        const few = new TallyBook({ tenants: 100, tools: 100, tenantTools: 100 });
        for (const one of readHour(toHourText(bookOf(some).counted()))) few.add(one);
        expect([...few.counted()]).toEqual([...bookOf(some).counted()]);
      }),
      { numRuns: samples(100) },
    );
  });

  test("forgets a tenant, and has room for another", () => {
    const book = bookOf(
      ["a", "b", "c", "d"].map((tenant) => ({ tenant, tool: "t", isError: false, durationMs: 1 })),
    );
    expect(book.forget("a")).toBe(true);
    expect(book.countedOf("a")).toBeUndefined();
    book.addRun("e", 1);
    expect(book.countedOf("e")?.row[1]).toBe(1);
  });
});
