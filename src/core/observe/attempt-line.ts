import type { AttemptEnd, JobClaim } from "../contract/gate/job.ts";
import type { Telemetry } from "../egress/ports.ts";
import { isWritten } from "./watch.ts";

export interface SeenAttempt {
  readonly claim: JobClaim;
  readonly end: AttemptEnd;
  readonly durationMs: number;
}

/**
 * Write the line of one attempt of a job: the same line whether it is a batch's job or a run, and whether the attempt was made
 * after the answer or in the object's alarm. Neither arguments nor output are in it.
 */
export function tellAttempt(telemetry: Telemetry | undefined, { claim, end, durationMs }: SeenAttempt): void {
  const level = end.kind === "succeeded" || end.kind === "released" ? "info" : "warn";
  if (telemetry === undefined || !isWritten(telemetry, level)) return;
  const { spec, attempt } = claim;
  const { origin } = spec;
  telemetry.log(
    level,
    JSON.stringify({
      level,
      event: "job_attempt",
      request_id: origin?.requestId,
      trace_id: origin?.traceId,
      tenant: origin?.tenant,
      key: origin?.key,
      subject: origin?.account?.digest,
      batch_id: origin?.batchId,
      job_id: spec.id,
      tool: spec.tool,
      trigger: spec.run?.trigger,
      attempt,
      max_attempts: spec.maxAttempts,
      end: end.kind,
      code: "error" in end ? end.error.code : undefined,
      duration_ms: durationMs,
    }),
  );
}
