import { describe, expect, test } from "vitest";

import type { WireJob } from "../../../../src/console/kit/wire.ts";
import { findHoldup } from "../../../../src/features/runs/console/find-holdup.ts";
import { makeTrace } from "../../../../src/features/runs/console/make-trace.ts";
import { makeTimeScale } from "../../../../src/features/runs/console/time-scale.ts";
import { ranAt, someRun } from "./some-run.ts";

const needs = (from: string, to: string, reason = "reference") => ({ from, to, reason });

describe("makeTrace()", () => {
  test("draws the wait in queues apart from the work, each attempt, and the pauses between them", () => {
    const tries = [
      { started_ms: 40, duration_ms: 10, code: "TIMEOUT" as const },
      { started_ms: 70, duration_ms: 20 },
    ];
    const { rows } = makeTrace(someRun([ranAt("a", 40, 50, { queued_ms: 30, tries })]));
    expect(rows[0]!.spans).toEqual([
      { kind: "queue", fromMs: 10, toMs: 40 },
      { kind: "work", fromMs: 40, toMs: 50, code: "TIMEOUT" },
      { kind: "pause", fromMs: 50, toMs: 70 },
      { kind: "work", fromMs: 70, toMs: 90 },
    ]);
  });

  test("puts each answer of the model before the actions that it asked for", () => {
    const run = someRun([ranAt("a0", 60, 10, { round: 2 }), ranAt("a0", 20, 10, { round: 1 })], {
      model: [
        { round: 1, started_ms: 0, model_ms: 20 },
        { round: 2, started_ms: 30, model_ms: 30 },
      ],
    });
    const { rows } = makeTrace(run);
    expect(rows.map(({ key, fromMs }) => [key, fromMs])).toEqual([
      ["model 1", 0],
      ["a0", 20],
      ["model 2", 30],
      ["a0~1", 60],
    ]);
  });

  test("adds the attempts of a job to the row that made it, on the clock of the run, with the job's status", () => {
    const job = {
      job_id: "job-1",
      tool: "look",
      status: "dead",
      attempts: 2,
      created_at: "2026-12-01T08:00:00.010Z",
      updated_at: "2026-12-01T08:00:09.000Z",
      next_attempt_at: null,
      tries: [
        { at: "2026-12-01T08:00:00.100Z", duration_ms: 50, code: "TIMEOUT" },
        { at: "2026-12-01T08:00:08.000Z", duration_ms: 70, code: "TIMEOUT" },
      ],
      error: { code: "TIMEOUT", message: "Late.", retryable: true },
    } as unknown as WireJob;
    const run = someRun([{ id: "a", tool: "look", status: "initiated", job_id: "job-1" }]);
    const { rows, lastMs } = makeTrace(run, [job]);
    expect(rows[0]).toMatchObject({ status: "dead", code: "TIMEOUT", fromMs: null });
    expect(rows[0]!.spans.map(({ kind, fromMs }) => [kind, fromMs])).toEqual([
      ["job", 100],
      ["pause", 150],
      ["job", 8_000],
    ]);
    expect(lastMs).toBe(8_070);
  });

  test("gives what never began no time", () => {
    const { rows } = makeTrace(someRun([{ id: "a", tool: "look", status: "skipped" }]));
    expect(rows[0]).toMatchObject({ spans: [], fromMs: null, toMs: null });
  });
});

describe("The calls that came after a run", () => {
  const later = (startedMs: number, tries = [{ started_ms: startedMs, duration_ms: 10 }]) => {
    const own = { name: "a", did: "mended", tool: "mend", status: "success", code: null, job: "job-1" };
    return { ...own, tries };
  };

  test("have rows of their own behind its actions, with each attempt", () => {
    const tries = [
      { started_ms: 60, duration_ms: 10, code: "TIMEOUT" },
      { started_ms: 90, duration_ms: 10 },
    ];
    const { rows, lastMs } = makeTrace(someRun([ranAt("a", 0, 50)]), [], [later(60, tries)]);
    expect(rows.map(({ key, kind }) => [key, kind])).toEqual([
      ["a", "action"],
      ["mended a", "later"],
    ]);
    expect(rows[1]!.spans.map(({ kind, fromMs, toMs }) => [kind, fromMs, toMs])).toEqual([
      ["job", 60, 70],
      ["pause", 70, 90],
      ["job", 90, 100],
    ]);
    expect(lastMs).toBe(100);
  });

  test("did not hold it up", () => {
    const trace = makeTrace(someRun([ranAt("a", 0, 50)]), [], [later(60)]);
    expect(findHoldup(trace).map(({ key }) => key)).not.toContain("mended a");
  });

  test("have a scale that begins with the first of them, hours later", () => {
    const hour = 3_600_000;
    const trace = makeTrace(someRun([ranAt("a", 0, 50)]), [], [later(hour), later(hour + 90)]);
    const { at, breakAt } = makeTimeScale(trace);
    expect(at(hour)).toBe(67);
    expect(at(hour + 50)).toBeGreaterThan(80);
    expect(breakAt).toBeLessThan(67);
  });
});

describe("findHoldup()", () => {
  const holdupOf = (...run: Parameters<typeof someRun>) =>
    findHoldup(makeTrace(someRun(...run))).map(({ name, kind }) => `${kind} ${name}`);

  test("goes from what ended last back to what it waited for, each time to the one that ended last", () => {
    const actions = [ranAt("a", 0, 10), ranAt("b", 0, 40), ranAt("c", 40, 60), ranAt("d", 0, 70)];
    const plan = { edges: [needs("a", "c"), needs("b", "c")] };
    expect(holdupOf(actions, { plan })).toEqual(["work b", "work c"]);
  });

  test("blames the call whose place was waited for, and not the result that was there long before", () => {
    const actions = [ranAt("found", 0, 10), ranAt("other", 0, 60), ranAt("late", 60, 40, { queued_ms: 50 })];
    expect(holdupOf(actions, { plan: { edges: [needs("found", "late")] } })).toEqual([
      "work other",
      "work late",
    ]);
  });

  test("names the queue itself where no call made room", () => {
    const actions = [ranAt("a", 0, 10), ranAt("limited", 80, 20, { queued_ms: 70 })];
    expect(holdupOf(actions, { plan: { edges: [needs("a", "limited")] } })).toEqual([
      "work a",
      "queue limited",
      "work limited",
    ]);
  });

  test("goes through the rounds of a model", () => {
    const actions = [ranAt("x", 20, 30, { round: 1 }), ranAt("y", 20, 10, { round: 1 })];
    const model = [
      { round: 1, started_ms: 0, model_ms: 20 },
      { round: 2, started_ms: 50, model_ms: 48 },
    ];
    expect(holdupOf(actions, { model })).toEqual(["work round 1", "work x", "work round 2"]);
  });

  test("ends at a cycle, and says nothing of a run in which nothing began", () => {
    const plan = { edges: [needs("a", "b"), needs("b", "a")] };
    expect(holdupOf([ranAt("a", 0, 50), ranAt("b", 50, 50)], { plan })).toEqual(["work a", "work b"]);
    expect(holdupOf([])).toEqual([]);
  });
});

describe("makeTimeScale()", () => {
  test("is one scale while jobs end soon after the run", () => {
    const { at, breakAt } = makeTimeScale({ runMs: 100, lastMs: 150 });
    expect([at(0), at(75), at(150), breakAt]).toEqual([0, 50, 100, null]);
  });

  test("leaves the run two thirds of the width however long its jobs went on", () => {
    const { at, breakAt, ticks } = makeTimeScale({ runMs: 100, lastMs: 3_600_000 });
    expect(at(100)).toBe(64);
    expect(at(3_600_000)).toBe(100);
    expect(breakAt).toBeGreaterThan(64);
    expect(ticks.at(-1)).toEqual({ at: 100, label: "1 h" });
  });

  test("stays within the width for a run of no length", () => {
    const { at } = makeTimeScale({ runMs: 0, lastMs: 0 });
    expect([at(0), at(9)]).toEqual([0, 100]);
  });
});
