import type {
  AdmissionAnswer,
  AdmissionRequest,
  LeaseGrant,
  LeaseWish,
  QuotaState,
  RateLimit,
} from "../contract/gate/admission.ts";
import type { Clock } from "../kit/clock.ts";
import { decideGcra } from "../kit/gcra.ts";
import { leaseMsOf } from "../state/grant-leases.ts";
import {
  acceptLeases,
  drawLeases,
  endLeases,
  type LeaseBook,
  type LeaseChanges,
  type LeasedBucket,
  leasedRemaining,
  noteRemaining,
} from "../state/lease.ts";

/** What one isolate holds of one tenant's quota, for as long as the isolate lives. */
export class TenantLeases implements LeaseBook {
  seenMs = 0;
  readonly buckets = new Map<string, LeasedBucket>();
  /** The theoretical arrival times of what came through this isolate alone, by bucket. */
  readonly #alone = new Map<string, number>();

  apply({ seenMs, clear, buckets }: LeaseChanges): void {
    this.seenMs = seenMs;
    if (clear) this.buckets.clear();
    for (const [name, bucket] of buckets) this.buckets.set(name, bucket);
  }

  /** Count one more request that came through this isolate; false when those alone are above the limit. */
  countAlone(nowMs: number, limit: RateLimit): boolean {
    const { allowed, tatMs } = decideGcra(this.#alone.get(limit.bucket) ?? 0, nowMs, limit);
    this.#alone.set(limit.bucket, tatMs);
    return allowed;
  }
}

export interface LeasedAdmissionOptions {
  readonly leases: TenantLeases;
  /** One round trip to the gate. */
  readonly send: (request: AdmissionRequest, wishes: readonly LeaseWish[]) => Promise<AdmissionAnswer>;
  /** Its timers must run by real time, whatever the clock is set to. */
  readonly clock: Clock;
  readonly defer: (work: Promise<unknown>) => void;
}

const ASK_NOTHING: AdmissionRequest = { quota: null, draws: [], jobs: [], allOrNothing: false };

/**
 * Create the `admit` of a gate whose quota is partly at hand: a request that needs nothing but quota, all of which is
 * covered by leases, is admitted here and now; any other is one round trip, which also carries the wishes for leases.
 * Leases are refilled ahead of need, behind the answer.
 */
export function createLeasedAdmission(
  options: LeasedAdmissionOptions,
): (request: AdmissionRequest) => Promise<AdmissionAnswer> {
  const { leases, clock, defer } = options;
  return async (request) => {
    if (needsGate(request)) return ask(request, [], options);
    const { quota } = request;
    const limits = request.draws.map(({ limit }) => limit);
    const draws = quota === null ? limits : [quota, ...limits];
    const [changes, { covered, wishes }] = drawLeases(leases, clock.now(), draws);
    leases.apply(changes);
    if (!covered) return ask(request, wishes, options);
    if (quota !== null) leases.countAlone(clock.now(), quota);
    if (wishes.length > 0) defer(ask(ASK_NOTHING, wishes, options).catch(() => {}));
    return {
      quota: quota && toQuotaState(leases.buckets.get(quota.bucket)!),
      denied: [],
      recorded: [],
      refusedJobs: [],
    };
  };
}

/** Whether a request asks for anything that only the gate itself can do. */
function needsGate({ jobs, idempotency }: AdmissionRequest): boolean {
  return jobs.length > 0 || idempotency !== undefined;
}

/** Make the round trip, and take what it brings. An answer that never comes, or too late, granted nothing. */
async function ask(
  request: AdmissionRequest,
  wishes: readonly LeaseWish[],
  options: LeasedAdmissionOptions,
): Promise<AdmissionAnswer> {
  const { leases, send, clock, defer } = options;
  const sentAtMs = clock.now();
  const ends = wishes.map(({ limit }) => startEnd(limit, sentAtMs, options));
  let granted: readonly LeaseGrant[] = [];
  try {
    const answer = await send(request, wishes);
    granted = answer.leases ?? [];
    if (request.quota !== null && answer.quota?.allowed === true) {
      leases.countAlone(clock.now(), request.quota);
      leases.apply(noteRemaining(leases, request.quota.bucket, answer.quota));
    }
    return answer;
  } finally {
    const isAlive = (bucket: string): boolean => ends.some((end) => end.bucket === bucket && !end.isOver());
    const grants = granted.filter(({ bucket }) => isAlive(bucket));
    if (wishes.length > 0) leases.apply(acceptLeases(leases, clock.now(), { sentAtMs, wishes, grants }));
    for (const end of ends) {
      if (grants.some(({ bucket }) => bucket === end.bucket)) defer(end.happened);
      else end.cancel();
    }
  }
}

interface LeaseEnd {
  readonly bucket: string;
  readonly happened: Promise<void>;
  isOver(): boolean;
  cancel(): void;
}

/**
 * Start the timer that ends what one wish may bring, when it is sent. The clock alone cannot: set back while nobody looked,
 * it shows less time than has passed, and a lease would live on.
 */
function startEnd(limit: RateLimit, sentAtMs: number, { leases, clock }: LeasedAdmissionOptions): LeaseEnd {
  const leaseMs = leaseMsOf(limit.windowS);
  const { promise, resolve } = Promise.withResolvers<void>();
  let over = false;
  const cancel = clock.after(leaseMs, () => {
    over = true;
    leases.apply(endLeases(leases, limit, sentAtMs + leaseMs));
    resolve();
  });
  return { bucket: limit.bucket, happened: promise, isOver: () => over, cancel };
}

function toQuotaState(bucket: LeasedBucket): QuotaState {
  return { allowed: true, remaining: leasedRemaining(bucket), resetMs: bucket.resetMs, retryAfterMs: 0 };
}
