import { describe, expect, test } from "vitest";

import type { JobSpec } from "../../../../src/core/contract/gate/job.ts";
import { cancelJob, redriveJob } from "../../../../src/core/gate/state/change-job.ts";
import { claimJob, type Job } from "../../../../src/core/gate/state/outbox.ts";
import { failed, LEASE, NOW, recorded, settle, succeeded } from "../../../support/sample-jobs.ts";

describe("cancelJob()", () => {
  test("ends a running job, says that its attempt may have taken effect, and fences it", () => {
    const [job, accepted] = cancelJob(recorded(), NOW + 5);
    expect(accepted).toBe(true);
    expect(job).toMatchObject({
      status: "cancelled",
      attempts: 1,
      fence: 2,
      dueAt: null,
      updatedAt: NOW + 5,
    });
    expect(job.note).toContain("may have taken effect");
    expect(settle(job, succeeded, 1)).toEqual([job, false]);
    expect(claimJob(job, Number.MAX_SAFE_INTEGER, LEASE)).toEqual([job, null]);
  });

  test("says that nothing was sent when nothing was", () => {
    const [released] = settle(recorded(), { kind: "released" });
    expect(cancelJob(released, NOW)[0]).toMatchObject({
      status: "cancelled",
      note: "Cancelled before anything was sent.",
    });
  });

  test("says how many attempts there were, and keeps the last one's error", () => {
    const [retrying] = settle(recorded(), failed(true));
    const [job] = cancelJob(retrying, NOW + 2_000);
    expect(job.note).toContain("Cancelled after 1 attempt without success");
    expect(job.errorJson).toContain("UPSTREAM_ERROR");
  });

  test.each(["succeeded", "failed", "dead", "cancelled", "unknown"] as const)(
    "leaves a job alone that is %s",
    (status) => {
      const over: Job = { ...recorded(), status, dueAt: null };
      expect(cancelJob(over, NOW)).toEqual([over, false]);
    },
  );
});

describe("redriveJob()", () => {
  const dead = (changes: Partial<JobSpec> = {}): Job =>
    settle(recorded({ maxAttempts: 1, ...changes }), failed(true))[0];

  test("gives a dead job fresh attempts, due now, under the same key and a fence of its own", () => {
    const [job, accepted] = redriveJob(dead(), NOW + 9_000);
    expect(accepted).toBe(true);
    expect(job).toMatchObject({
      status: "retrying",
      attempts: 0,
      dueAt: NOW + 9_000,
      errorJson: null,
      note: "Redriven after 1 attempt, no longer counted.",
    });
    const [running, claim] = claimJob(job, NOW + 9_000, LEASE);
    expect(claim).toMatchObject({ attempt: 1, fence: 2, spec: { idempotencyKey: "job-1" } });
    expect(settle(running, succeeded, 1)[1]).toBe(false);
    expect(settle(running, succeeded, 2)[0].status).toBe("succeeded");
  });

  test("counts later attempts that are given back, so a redriven job comes to an end", () => {
    const [job] = redriveJob(dead({ maxAttempts: 2 }), NOW);
    const [running] = claimJob(job, NOW, LEASE);
    expect(settle(running, { kind: "released" })[0]).toMatchObject({ status: "retrying", attempts: 1 });
  });

  test.each(["running", "retrying", "succeeded", "failed", "cancelled", "unknown"] as const)(
    "leaves a job alone that is %s",
    (status) => {
      const job: Job = { ...dead(), status };
      expect(redriveJob(job, NOW)).toEqual([job, false]);
    },
  );

  test("leaves a job alone that allows no attempts: its record could not be read", () => {
    const job = dead({ maxAttempts: 0 });
    expect(redriveJob(job, NOW)).toEqual([job, false]);
  });
});
