/** Batches: they are planned, run and answered, at once or as a job. */

export { isTrouble, JOB_STATUSES, type JobRecord } from "../core/contract/gate/job.ts";
export { walkJobs } from "../core/contract/gate/job-query.ts";
export type { Remote } from "../core/contract/gate/tenant-gate-methods.ts";
export type { Outcome } from "../core/contract/outcome.ts";
export { isCall } from "../core/gate/state/outbox.ts";
export type { RunListener, SeenBatch } from "../core/observe/seen.ts";
export { nameOf, Watch } from "../core/observe/watch.ts";
