import { describe, expect, test } from "vitest";

import type { WireResult } from "../../src/console/kit/wire.ts";
import { sayCurl, sayEnds, sayRun } from "../../src/console/run/say-run.ts";
import {
  type Arrival,
  countStates,
  makeTicks,
  sayTick,
  makeTimeRows,
  type RunFacts,
} from "../../src/console/run/time-line.ts";

const ACTIONS = ["a", "b", "c", "d"].map((id) => ({ id, tool: id === "c" || id === "d" ? "slow" : "t" }));
function arrive(index: number, atMs: number, meta: WireResult["meta"]): [number, Arrival] {
  const { id, tool } = ACTIONS[index]!;
  return [index, { atMs, result: { index, id, tool, status: "success", data: 1, meta } }];
}

function rowsOf(facts: Partial<RunFacts>) {
  const none = { starts: new Map(), arrivals: new Map() };
  return makeTimeRows({ actions: ACTIONS, ...none, phase: "running", ...facts }, 100);
}

describe("makeTimeRows()", () => {
  test("shows a call as running from when the stream says that it has begun, and as waiting until then", () => {
    const starts = new Map([
      [0, [{ startedMs: 20, attempt: 1 }]],
      [
        2,
        [
          { startedMs: 5, attempt: 1 },
          { startedMs: 60, attempt: 2 },
        ],
      ],
    ]);
    expect(rowsOf({ starts }).map(({ state, ran, attempt }) => [state, ran, attempt])).toEqual([
      ["running", [{ fromMs: 20, toMs: 100 }], null],
      ["waiting", [], null],
      ["running", [{ fromMs: 5, toMs: 100 }], 2],
      ["waiting", [], null],
    ]);
  });

  test("draws what was measured: the queue apart from the call, each attempt, and nothing before the start", () => {
    const tries = [
      { started_ms: 10, duration_ms: 30, code: "TIMEOUT" as const },
      { started_ms: 90, duration_ms: 20 },
    ];
    const [a, b, c, d] = rowsOf({
      arrivals: new Map([
        arrive(0, 60, { duration_ms: 90 }),
        arrive(1, 120, { started_ms: 10, duration_ms: 100, attempts: 2, tries }),
        arrive(2, 200, { started_ms: 150, duration_ms: 50, queued_ms: 30 }),
        arrive(3, 161, {}),
      ]),
    });
    expect(a).toMatchObject({ queued: null, ran: [{ fromMs: 0, toMs: 90 }] });
    expect(b!.ran).toEqual([
      { fromMs: 10, toMs: 40 },
      { fromMs: 90, toMs: 110 },
    ]);
    expect(c).toMatchObject({ queued: { fromMs: 120, toMs: 150 }, ran: [{ fromMs: 150, toMs: 200 }] });
    expect(d).toMatchObject({ toldMs: 161, ran: [] });
  });

  test("says of what was not told before a run was cut off that it is not known", () => {
    const rows = rowsOf({ phase: "stopped", arrivals: new Map([arrive(0, 60, { duration_ms: 50 })]) });
    expect(countStates(rows)).toEqual([
      ["success", 1],
      ["lost", 3],
    ]);
  });
});

test("the ticks of a scale are told apart, however short or long it is", () => {
  for (const length of [0.4, 1, 1.2, 2.4, 3, 7, 1_999, 2_000, 179_999, 180_000, 200_000, 3_600_000]) {
    const labels = [0, ...makeTicks(length)].map((tick) => sayTick(tick, length));
    expect([length, new Set(labels).size]).toEqual([length, labels.length]);
  }
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
    const plain = "5 actions, 1.23 s of calls in 440 ms.";
    expect(sayRun({ summary, stats: { ...stats, speedup: 0.9 } })).toBe(plain);
    // Nothing is won by calls that were all cut off.
    expect(sayRun({ summary: { ...summary, ok: 0, error: 5 }, stats })).toBe(plain);
    expect(
      sayRun({ summary: { ...summary, total: 1 }, stats: { ...stats, sequential_ms: 0, speedup: 0 } }),
    ).toBe("1 action in 440 ms.");
    const undone = {
      index: 0,
      id: "a",
      tool: "t",
      status: "success",
      data: 1,
      meta: { duration_ms: 1, undone: true },
    } as const;
    expect(sayEnds({ summary, results: [] })).toBe("3 succeeded, 1 failed, 1 in the background");
    expect(sayEnds({ summary, results: [undone] })).toBe(
      "3 succeeded, 1 failed, 1 undone, 1 in the background",
    );
  });

  test("keep a quote of the batch inside the shell's quotes, and the key out of it", () => {
    const command = sayCurl("https://volley.example", `{"q":"it's"}`);
    expect(command).toContain(String.raw`-d '{"q":"it'\''s"}'`);
    expect(command).toContain("$VOLLEY_KEY");
  });
});
