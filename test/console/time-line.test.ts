import { describe, expect, test } from "vitest";

import type { WirePlan, WireResult } from "../../src/console/kit/wire.ts";
import { sayCurl, sayEnds, sayRun } from "../../src/console/run/say-run.ts";
import {
  type Arrival,
  countStates,
  makeTicks,
  makeTimeRows,
  type RunFacts,
} from "../../src/console/run/time-line.ts";

const ACTIONS = ["a", "b", "c", "d"].map((id) => ({ id, tool: id === "c" || id === "d" ? "slow" : "t" }));
const PLAN: WirePlan = {
  dry_run: true,
  plan: {
    waves: [["a", "c", "d"], ["b"]],
    edges: [{ from: "a", to: "b", reason: "reference" }],
    caps: { slow: 1 },
    confirmations: [],
    estimated_tokens: 0,
    estimated_speedup: 2,
  },
  errors: [],
};

function arrive(index: number, atMs: number, meta: WireResult["meta"]): [number, Arrival] {
  const { id, tool } = ACTIONS[index]!;
  return [index, { atMs, result: { index, id, tool, status: "success", data: 1, meta } }];
}

function rowsOf(facts: Partial<RunFacts>) {
  return makeTimeRows({
    actions: ACTIONS,
    plan: PLAN,
    arrivals: new Map(),
    nowMs: 100,
    phase: "running",
    ...facts,
  });
}

describe("makeTimeRows()", () => {
  test("lets run what waits for no other, and queues what its tool's cap holds back", () => {
    expect(rowsOf({}).map(({ state, waitsFor }) => [state, ...waitsFor])).toEqual([
      ["running"],
      ["waiting", "a"],
      ["running"],
      ["queued"],
    ]);
  });

  test("begins what waited when that has ended", () => {
    const [, b] = rowsOf({ arrivals: new Map([arrive(0, 60, { duration_ms: 50 })]), nowMs: 90 });
    expect(b).toMatchObject({ state: "running", ran: { fromMs: 60, toMs: 90 } });
  });

  test("knows of no waiting while the plan is not known", () => {
    expect(rowsOf({ plan: null }).every(({ state }) => state === "running")).toBe(true);
  });

  test("draws what was measured: the queue apart from the call, and nothing before the start", () => {
    const [a, , c] = rowsOf({
      arrivals: new Map([
        arrive(0, 60, { duration_ms: 90 }),
        arrive(2, 200, { duration_ms: 50, queued_ms: 30 }),
      ]),
    });
    expect(a).toMatchObject({ queued: null, ran: { fromMs: 0, toMs: 60 } });
    expect(c).toMatchObject({ queued: { fromMs: 120, toMs: 150 }, ran: { fromMs: 150, toMs: 200 } });
  });

  test("shows at the end on which chain the batch hung", () => {
    const arrivals = new Map([
      arrive(0, 60, { duration_ms: 50 }),
      arrive(1, 160, { duration_ms: 90 }),
      arrive(2, 100, { duration_ms: 90 }),
      arrive(3, 161, {}),
    ]);
    const rows = rowsOf({ arrivals, phase: "ended" });
    expect(rows.filter(({ isCritical }) => isCritical).map(({ id }) => id)).toEqual(["a", "b"]);
    expect(rows[3]).toMatchObject({ toldMs: 161, ran: null });
  });

  test("says of what was not told before a run was cut off that it is not known", () => {
    const rows = rowsOf({ phase: "stopped", arrivals: new Map([arrive(0, 60, { duration_ms: 50 })]) });
    expect(countStates(rows)).toEqual([
      ["success", 1],
      ["lost", 3],
    ]);
  });
});

test("makeTicks() gives at most four round times", () => {
  expect(makeTicks(930)).toEqual([500]);
  expect(makeTicks(60_000)).toEqual([20_000, 40_000, 60_000]);
  for (const length of [0, 1, 3, 17, 250, 4_999, 1e7])
    expect(makeTicks(length).length).toBeLessThanOrEqual(4);
});

describe("The words of a run", () => {
  const summary = {
    total: 5,
    ok: 3,
    error: 1,
    initiated: 1,
    skipped: 0,
    pending_confirmation: 0,
    unknown: 0,
  };
  const stats = {
    duration_ms: 440,
    critical_path_ms: 430,
    sequential_ms: 1226,
    speedup: 2.79,
    max_parallelism: 3,
  };

  test("say how much was saved, where something was", () => {
    expect(sayRun({ summary, stats })).toBe(
      "5 actions, 1.23 s of calls in 440 ms, 2.8 times as fast as one by one.",
    );
    expect(sayRun({ summary, stats: { ...stats, speedup: 0.9 } })).toBe(
      "5 actions, 1.23 s of calls in 440 ms.",
    );
    expect(
      sayRun({ summary: { ...summary, total: 1 }, stats: { ...stats, sequential_ms: 0, speedup: 0 } }),
    ).toBe("1 action in 440 ms.");
    expect(sayEnds({ summary })).toBe("3 succeeded, 1 failed, 1 in the background");
  });

  test("keep a quote of the batch inside the shell's quotes, and the key out of it", () => {
    const command = sayCurl("https://volley.example", `{"q":"it's"}`);
    expect(command).toContain(String.raw`-d '{"q":"it'\''s"}'`);
    expect(command).toContain("$VOLLEY_KEY");
  });
});
