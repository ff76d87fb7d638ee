import type { IdempotencyAnswer, IdempotencyRequest } from "./idempotency.ts";
import type { JobSpec } from "./job.ts";
import type { Refusal } from "../refusal.ts";

/** So many per window, smoothed (GCRA): the whole limit at once after a pause, then one every window / limit. */
export interface RateLimit {
  /** Names the bucket within the tenant, e.g. `key:ci` or `tool:web-search`. */
  readonly bucket: string;
  readonly limit: number;
  readonly windowS: number;
  /** How many a request draws at once, all of them or none; one unless said. */
  readonly count?: number;
}

/** A key's quota. A request counts on it and on those of the keys above it: on all of them, or on none. */
export interface KeyQuota extends RateLimit {
  /** The quotas of the keys that made it, the nearest first; absent for a key that no key made. */
  readonly makers?: readonly RateLimit[];
}

/**
 * Everything one batch asks of its tenant's gate, in one round trip.
 *
 * The caller's quota is counted first; when it is used up nothing else is. Then every action draws from its tool's
 * limit, in order; then the jobs of the actions that passed are recorded.
 */
export interface AdmissionRequest {
  /** Null for the second call of a batch, which records jobs that had to wait for other actions. */
  readonly quota: KeyQuota | null;
  /** Rate-limited actions: position in the batch and the limit to draw from. */
  readonly draws: readonly { readonly index: number; readonly limit: RateLimit }[];
  readonly jobs: readonly {
    readonly index: number;
    readonly spec: JobSpec;
    /** An earlier run may have recorded it. Then its attempts are that run's or the alarm's, not this run's. */
    readonly retaken?: boolean;
  }[];
  /** With `fail-fast`, one denied draw means that no job is recorded. */
  readonly allOrNothing: boolean;
  /**
   * Keys to claim in the same turn. Only the object knows them: a request with this part is never answered without it.
   *
   * A batch whose key is not claimed counts nothing and records nothing. An action whose key is not claimed draws from
   * no limit and records no job. A job of a key that an earlier run began is recorded under that run's id.
   */
  readonly idempotency?: IdempotencyRequest;
  /**
   * Set for a shard that is not home: home has counted already, and denied these. The jobs are then queued for the shard's
   * own alarm instead of leased to the request that asks.
   */
  readonly countedAtHome?: { readonly denied: AdmissionAnswer["denied"] };
  /** The bucket of a key that was used while a lease covered it: all that is asked with its next lease. */
  readonly usedBy?: string | undefined;
  /**
   * The version of the tenant's own tools that this was planned with; only where what it does may depend on them. When
   * there is another by now, nothing is admitted and nothing counted.
   */
  readonly toolsVersion?: number;
}

/** Which of a key's two allowances: `lists` is for requests that run nothing. */
export type Allowance = "requests" | "lists";

export interface QuotaState {
  /** Whose state it is, where it is not that of `requests`. */
  readonly allowance?: Allowance;
  readonly allowed: boolean;
  /** Whole requests left right now. */
  readonly remaining: number;
  /** Milliseconds until the whole limit is available again. */
  readonly resetMs: number;
  /** Milliseconds until one more request would be allowed; 0 when it is now. */
  readonly retryAfterMs: number;
  /** The bucket that has nothing left, where it is not allowed: the key's own, or that of a key above it. */
  readonly usedUp?: string;
}

/** A wish for a small block of a bucket's quota, to be used without asking for each draw. */
export interface LeaseWish {
  readonly limit: RateLimit;
  readonly tokens: number;
}

/** A block of a bucket's quota, debited already. Quota that is not used in its time is lost. */
export interface LeaseGrant {
  readonly bucket: string;
  readonly tokens: number;
  /** How long it may be used, from the moment its request was *sent*. */
  readonly leaseMs: number;
  /** The quota that the gate had left beside it, and when the whole limit would be available again. */
  readonly remaining: number;
  readonly resetMs: number;
}

/**
 * The gate's answer. An action in none of the lists was not refused; a job in none of them was not recorded, because
 * the quota or its own draw was denied, or (`allOrNothing`) a sibling's.
 */
export interface AdmissionAnswer {
  readonly quota: QuotaState | null;
  readonly denied: readonly { readonly index: number; readonly retryAfterMs: number }[];
  /**
   * Jobs that are durably recorded, with the fence of the first attempt; null when that is the alarm's to make, or that of
   * the earlier run that recorded the job.
   */
  readonly recorded: readonly { readonly index: number; readonly fence: number | null }[];
  readonly refusedJobs: readonly {
    readonly index: number;
    readonly code: "BACKLOG_FULL" | "OUTBOX_UNAVAILABLE";
  }[];
  /** Present when the request has that part, except where the quota refused it. */
  readonly idempotency?: IdempotencyAnswer;
  /** Only in answer to wishes: those that were granted. */
  readonly leases?: readonly LeaseGrant[];
  /** The version of the tenant's own tools; absent where it never had any. */
  readonly toolsVersion?: number;
  /** The plan was made with other tools than there are: it is to be made anew. */
  readonly stale?: true;
}

/** The answer that counts and records nothing. */
export const NOTHING_ADMITTED: AdmissionAnswer = { quota: null, denied: [], recorded: [], refusedJobs: [] };

/** The answer to a plan that was made with other tools than there are. */
export const STALE: AdmissionAnswer = { ...NOTHING_ADMITTED, stale: true };

/** A claim on something that a feature's part of the object keeps. */
export interface PartClaim {
  /** The name of the feature. */
  readonly part: string;
  /** The claim as the part knows it. */
  readonly value: unknown;
}

/** The answer to a claim: refused, or granted together with the admission of the plan that it allows. */
export type ClaimedAdmission =
  | { readonly refused: Refusal }
  | { readonly refused: null; readonly admission: AdmissionAnswer };
