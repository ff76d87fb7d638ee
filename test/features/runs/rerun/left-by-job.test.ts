import { expect, test } from "vitest";

import type { JobRecord } from "../../../../src/core/contract/gate/job.ts";
import type { KeptAction } from "../../../../src/features/runs/rerun/kept-run.ts";
import { leftByJob } from "../../../../src/features/runs/rerun/left-by-job.ts";

const failed: KeptAction = {
  id: "a",
  tool: "store_it",
  status: "error",
  args: { of: "a" },
  attempts: 1,
  error: { code: "RATE_LIMITED", upstream_status: 429 },
};
const done: KeptAction = { id: "b", tool: "store_it", status: "success", data: 1 };
const result = (id: string, status: string, more: object = {}) => ({
  index: 0,
  id,
  tool: "store_it",
  status,
  ...more,
});

const jobOf = (status: string, results: readonly object[] = [], more: object = {}): JobRecord =>
  ({
    status,
    updatedAt: 5_000,
    envelopeJson: JSON.stringify({ batch_id: "run", results }),
    ...more,
  }) as unknown as JobRecord;

test("A write that the log has as failed, and the job's last attempt as done, was done: its run was lost", () => {
  const job = jobOf("failed", [result("a", "success", { data: 7, meta: {} })]);
  expect(leftByJob([failed, done], job)).toEqual([
    expect.objectContaining({ id: "a", status: "success", data: 7, args: { of: "a" } }),
    done,
  ]);
  expect(leftByJob(null, job)).toEqual([expect.objectContaining({ id: "a", status: "success" })]);
});

test("Data that the job has cut is given to no other action", () => {
  const cut = result("a", "success", { data: "7…", meta: { truncated: { bytes: 9 } } });
  expect(leftByJob([failed], jobOf("succeeded", [cut]))![0]).not.toHaveProperty("data");
});

test("What a job had not done when it was cancelled may have been sent by the attempt that was under way", () => {
  const job = jobOf("cancelled", [result("a", "error", { meta: {} })], { inDoubt: true });
  expect(leftByJob([failed, done], job, 4_999)).toEqual([{ ...failed, status: "unknown" }, done]);
  // The attempt that was cut off told everything, after that.
  expect(leftByJob([failed, done], job, 5_000)).toEqual([failed, done]);
  expect(leftByJob([failed, done], jobOf("cancelled"), 4_999)).toEqual([failed, done]);
  expect(leftByJob(null, job)).toBeNull();
});
