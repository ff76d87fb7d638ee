import { makeFailure, toWireFailure } from "../../src/core/contract/failure.ts";
import type { AttemptEnd, JobSpec } from "../../src/core/contract/gate/job.ts";
import { type Job, recordJob } from "../../src/core/gate/state/outbox.ts";
import { settleJob } from "../../src/core/gate/state/settle-job.ts";

export const NOW = 1_800_000_000_000;
export const LEASE = 30_000;
export const AFTER_LEASE = NOW + LEASE;

export const specOf = (changes: Partial<JobSpec> = {}): JobSpec => ({
  id: "job-1",
  tool: "send_email",
  argsJson: "{}",
  idempotencyKey: "job-1",
  maxAttempts: 3,
  backoffInitialMs: 1_000,
  delivery: "at-least-once",
  ...changes,
});
export const recorded = (changes: Partial<JobSpec> = {}): Job => recordJob(specOf(changes), NOW, LEASE);

export const failed = (retryable: boolean, retryAfterMs?: number): AttemptEnd => ({
  kind: "failed",
  error: toWireFailure(
    makeFailure("UPSTREAM_ERROR", { retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) }),
  ),
});
export const lost: AttemptEnd = { kind: "lost", error: toWireFailure(makeFailure("TIMEOUT")) };
export const succeeded: AttemptEnd = { kind: "succeeded", dataJson: '{"ok":true}' };

export const settle = (job: Job, end: AttemptEnd, fence = job.fence, random = 0.5): [Job, boolean] =>
  settleJob(job, NOW + 1_000, { fence, end, random });
