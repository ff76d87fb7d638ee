import type { Endpoint } from "../openapi/endpoint.ts";
import { executeActions } from "./execute-actions.ts";
import { cancelJob, listJobs, redriveJob, redriveJobs, showJob } from "./jobs.ts";

/** The paths that every Worker answers and describes; `/healthz` stands beside them in the app. */
export const CORE_ENDPOINTS: readonly Endpoint[] = [
  executeActions,
  listJobs,
  showJob,
  cancelJob,
  redriveJob,
  redriveJobs,
];
