import {
  type AdmissionAnswer,
  type AdmissionRequest,
  type LeaseGrant,
  type LeaseWish,
  type RateLimit,
  STALE,
} from "../contract/gate/admission.ts";
import type { Clock } from "../kit/clock.ts";
import { decideGcra } from "../kit/gcra.ts";
import { attempt } from "../kit/result.ts";
import { leaseMsOf, TenantLeases } from "../state/lease.ts";

/** What one isolate knows by itself of one tenant's quota, and of which tools the tenant has. */
export class IsolateQuota {
  readonly leases = new TenantLeases();
  /** The last answer under way that may bring leases. */
  coming: Promise<unknown> = Promise.resolve();
  /** The version of the tenant's own tools that the gate has told of, and when it was asked. */
  toolsVersion = 0;
  toolsHeardAtMs = Number.NEGATIVE_INFINITY;
  /** The theoretical arrival times of what came through this isolate alone, by bucket. */
  readonly #alone = new Map<string, number>();

  /** Count one more request that came through this isolate; false when those alone are above the limit. */
  countAlone(nowMs: number, limit: RateLimit): boolean {
    const { allowed, tatMs } = decideGcra(this.#alone.get(limit.bucket) ?? 0, nowMs, limit);
    this.#alone.set(limit.bucket, tatMs);
    return allowed;
  }

  /** Take the version that the gate told of, in answer to what was sent at this time: the last that was sent counts. */
  hearTools(sentAtMs: number, version = 0): void {
    if (sentAtMs < this.toolsHeardAtMs) return;
    this.toolsVersion = version;
    this.toolsHeardAtMs = sentAtMs;
  }
}

export interface LeasedAdmissionOptions {
  readonly held: IsolateQuota;
  /** One round trip to the gate. */
  readonly send: (request: AdmissionRequest, wishes: readonly LeaseWish[]) => Promise<AdmissionAnswer>;
  /** Its timers must run by real time, whatever the clock is set to. */
  readonly clock: Clock;
  readonly defer: (work: Promise<unknown>) => void;
}

/** How long a request waits for another's answer. That one may have been cut off, and then its answer never comes. */
const COMING_MS = 250;

const ASK_NOTHING: AdmissionRequest = { quota: null, draws: [], jobs: [], allOrNothing: false };

/**
 * Create the `admit` of a gate whose quota is partly at hand: a request that needs nothing but quota, all of which is
 * covered by leases, is admitted here and now; any other is one round trip, which also carries the wishes for leases.
 * Leases are refilled ahead of need, behind the answer. While an answer is under way that will cover a request too, the
 * request waits for that instead of asking by itself, once.
 */
export function createLeasedAdmission(
  options: LeasedAdmissionOptions,
): (request: AdmissionRequest) => Promise<AdmissionAnswer> {
  const { held, clock, defer } = options;
  const admit = (request: AdmissionRequest, limits: readonly RateLimit[], again: boolean) => {
    const { kind, wishes } = held.leases.draw(clock.now(), limits, again);
    if (kind === "short" || wishes.length > 0) {
      const asking = ask(kind === "short" ? request : ASK_NOTHING, wishes, options);
      if (wishes.length > 0) held.coming = asking;
      if (kind === "short") return asking;
      defer(attempt(() => asking));
    }
    if (kind === "covered") return Promise.resolve(admitHere(request, options));
    return settledWithin(COMING_MS, held.coming, clock).then((): Promise<AdmissionAnswer> =>
      admit(request, limits, true),
    );
  };
  return (request) => {
    const { quota, draws, jobs, idempotency, toolsVersion } = request;
    // What a lease covers is planned with tools that were heard of since it was granted.
    if (toolsVersion !== undefined && toolsVersion !== held.toolsVersion) return Promise.resolve(STALE);
    // Only the gate itself can record a job, and knows the keys.
    if (jobs.length > 0 || idempotency !== undefined) return ask(request, [], options);
    const limits = draws.map(({ limit }) => limit);
    if (quota !== null) limits.unshift(quota);
    return admit(request, limits, false);
  };
}

function admitHere({ quota }: AdmissionRequest, { held, clock }: LeasedAdmissionOptions): AdmissionAnswer {
  if (quota !== null) held.countAlone(clock.now(), quota);
  return { quota: quota && held.leases.stateOf(quota.bucket), denied: [], recorded: [], refusedJobs: [] };
}

/** Make the round trip, and take what it brings. An answer that never comes, or too late, granted nothing. */
async function ask(
  request: AdmissionRequest,
  wishes: readonly LeaseWish[],
  { held, send, clock, defer }: LeasedAdmissionOptions,
): Promise<AdmissionAnswer> {
  const sentAtMs = clock.now();
  const ends = wishes.map(({ limit }) => startEnd(limit, sentAtMs, { leases: held.leases, clock }));
  const asked = await attempt(() => send(request, wishes));
  if (asked.ok) held.hearTools(sentAtMs, asked.value.toolsVersion);
  if (asked.ok && request.quota !== null && asked.value.quota?.allowed === true) {
    held.countAlone(clock.now(), request.quota);
    held.leases.note(request.quota.bucket, asked.value.quota);
  }
  const granted: readonly LeaseGrant[] = asked.ok ? (asked.value.leases ?? []) : [];
  const isAlive = (bucket: string): boolean => ends.some((end) => end.bucket === bucket && !end.isOver());
  const grants = granted.filter(({ bucket }) => isAlive(bucket));
  if (wishes.length > 0) held.leases.accept(clock.now(), sentAtMs, { wishes, grants });
  for (const end of ends) {
    if (grants.some(({ bucket }) => bucket === end.bucket)) defer(end.happened);
    else end.cancel();
  }
  if (!asked.ok) throw asked.error;
  return asked.value;
}

/** Wait until something has ended, well or not, but only so long. */
function settledWithin(ms: number, work: Promise<unknown>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    void attempt(() => work).then(() => {
      cancel();
      resolve();
    });
  });
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
function startEnd(
  { bucket, windowS }: RateLimit,
  sentAtMs: number,
  { leases, clock }: { readonly leases: TenantLeases; readonly clock: Clock },
): LeaseEnd {
  const leaseMs = leaseMsOf(windowS);
  const { promise, resolve } = Promise.withResolvers<void>();
  let over = false;
  const cancel = clock.after(leaseMs, () => {
    over = true;
    leases.end(bucket, sentAtMs + leaseMs);
    resolve();
  });
  return { bucket, happened: promise, isOver: () => over, cancel };
}
