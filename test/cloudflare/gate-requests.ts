import type { AdmissionRequest, RateLimit } from "../../src/core/contract/gate/admission.ts";
import type { JobSpec } from "../../src/core/contract/gate/job.ts";
import type { Act } from "./scripted-attempts.ts";

/** Long enough that nothing refills while a test runs. */
export const HUNDRED_AN_HOUR: RateLimit = { bucket: "key:ci", limit: 100, windowS: 3_600 };

export function makeRequest(parts: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return { quota: null, draws: [], jobs: [], allOrNothing: false, ...parts };
}

/** A job whose alarm attempts act as listed, the second attempt of the job by the second act. */
export function makeSpec(id: string, acts: readonly Act[], changes: Partial<JobSpec> = {}): JobSpec {
  return {
    id,
    tool: "probe",
    argsJson: JSON.stringify(acts),
    idempotencyKey: id,
    maxAttempts: 3,
    backoffInitialMs: 1,
    delivery: "at-least-once",
    ...changes,
  };
}

export function makeJobsRequest(...specs: readonly JobSpec[]): AdmissionRequest {
  return makeRequest({ jobs: specs.map((spec, index) => ({ index, spec })) });
}
