import { describe, expect, test } from "vitest";

import type { ProgressReport } from "../../../../src/core/catalog/define-tool.ts";
import { type Followed, followCall } from "../../../../src/features/mcp/http/answer-tool-call.ts";
import { planOf } from "../../../support/fake-actions.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const [STEP] = planOf([{ id: "a0" }]).steps;

/** A followed call, and what was told of it. */
function follow(name: string, args: Record<string, unknown> = {}) {
  const clock = new VirtualClock();
  const told: ProgressReport[] = [];
  const followed: Followed = followCall({ name, args }, clock, (report) => void told.push(report));
  const { onOutcome, onReport } = followed.listener;
  return {
    told,
    end: () => followed.end(),
    result: () => onOutcome?.(STEP!, { status: "success", data: 1, json: "1", meta: {} }),
    /** Report, and let enough time pass that the next one may be told too. */
    report: async (report: ProgressReport, ms = 20) => {
      onReport?.(report);
      await clock.advance(ms);
    },
  };
}

describe("followCall() tells of a batch", () => {
  test("one more result of as many as there are actions", () => {
    const { told, result } = follow("execute_actions", { actions: [{}, {}] });
    result();
    result();
    expect(told).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
  });

  test("no tool's reports: they count something else", async () => {
    const { told, report } = follow("execute_actions", { actions: [{}] });
    await report({ progress: 50, total: 100 });
    expect(told).toEqual([]);
  });
});

describe("followCall() tells of a single tool", () => {
  test("that it has ended, where it reports nothing", () => {
    const { told, result } = follow("probe-echo", { actions: ["an argument of that name"] });
    result();
    expect(told).toEqual([{ progress: 1, total: 1 }]);
  });

  test("what it reports, and nothing of ours beside it", async () => {
    const { told, report, result } = follow("import_rows");
    await report({ progress: 0, total: 100 });
    await report({ progress: 50, total: 100, message: "Half of the rows" });
    await report({ progress: 100, total: 100 });
    result();
    expect(told).toEqual([
      { progress: 0, total: 100 },
      { progress: 50, total: 100, message: "Half of the rows" },
      { progress: 100, total: 100 },
    ]);
  });

  test("only what is further than before, as when it is tried again", async () => {
    const { told, report } = follow("import_rows");
    for (const progress of [1, 2, 2, 1, Number.NaN, Number.POSITIVE_INFINITY, 3])
      await report({ progress, total: Number.POSITIVE_INFINITY });
    expect(told).toEqual([{ progress: 1 }, { progress: 2 }, { progress: 3 }]);
  });

  test("no more than one report in 20 ms, and no more than 200 characters of it", async () => {
    const { told, report } = follow("import_rows");
    for (let progress = 0; progress < 100; progress += 1) await report({ progress }, 1);
    expect(told.map(({ progress }) => progress)).toEqual([0, 20, 40, 60, 80]);
    await report({ progress: 100, message: "x".repeat(100_000) });
    expect(told.at(-1)!.message).toHaveLength(200);
  });

  test("nothing after its end: the answer is out", async () => {
    const { told, report, result, end } = follow("import_rows");
    end();
    await report({ progress: 1 });
    result();
    expect(told).toEqual([]);
  });
});
