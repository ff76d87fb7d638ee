import { describe, expect, test } from "vitest";
import { findViolations, type JobEvidence } from "./find-violations.ts";

const MAX_ATTEMPTS = 5;
const acted = { key: "k", at: 1, actedAt: 2, refused: false, torn: false };
const fine: JobEvidence = {
  n: 1,
  once: false,
  jobId: "job-1",
  record: { status: "succeeded", attempts: 2 },
  later: { status: "succeeded", attempts: 2 },
  attempts: [acted],
};

describe("findViolations()", () => {
  test("finds nothing wrong with a job that succeeded, nor with an effect repeated under one key", () => {
    expect(
      findViolations([fine, { ...fine, n: 2, attempts: [], jobId: null, record: null }], MAX_ATTEMPTS),
    ).toEqual([]);
    expect(findViolations([{ ...fine, attempts: [acted, acted] }], MAX_ATTEMPTS)).toEqual([]);
  });

  test.each<[what: string, evidence: Partial<JobEvidence>, text: string]>([
    ["a job without a record", { record: null }, "lost: recorded as nothing"],
    ["a job that is dead", { record: { status: "dead", attempts: 2 } }, "lost: recorded as dead"],
    ["a success without its effect", { attempts: [{ ...acted, actedAt: null }] }, "acted 0 times"],
    ["an attempt without a key", { attempts: [{ ...acted, key: null }] }, "without an idempotency key"],
    ["two keys for one job", { attempts: [acted, { ...acted, key: "l" }] }, "2 different keys"],
    ["too many attempts", { record: { status: "succeeded", attempts: 6 } }, "6 attempts, 5 are allowed"],
    [
      "a job that was over twice",
      { later: { status: "unknown", attempts: 2 } },
      "over as succeeded after 2 attempts, and then as unknown",
    ],
    [
      "a late attempt that was believed",
      { record: { status: "succeeded", attempts: 2, data: { attempt: 1 } }, attempts: [acted, acted] },
      "attempt 1 was believed after attempt 2 had begun",
    ],
    ["uncounted attempts", { attempts: [acted, acted, acted] }, "saw 3 attempts, 2 are recorded"],
  ])("finds %s", (_, evidence, text) => {
    const job = { ...fine, ...evidence };
    const later = "later" in evidence ? job.later : job.record;
    expect(findViolations([{ ...job, later }], MAX_ATTEMPTS)).toEqual([expect.stringContaining(text)]);
  });

  test("takes 'unknown' of an at-most-once job for an end, and of any other for a loss", () => {
    const record = { status: "unknown", attempts: 1 };
    const unknown = { ...fine, record, later: record, attempts: [acted] };
    expect(findViolations([{ ...unknown, once: true }], MAX_ATTEMPTS)).toEqual([]);
    expect(findViolations([unknown], MAX_ATTEMPTS)).toEqual([expect.stringContaining("lost")]);
  });

  test("finds an at-most-once job that reached the provider twice", () => {
    const twice = { ...fine, once: true, attempts: [acted, { ...acted, actedAt: null }] };
    expect(findViolations([twice], MAX_ATTEMPTS)).toEqual([
      expect.stringContaining("the provider saw 2 attempts"),
    ]);
  });

  test("takes an end that was brought about for one, and a success without its effect for a loss even so", () => {
    const record = { status: "cancelled", attempts: 1 };
    const cancelled = { ...fine, record, later: record, attempts: [], mayEnd: ["cancelled"] };
    expect(findViolations([cancelled], MAX_ATTEMPTS)).toEqual([]);
    expect(findViolations([{ ...fine, attempts: [], mayEnd: ["cancelled"] }], MAX_ATTEMPTS)).toEqual([
      expect.stringContaining("lost"),
    ]);
  });

  test("finds one key for two jobs", () => {
    expect(findViolations([fine, { ...fine, n: 2 }], MAX_ATTEMPTS)).toEqual([
      expect.stringContaining("its key is also that of n=1"),
    ]);
  });
});
