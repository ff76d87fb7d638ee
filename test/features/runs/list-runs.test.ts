import fc from "fast-check";
import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../src/features/runs/limits.ts";
import { type Listed, listRuns, type ReportRow } from "../../../src/features/runs/list-runs.ts";
import type { RunHead } from "../../../src/features/runs/run.ts";
import type { RunPlace } from "../../../src/features/runs/run-log-methods.ts";

const head = (id: string, startedAt: number, durationMs = 0): RunHead => ({
  id,
  source: "http",
  key: "k",
  request: "r",
  startedAt,
  durationMs,
  tools: [],
});

/** Reports of runs that last up to three minutes, the latest first. */
const reports = fc
  .array(fc.array(fc.integer({ min: 0, max: 180_000 }), { minLength: 1, maxLength: 4 }), { maxLength: 40 })
  .map((all): readonly ReportRow[] =>
    all
      .map((lasts, row) => {
        const at = 1_000_000 + row * 7_000;
        return { at, heads: lasts.map((ms, index) => head(`${row}.${index}`, at - ms, ms)) };
      })
      .toReversed(),
  );
const all = (rows: readonly ReportRow[], limit: number, looked: number) => {
  const found: (RunPlace & { run: string })[] = [];
  let after: RunPlace | null = null;
  for (let pages = 0; ; pages += 1) {
    const highest: number = after === null ? Number.POSITIVE_INFINITY : after.at + LIMITS.runListedMs;
    const page: Listed<string> = listRuns(
      rows.filter(({ at }) => at <= highest),
      { limit, after, since: 0, reports: looked, pick: ({ id }) => id },
    );
    expect(page.runs.length).toBeLessThanOrEqual(limit);
    found.push(...page.runs);
    if (page.next === null) return { found, pages };
    after = page.next;
    expect(pages).toBeLessThan(1_000);
  }
};

describe("Pages of runs", () => {
  test("have every run once, the newest first, however long each took and however small a page is", () => {
    fc.assert(
      fc.property(
        reports,
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 9 }),
        (rows, limit, looked) => {
          const { found } = all(rows, limit, looked);
          const ids = rows.flatMap(({ heads }) => heads.map(({ id }) => id));
          expect(found.map(({ run }) => run).toSorted()).toEqual(ids.toSorted());
          for (const [index, { at }] of found.entries())
            if (index > 0) expect(at).toBeLessThanOrEqual(found[index - 1]!.at);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("stand at a run's start, but no more than two minutes before its report", () => {
    const rows: ReportRow[] = [{ at: 1_000_000, heads: [head("long", 400_000), head("short", 999_000)] }];
    expect(listRuns(rows, { limit: 5, after: null, since: 0, pick: ({ id }) => id }).runs).toEqual([
      { at: 999_000, id: "short", run: "short" },
      { at: 1_000_000 - LIMITS.runListedMs, id: "long", run: "long" },
    ]);
  });

  test("end after so many reports, and go on behind them: a filter that fits nothing reads no whole log at once", () => {
    const rows = Array.from({ length: 30 }, (_, row) => ({
      at: 1_000 - row,
      heads: [head(`${row}`, 1_000 - row)],
    }));
    let read = 0;
    const counted = function* () {
      for (const row of rows) {
        read += 1;
        yield row;
      }
    };
    const page = listRuns(counted(), {
      limit: 5,
      after: null,
      since: 0,
      reports: 10,
      pick: () => null,
    });
    expect([page.runs, page.next, read]).toEqual([[], { at: 990, id: "" }, 11]);
  });
});
