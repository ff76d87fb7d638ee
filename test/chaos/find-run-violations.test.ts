import { describe, expect, test } from "vitest";
import { findRunViolations, isRunLost, isRunRepeated, type RunEvidence } from "./find-run-violations.ts";
import { findClockViolations } from "./hook-report.ts";

const MAX_ATTEMPTS = 5;
const wrote = { key: null, at: 1, actedAt: 2, refused: false, torn: false };
const keyed = { key: "k", at: 3, actedAt: 4, refused: false, torn: false };
const cutOff = { actedAt: 9, torn: true };
const fine: RunEvidence = {
  n: 1,
  jobIds: ["run-1", "run-1"],
  record: { status: "succeeded", attempts: 2 },
  later: { status: "succeeded", attempts: 2 },
  once: [wrote],
  keyed: [keyed],
};
const unknown = { status: "unknown", attempts: 2 };
const find = (evidence: Partial<RunEvidence>): string[] => {
  const run = { ...fine, ...evidence };
  return findRunViolations([{ ...run, later: "later" in evidence ? run.later : run.record }], MAX_ATTEMPTS);
};

describe("findRunViolations()", () => {
  test("finds nothing wrong with a run that did both its writes, nor with a keyed one repeated under its key", () => {
    expect(find({})).toEqual([]);
    expect(find({ keyed: [{ ...keyed, ...cutOff }, keyed] })).toEqual([]);
  });

  test("finds nothing wrong with a run that is unknown, whether its first write arrived or not", () => {
    expect(find({ record: unknown, once: [{ ...wrote, ...cutOff }], keyed: [] })).toEqual([]);
    expect(find({ record: unknown, once: [], keyed: [] })).toEqual([]);
  });

  test.each<[what: string, evidence: Partial<RunEvidence>, text: string]>([
    ["a delivery that was never taken", { jobIds: [], record: null }, "never taken): lost"],
    ["a run without a record", { record: null }, "lost: recorded as nothing"],
    ["a run that is dead", { record: { status: "dead", attempts: 2 } }, "lost: recorded as dead"],
    ["a success without its second write", { keyed: [] }, "its writes acted 1 and 0 times"],
    ["two runs of one delivery", { jobIds: ["run-1", "run-2"] }, "told 2 runs"],
    ["a first write that arrived twice", { once: [wrote, wrote] }, "the provider saw 2 attempts"],
    ["two keys for one second write", { keyed: [keyed, { ...keyed, key: "l" }] }, "2 different keys"],
    ["a second write without a key", { keyed: [{ ...keyed, key: null }] }, "without an idempotency key"],
    ["a second write before the first was over", { keyed: [{ ...keyed, at: 1.5 }] }, "before the first"],
    ["an unknown that is none", { record: unknown }, "the write that waits for its first was sent"],
    ["too many attempts", { record: { status: "succeeded", attempts: 6 } }, "6 attempts, 5 are allowed"],
    [
      "a run that was over twice",
      { later: unknown },
      "over as succeeded after 2 attempts, and then as unknown",
    ],
  ])("finds %s", (_, evidence, text) => {
    expect(find(evidence)).toEqual([expect.stringContaining(text)]);
  });

  test("finds a success that cannot be known, because its first write was cut off", () => {
    expect(find({ once: [{ ...wrote, ...cutOff }] })).toEqual([
      expect.stringContaining("its first write was cut off, and it is succeeded"),
      expect.stringContaining("its second write was sent before the first had succeeded"),
    ]);
  });

  test("finds one key for two runs", () => {
    expect(findRunViolations([fine, { ...fine, n: 2 }], MAX_ATTEMPTS)).toEqual([
      expect.stringContaining("its key is also that of n=1"),
    ]);
  });
});

test("a run is repeated by a second first write or another key, and lost by neither", () => {
  const repeated = [
    { ...fine, once: [wrote, wrote] },
    { ...fine, keyed: [keyed, { ...keyed, key: "l" }] },
  ];
  expect([fine, ...repeated].map(isRunRepeated)).toEqual([false, true, true]);
  expect([fine, ...repeated].map(isRunLost)).toEqual([false, false, false]);
});

test("a clock that was missed runs once and writes once, or it is found", () => {
  const clock = { kills: 2, missed: 3, statuses: ["succeeded"], writes: 1 };
  expect(findClockViolations(clock)).toEqual([]);
  expect(findClockViolations({ ...clock, statuses: [] })).toHaveLength(1);
  expect(findClockViolations({ ...clock, statuses: ["succeeded", "succeeded"] })).toHaveLength(1);
  expect(findClockViolations({ ...clock, statuses: ["dead"] })).toHaveLength(1);
  expect(findClockViolations({ ...clock, writes: 2 })).toHaveLength(1);
});
