import type { Tool } from "../catalog/define-tool.ts";
import type { Failure } from "../contract/failure.ts";
import * as LIMITS from "../contract/limits.ts";
import { backoffMs } from "../kit/backoff.ts";
import type { Ports } from "../egress/ports.ts";

/** The failed attempts of a call so far. */
export interface FailedAttempts {
  readonly tool: Tool;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly ports: Pick<Ports, "random">;
}

/** How long to wait before trying again, in milliseconds; null when the contract does not allow it. */
export function retryDelayMs(
  failure: Failure,
  { tool, attempts, maxAttempts, ports }: FailedAttempts,
): number | null {
  const { backoff } = tool.orchestration;
  if (backoff === undefined || attempts >= maxAttempts || !failure.retryable || !tool.repeatable) return null;
  // A call that waits for the probe would only add to the calls after it.
  if (failure.code === "CIRCUIT_OPEN") return null;
  const delayMs = backoffMs({
    attempt: attempts,
    initialMs: backoff.initial_ms,
    maxMs: LIMITS.jobBackoffMaxMs,
    random: ports.random(),
  });
  return Math.max(delayMs, failure.retryAfterMs ?? 0);
}
