/** Batches: they are planned, run and answered, at once or as a job. */

export { JOB_STATUSES } from "../core/contract/gate/job.ts";
