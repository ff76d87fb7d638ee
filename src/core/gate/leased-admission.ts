import {
  type AdmissionAnswer,
  type AdmissionRequest,
  type LeaseGrant,
  type KeyQuota,
  type LeaseWish,
  NOTHING_ADMITTED,
  type QuotaState,
  type RateLimit,
  STALE,
} from "../contract/gate/admission.ts";
import * as LIMITS from "../contract/limits.ts";
import type { Clock } from "../kit/clock.ts";
import { decideGcra } from "../kit/gcra.ts";
import { attempt } from "../kit/result.ts";
import { leaseMsOf, limitsOf, TenantLeases } from "./state/lease.ts";
import { joinStates } from "./state/quota.ts";

/** One isolate's knowledge of one tenant's quota, and of which tools the tenant has. */
export class IsolateQuota {
  readonly leases = new TenantLeases();
  /** The last answer under way that may bring leases. */
  coming: Promise<unknown> = Promise.resolve();
  /** The version of the tenant's own tools that the gate has told of, and when it was asked. */
  toolsVersion = 0;
  toolsHeardAtMs = Number.NEGATIVE_INFINITY;
  /** When the tools were last asked for because of a name that is not known here. */
  toolsSoughtAtMs = Number.NEGATIVE_INFINITY;
  /** How many questions may be under way since one had no answer. */
  room = Number.POSITIVE_INFINITY;
  /** The continuations of requests that wait for room, first come, first served. */
  readonly waiting = new Set<() => void>();
  /** When each question that is under way was sent, the earliest first. */
  readonly #asking = new Map<object, number>();
  /** The theoretical arrival times of what came through this isolate alone, by bucket. */
  readonly #alone = new Map<string, number>();
  /** The gate's last refusal, by bucket. */
  readonly #refused = new Map<string, { readonly sentAtMs: number; readonly state: QuotaState }>();

  /** Count one more request that came through this isolate; false when those alone are above a limit of its key. */
  countAlone(nowMs: number, quota: KeyQuota): boolean {
    const limits = limitsOf(quota);
    const draws = limits.map((limit) => decideGcra(this.#alone.get(limit.bucket) ?? 0, nowMs, limit));
    const allowed = draws.every((draw) => draw.allowed);
    if (allowed) for (const [at, { bucket }] of limits.entries()) this.#alone.set(bucket, draws[at]!.tatMs);
    return allowed;
  }

  /** Note that a question is sent; call what is returned when it has ended. */
  beginAsking(nowMs: number): () => void {
    this.hasRoom(nowMs);
    const question = {};
    this.#asking.set(question, nowMs);
    return () => void this.#asking.delete(question);
  }

  /**
   * Whether one more may be asked. A question whose request was cut off never ends; it counts until its answer could not come any
   * more.
   */
  hasRoom(nowMs: number): boolean {
    for (const [question, sentAtMs] of this.#asking) {
      if (nowMs >= sentAtMs && nowMs < sentAtMs + ASKED_MS) break;
      this.#asking.delete(question);
    }
    return this.#asking.size < this.room;
  }

  /** Let those go on that there is room for, or are paid for by so many tokens. */
  letGo(nowMs: number, tokens: number): void {
    let free = this.hasRoom(nowMs) ? this.room - this.#asking.size : 0;
    free += tokens;
    for (const go of this.waiting) {
      if ((free -= 1) < 0) return;
      this.waiting.delete(go);
      go();
    }
  }

  /** Keep what the gate said of a bucket that has nothing left, in answer to what was sent at this time. */
  keepRefusal(sentAtMs: number, bucket: string, state: QuotaState): void {
    this.#refused.set(bucket, { sentAtMs, state });
  }

  /**
   * The refusal that the gate would repeat for a quota, because the time that it named is not over; null when it has to be asked.
   * It refused after it was asked and never gives a debt away, so it would refuse until then. Not after a clock was set back.
   */
  refusalOf(nowMs: number, quota: KeyQuota): QuotaState | null {
    const refused = limitsOf(quota).map(({ bucket }) => this.#refusalOf(nowMs, bucket));
    return refused.find((state) => state !== null) ?? null;
  }

  #refusalOf(nowMs: number, bucket: string): QuotaState | null {
    const refused = this.#refused.get(bucket);
    if (refused === undefined) return null;
    const { sentAtMs, state } = refused;
    const leftMs = state.retryAfterMs - (nowMs - sentAtMs);
    if (nowMs >= sentAtMs && leftMs > 0)
      return { ...state, retryAfterMs: leftMs, resetMs: state.resetMs - (nowMs - sentAtMs) };
    this.#refused.delete(bucket);
    return null;
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

/** An answer that did not come by then never will: nothing relies on hearing of it. */
const ASKED_MS = 2 * LIMITS.admissionTimeoutMs;

/** How long a request waits for another's answer. That one may have been cut off, and then its answer never comes. */
const COMING_MS = 250;

const LATE = "Cannot reach the gate: it does not answer in time, and another request asks already";

const ASK_NOTHING: AdmissionRequest = { quota: null, draws: [], jobs: [], allOrNothing: false };

/**
 * Create the `admit` of a gate whose quota is partly at hand: a request that needs nothing but quota, all of which is
 * covered by leases, is admitted here and now; any other is one round trip, which also carries the wishes for leases.
 * Leases are refilled ahead of need, behind the answer. While an answer is under way that will cover a request too, the
 * request waits for that instead of asking by itself, once.
 *
 * A refusal of the gate is repeated here until the time that it named: a caller that goes on sending beyond the limit costs it
 * one question in that time, instead of one for each request.
 *
 * A gate that did not answer in time is asked by one request at a time, and by one more for each that it answers; the others
 * wait for a place, and those that find none end as if they had asked in vain. Else a gate that once has more in line than it
 * can answer in time never gets out of it: every lease that it grants comes too late, so every request goes on asking.
 */
export function createLeasedAdmission(
  options: LeasedAdmissionOptions,
): (request: AdmissionRequest) => Promise<AdmissionAnswer> {
  const { held, clock, defer } = options;
  const admit = (
    request: AdmissionRequest,
    limits: readonly RateLimit[],
    again: boolean,
  ): Promise<AdmissionAnswer> => {
    const now = clock.now();
    const { kind, wishes } = held.leases.draw(now, limits, again);
    if (kind === "short" && wishes.length === 0) {
      const refusal = request.quota && held.refusalOf(now, request.quota);
      if (refusal !== null) return Promise.resolve({ ...NOTHING_ADMITTED, quota: refusal });
      if (!held.hasRoom(now))
        return again
          ? Promise.reject(new Error(LATE))
          : roomWithin(COMING_MS, held, clock).then(() => admit(request, limits, true));
    }
    if (kind === "short" || wishes.length > 0) {
      const refill = { ...ASK_NOTHING, usedBy: request.quota?.bucket };
      const asking = ask(kind === "short" ? request : refill, wishes, options);
      if (wishes.length > 0) held.coming = asking;
      if (kind === "short") return asking;
      defer(attempt(() => asking));
    }
    if (kind === "covered") return Promise.resolve(admitHere(request, options));
    return settledWithin(COMING_MS, held.coming, clock).then(() => admit(request, limits, true));
  };
  return (request) => {
    const { quota, draws, jobs, idempotency, toolsVersion } = request;
    // A plan under a lease was made with the tools that were known since it was granted.
    if (toolsVersion !== undefined && toolsVersion !== held.toolsVersion) return Promise.resolve(STALE);
    // Only the gate itself can record a job, and knows the keys; and a lease holds too little for one that draws many.
    const drawsMany = quota?.count !== undefined;
    if (jobs.length > 0 || idempotency !== undefined || drawsMany) return ask(request, [], options);
    const limits = draws.map(({ limit }) => limit);
    if (quota !== null) limits.unshift(...limitsOf(quota));
    return admit(request, limits, false);
  };
}

function admitHere({ quota }: AdmissionRequest, { held, clock }: LeasedAdmissionOptions): AdmissionAnswer {
  if (quota === null) return NOTHING_ADMITTED;
  held.countAlone(clock.now(), quota);
  const [own, ...above] = limitsOf(quota).map(({ bucket }) => held.leases.stateOf(bucket));
  return { ...NOTHING_ADMITTED, quota: above.length === 0 ? own! : joinStates([own!, ...above]) };
}

/** Make the round trip, and take what it brings. An answer that never comes, or too late, granted nothing. */
async function ask(
  request: AdmissionRequest,
  wishes: readonly LeaseWish[],
  { held, send, clock, defer }: LeasedAdmissionOptions,
): Promise<AdmissionAnswer> {
  const sentAtMs = clock.now();
  const ends = wishes.map(({ limit }) => startEnd(limit, sentAtMs, { leases: held.leases, clock }));
  const endAsking = held.beginAsking(sentAtMs);
  const asked = await attempt(() => send(request, wishes));
  endAsking();
  held.room = asked.ok ? held.room + 1 : 1;
  if (asked.ok) held.hearTools(sentAtMs, asked.value.toolsVersion);
  const said = asked.ok ? asked.value.quota : null;
  const isOver = said?.allowed === false;
  // A request that drew many was refused for them, and a smaller one may fit.
  if (isOver && request.quota!.count === undefined)
    held.keepRefusal(sentAtMs, said.usedUp ?? request.quota!.bucket, said);
  else if (isOver) held.leases.note(request.quota!.bucket, said);
  else if (said !== null && request.quota !== null) {
    held.countAlone(clock.now(), request.quota);
    held.leases.note(request.quota.bucket, said);
  }
  const granted: readonly LeaseGrant[] = asked.ok ? (asked.value.leases ?? []) : [];
  const isAlive = (bucket: string): boolean => ends.some((end) => end.bucket === bucket && !end.isOver());
  const grants = granted.filter(({ bucket }) => isAlive(bucket));
  if (wishes.length > 0) held.leases.accept(clock.now(), sentAtMs, { wishes, grants });
  held.letGo(
    clock.now(),
    grants.reduce((sum, { tokens }) => sum + tokens, 0),
  );
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

/** Wait until a question has ended that leaves room for another, but only so long. */
async function roomWithin(ms: number, { waiting }: IsolateQuota, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.add(resolve);
  await settledWithin(ms, promise, clock);
  waiting.delete(resolve);
}

interface LeaseEnd {
  readonly bucket: string;
  readonly happened: Promise<void>;
  isOver(): boolean;
  cancel(): void;
}

/**
 * Start the timer that ends the grant of one wish, when it is sent. The clock alone cannot: set back between two looks, it shows
 * less time than has passed, and a lease would live on.
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
