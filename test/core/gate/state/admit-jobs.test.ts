import { describe, expect, test } from "vitest";
import type { JobSpec } from "../../../../src/core/contract/gate/job.ts";
import { admitJobs } from "../../../../src/core/gate/state/admit-jobs.ts";

const jobs = [1, 2, 3].map((index) => ({ index, spec: { id: `job-${index}` } as JobSpec }));
const denied = [{ index: 2, retryAfterMs: 500 }];

describe("admitJobs()", () => {
  test("passes every job when nothing was denied", () => {
    expect(admitJobs({ jobs, allOrNothing: true }, [], () => false)).toEqual({ jobs, denied: [] });
  });

  test("leaves out the job whose own draw was denied", () => {
    const passed = admitJobs({ jobs, allOrNothing: false }, denied, () => false);
    expect(passed).toEqual({ jobs: [jobs[0], jobs[2]], denied });
  });

  test("passes none with allOrNothing when any draw was denied, a job's or not", () => {
    const elsewhere = [{ index: 9, retryAfterMs: 500 }];
    expect(admitJobs({ jobs, allOrNothing: true }, denied, () => false).jobs).toEqual([]);
    expect(admitJobs({ jobs, allOrNothing: true }, elsewhere, () => false).jobs).toEqual([]);
  });

  test("does not deny a job that a lost answer already recorded", () => {
    const passed = admitJobs({ jobs, allOrNothing: true }, denied, (id) => id === "job-2");
    expect(passed).toEqual({ jobs, denied: [] });
  });
});
