import { executeActions } from "./execute-actions.ts";
import { cancelJob, listJobs, redriveJob, redriveJobs, showJob } from "./jobs.ts";

/** The paths that every Worker answers behind a key. */
export const CORE_ENDPOINTS = [
  executeActions,
  listJobs,
  showJob,
  cancelJob,
  redriveJob,
  redriveJobs,
] as const;
