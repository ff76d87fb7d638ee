/** The limits that a tool's contract sets over all tenants, batches and isolates together. */
export interface GlobalLimits {
  /** Calls under way at once; null when only the rate is limited. */
  readonly concurrency: number | null;
  /** Calls a window, smoothed (GCRA); null when only the concurrency is limited. */
  readonly rate: { readonly limit: number; readonly windowS: number } | null;
}

/**
 * One call's question for a permit. Times are durations, because the asker's clock is not the gate's.
 *
 * The id makes the question repeatable: a call that asks again keeps the permit or the place in the queue.
 */
export interface PermitRequest {
  readonly id: string;
  /**
   * Whose call it is, as its key or its job's object says, never as the caller does: places are dealt over tenants. A Worker of
   * an older version does not say, and all such calls count as one tenant.
   */
  readonly tenant?: string;
  readonly limits: GlobalLimits;
  /** How long the call may wait. */
  readonly waitMs: number;
  /** How long the permit lasts when it is not given back. */
  readonly holdMs: number;
}

/**
 * Why there is no permit: the rate has none in time, the upstream asked everyone to wait for longer than that, all
 * places stayed taken, or too many are waiting already.
 */
export type PermitDenial = "rate" | "paused" | "busy" | "full";

export type PermitAnswer =
  /** `waitedMs`: from this question's arrival to the grant; negative when the permit was granted before. */
  | { readonly granted: true; readonly waitedMs: number }
  | { readonly granted: false; readonly reason: PermitDenial; readonly retryAfterMs: number | null };
