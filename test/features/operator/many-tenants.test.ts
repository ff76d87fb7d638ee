import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../src/features/operator/limits.ts";
import { addTime, type Histogram } from "../../../src/features/operator/histogram.ts";
import {
  partOfTenant,
  readHeads,
  readHour,
  readTools,
  toHourText,
} from "../../../src/features/operator/hour-text.ts";
import type { CountedTenant } from "../../../src/features/operator/operator.ts";
import { OverviewSum, sumTools } from "../../../src/features/operator/make-overview.ts";
import { TallyBook } from "../../../src/features/operator/tally-book.ts";
import { createRandom } from "../../support/random.ts";
import { trial } from "../../support/trial.ts";

const TENANTS = 10_000;
const HOURS = 24;
const PARTS = LIMITS.operatorParts;
const BOUNDS = {
  tenants: LIMITS.operatorPartTenants,
  tools: LIMITS.operatorPartTools,
  tenantTools: LIMITS.operatorTenantTools,
};
const TOOLS = ["send_email", "web-search", "get_weather", "google-maps-search", "documents.find"];

const random = createRandom(7);
const timesOf = (count: number): Histogram => {
  const histogram: Histogram = [];
  for (let at = 0; at < count; at += 1) addTime(histogram, 20 * 2 ** (6 * random()));
  return histogram;
};
const names = Array.from({ length: TENANTS }, (_, at) => `customer-${String(at).padStart(5, "0")}.example`);
/** One hour of a tenant: five tools, times all over the place, and more errors of every hundredth. */
const countedOf = (tenant: string, at: number): CountedTenant => ({
  row: [tenant, 40, 200, at % 100 === 0 ? 50 + at / 100 : 1, 0, timesOf(12)],
  tools: TOOLS.map((tool) => [tool, 40, 1, timesOf(12)]),
});

/** The parts of one hour, as they are kept. */
const parts = Array.from({ length: PARTS }, () => new TallyBook(BOUNDS));
for (const [at, name] of names.entries()) parts[partOfTenant(name, PARTS)]!.add(countedOf(name, at));
const rows = parts.map((book) => toHourText(book.counted()));

describe("Ten thousand tenants of five tools in each of 24 hours", () => {
  test("are dealt evenly into the parts of an hour, none of which leaves one out or is too large for a row", () => {
    const sizes = rows.map(({ heads, tools }) => heads.length + tools.length);
    const most = Math.max(...sizes);
    // SQLite takes 2 MB in a row.
    expect(most).toBeLessThan(500_000);
    const counted = rows.map((row) => readHeads(row.heads).length);
    expect(Math.max(...counted)).toBeLessThan(LIMITS.operatorPartTenants);
    expect(counted.reduce((sum, one) => sum + one, 0)).toBe(TENANTS);
    // An hour of all of them, and so what is kept of 72 hours, in MB.
    const hour = sizes.reduce((sum, one) => sum + one, 0) / 1e6;
    expect(hour).toBeLessThan(15);
  });

  test("come back from their rows as they were", () => {
    const [first] = rows;
    expect(toHourText(readHour(first!))).toEqual(first);
  });

  trial(
    "are added up in memory for each tenant once, whatever the hours are, and the worst come first",
    () => {
      const sum = new OverviewSum();
      for (let hour = 0; hour < HOURS; hour += 1) for (const { heads } of rows) sum.add(readHeads(heads));
      expect(sum.size).toBe(TENANTS);
      const first = sum.first(LIMITS.operatorTenants);
      expect(first.map(({ row }) => row[0])).toEqual(
        names
          .filter((_, at) => at % 100 === 0)
          .toReversed()
          .slice(0, 30),
      );
      expect(first[0]!.row.slice(1, 4)).toEqual([40 * HOURS, 200 * HOURS, 149 * HOURS]);
      // Only the tools of the tenants that are shown are read.
      for (const { row } of first) {
        const { tools } = rows[partOfTenant(row[0], PARTS)]!;
        const summed = sumTools(
          Array.from({ length: HOURS }, () => readTools(tools, row[0])),
          LIMITS.operatorTools,
        );
        expect(summed.map(([, calls]) => calls)).toEqual(TOOLS.map(() => 40 * HOURS));
      }
    },
  );

  trial("a hundred thousand more, as an attack would name them, are one line of each part", () => {
    const book = new TallyBook(BOUNDS);
    for (let at = 0; at < 100_000; at += 1) {
      const action = {
        tool: `tool-${at % 977}`,
        isCall: true,
        isError: false,
        isThrottled: false,
        durationMs: 1,
      };
      book.addAction(`made-up-${at}`, action);
    }
    const { heads, tools } = toHourText(book.counted());
    expect(readHeads(heads).length).toBeLessThanOrEqual(BOUNDS.tenants + 1);
    expect(tools.length).toBeLessThan(300_000);
    expect(readTools(tools, "(other)").length).toBeGreaterThan(0);
  });
});
