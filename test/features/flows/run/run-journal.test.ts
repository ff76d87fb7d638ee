import { describe, expect, test } from "vitest";

import { makeFailure } from "../../../../src/core/contract/failure.ts";
import type { JobClaim } from "../../../../src/core/contract/gate/job.ts";
import * as LIMITS from "../../../../src/features/flows/limits.ts";
import type { Outcome } from "../../../../src/core/contract/outcome.ts";
import {
  openLedger,
  resumeRun,
  RunJournal,
  withoutCut,
} from "../../../../src/features/flows/run/run-journal.ts";
import { parseBatch } from "../../../../src/core/contract/batch.ts";
import { makePlan } from "../../../../src/core/plan/make-plan.ts";
import { createCatalog } from "../../../support/create-catalog.ts";
import { contractOf, planOf } from "../../../support/fake-actions.ts";
import { valueOf } from "../../../support/unwrap.ts";

const WRITE = contractOf("write", { isWrite: true });
const READ = contractOf("read");
const PLAN = planOf([
  { id: "r", tool: READ },
  { id: "w", tool: WRITE },
  { id: "v", tool: WRITE },
  { id: "gone", refused: makeFailure("INVALID_ARGS") },
]);
const [, write, other] = PLAN.steps;
const claimAt = (fence: number) =>
  ({ spec: { id: "job", idempotencyKey: "seed" }, attempt: 1, fence }) as unknown as JobClaim;
const success = (text: string): Outcome => ({
  status: "success",
  data: text,
  json: JSON.stringify(text),
  meta: {},
});
const failure = (more: object = {}): Outcome => ({
  status: "error",
  error: makeFailure("UPSTREAM_ERROR", { retryable: false, ...more }),
  meta: {},
});
const lost = (retryable: boolean): Outcome => ({
  status: "unknown",
  error: makeFailure("UPSTREAM_ERROR", { retryable }),
  meta: {},
});

/** A journal whose object writes down what it is told. */
function createJournal(plan = PLAN) {
  const told: unknown[][] = [];
  const deferred: Promise<unknown>[] = [];
  const journal = new RunJournal({
    plan,
    ledger: openLedger(
      { call: async (_feature, method, ...said) => told.push([method, ...said]) > 0 },
      claimAt(3),
    ),
    defer: (work) => void deferred.push(work),
  });
  return { journal, told, deferred };
}

describe("RunJournal", () => {
  test("writes down once that a step begins, however many of its calls do", async () => {
    const { journal, told } = createJournal();
    expect(await Promise.all([journal.begin(write!), journal.begin(write!)])).toEqual([true, true]);
    expect(told).toEqual([["beginStep", "job", 3, "w"]]);
  });

  test("writes down how a step ended that it knows of, in the background", async () => {
    const { journal, told, deferred } = createJournal();
    await journal.begin(write!);
    journal.end(write!, success("done"));
    journal.end(other!, success("never begun"));
    expect(deferred).toHaveLength(1);
    await Promise.all(deferred);
    expect(told.slice(1)).toMatchObject([["endStep", "job", 3, { id: "w" }]]);
    expect(JSON.stringify(told)).toContain("done");
  });

  test("leaves a step open that was skipped after all, and one without a known end in doubt", async () => {
    const { journal, told, deferred } = createJournal();
    await Promise.all([journal.begin(write!), journal.begin(other!)]);
    journal.end(write!, { status: "skipped", because: "r", meta: {} } as Outcome);
    expect(deferred).toEqual([]);
    journal.end(other!, lost(true));
    await Promise.all(deferred);
    expect(told.at(-1)).toEqual(["endStep", "job", 3, { id: "v", outcomeJson: null }]);
  });
});

describe("RunJournal.keepAll()", () => {
  const keep = (...outcomes: Outcome[]) => createJournal().journal.keepAll(outcomes);
  const skip = { status: "skipped", because: "r", meta: {} } as Outcome;

  test("keeps what succeeded, and nothing of what failed or was skipped", () => {
    expect(keep(success("r"), success("w"), failure(), skip).map(({ id }) => id)).toEqual(["r", "w"]);
    expect(keep(failure(), failure(), skip, failure())).toEqual([]);
  });

  test.each([
    ["a write that was lost and may be sent again", lost(true), null],
    [
      "a write over which its upstream broke, which may not be sent again",
      { ...failure({ upstreamStatus: 500 }), meta: { inDoubt: true } } satisfies Outcome,
      null,
    ],
    ["a write that was lost and may not be sent again", lost(false), expect.stringContaining("unknown")],
  ])("keeps %s", (_, outcome, outcomeJson) => {
    expect(keep(failure(), outcome, skip, skip)).toEqual([{ id: "w", outcomeJson }]);
  });

  test.each([
    ["a write that was clearly refused", 1, failure({ upstreamStatus: 499 })],
    ["a write that may simply be tried again", 1, failure({ upstreamStatus: 425, retryable: true })],
    ["a read over which its upstream broke", 0, failure({ upstreamStatus: 503 })],
    ["what could not begin", 3, failure({ upstreamStatus: 503 })],
  ])("keeps nothing of %s", (_, at, outcome) => {
    const outcomes = PLAN.steps.map(() => skip);
    outcomes[at] = outcome;
    expect(keep(...outcomes)).toEqual([]);
  });

  test("keeps reads as long as they fit whole, and every write with as much as there is room for", () => {
    const half = LIMITS.runStepsBytes / 2;
    const fits = success("x".repeat(half - 2));
    expect(keep(fits, skip, skip, skip).map(({ id }) => id)).toEqual(["r"]);
    expect(keep(success("x".repeat(half - 1)), success("w"), skip, skip).map(({ id }) => id)).toEqual(["w"]);
    const two = planOf([
      { id: "a", tool: READ },
      { id: "b", tool: READ },
    ]);
    const both = createJournal(two).journal.keepAll([fits, success("")]);
    expect(both.map(({ id }) => id)).toEqual(["a"]);
    const large = keep(skip, success("x".repeat(half)), success("y".repeat(half)), skip);
    expect(large.map(({ id }) => id)).toEqual(["w", "v"]);
    for (const { outcomeJson } of large) {
      expect(outcomeJson!.length).toBeLessThan(half / 2 + 1_000);
      // Two writes share the room; reads and what cannot run take none of it.
      expect(outcomeJson!.length).toBeGreaterThan(half / 4);
    }
  });
});

describe("A journal of a plan with a loop", () => {
  const actions = [
    { id: "r", tool: "read" },
    { id: "other", tool: "read" },
    { id: "w", tool: "write", for_each: { $ref: "r#" } },
  ];
  const looped = valueOf(makePlan(valueOf(parseBatch({ actions }, 1_000)), createCatalog([READ, WRITE])));
  const [list, aside, loop] = looped.steps;

  /** @param write what the object says of the rows that it is to keep */
  function createLooping(write: () => Promise<boolean>) {
    const ran: string[] = [];
    const journal = new RunJournal({
      plan: looped,
      ledger: { begin: write, end: write },
      defer: () => {},
      runLoop: async ({ id }) => success(ran.push(id).toString()),
    });
    journal.end(aside!, success("aside"));
    journal.end(list!, success("list"));
    return { ran, runLoop: () => journal.runLoop!(loop!, [], {} as never) };
  }

  test("begins the loop once what it goes over is written down, and not where that failed", async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const slow = createLooping(() => promise);
    const running = slow.runLoop();
    await Promise.resolve();
    expect(slow.ran).toEqual([]);
    resolve(true);
    expect(await running).toMatchObject({ status: "success" });
    const failing = createLooping(() => Promise.reject(new Error("gone")));
    expect(await failing.runLoop()).toMatchObject({ status: "error", error: { code: "OVERLOADED" } });
    expect(failing.ran).toEqual([]);
  });

  test("reads a list of which a part was kept again, unless the loop over it has begun", () => {
    const cut = { ...success("cut"), meta: { truncated: {} } } as Outcome;
    const entry = (id: string, outcome: Outcome) => ({ id, outcomeJson: JSON.stringify(outcome) });
    const idsOf = (...kept: Parameters<typeof withoutCut>[1]) =>
      withoutCut(looped.steps, kept).map(({ id }) => id);
    expect(idsOf(entry("r", cut), entry("other", success("")))).toEqual(["other"]);
    expect(idsOf(entry("r", cut), entry("other", cut), { id: "w:0", outcomeJson: null })).toEqual([
      "r",
      "w:0",
    ]);
  });
});

describe("resumeRun()", () => {
  test("of a first attempt knows nothing, and of a later one that its jobs may be recorded", () => {
    const batch = { key: "job", fingerprint: "", seed: "seed" };
    expect(resumeRun(PLAN, claimAt(1), [])).toEqual({
      asked: { runId: "job", batch, actions: [] },
      claimed: { batch: { kind: "claimed", seed: "seed", inDoubt: false }, actions: [] },
      retaken: false,
      attempt: { jobId: "job", fence: 1 },
    });
    expect(resumeRun(PLAN, claimAt(2), [])).toMatchObject({
      asked: { batch: { seed: "" } },
      claimed: { batch: { seed: "seed" } },
      retaken: true,
      attempt: { jobId: "job", fence: 2 },
    });
  });

  test("knows what ended, doubts what was about to be sent, and forgets what failed", () => {
    const json = '{"status":"success"}';
    const { claimed } = resumeRun(PLAN, claimAt(2), [
      { id: "r", outcomeJson: json },
      { id: "w", outcomeJson: null },
      { id: "v", outcomeJson: '{"status":"error"}' },
      { id: "of another version", outcomeJson: json },
    ]);
    expect(claimed.actions).toEqual([
      { index: 0, state: { kind: "done", answer: { json, failed: false } } },
      { index: 1, state: { kind: "claimed", seed: "seed", inDoubt: true } },
    ]);
  });
});
