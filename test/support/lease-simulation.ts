import type { LeaseGrant, LeaseWish, RateLimit } from "../../src/core/contract/gate/admission.ts";
import { grantLeases, type LeasePolicy } from "../../src/core/gate/state/grant-leases.ts";
import { TenantLeases } from "../../src/core/gate/state/lease.ts";
import { type Bucket, type BucketChange, drawQuota, resumeBucket } from "../../src/core/gate/state/quota.ts";

/** The gate's quota with what a restart keeps of it, and a clock of its own. */
class SimulatedGate {
  readonly floorMs = 0;
  buckets = new Map<string, Bucket>();
  rows = new Map<string, number>();
  rowsWritten = 0;
  offsetMs = 0;

  draw(now: number, quota: RateLimit): boolean {
    const [changes, { quota: state }] = drawQuota(this, now + this.offsetMs, { quota, draws: [] });
    this.#save(changes);
    return state!.allowed;
  }

  lease(now: number, wishes: readonly LeaseWish[], policy?: LeasePolicy): readonly LeaseGrant[] {
    const [changes, grants] = grantLeases(this, wishes, {
      nowMs: now + this.offsetMs,
      ...(policy && { policy }),
    });
    this.#save(changes);
    return grants;
  }

  restart(): void {
    this.buckets = new Map([...this.rows].map(([bucket, mark]) => [bucket, resumeBucket(mark)]));
  }

  #save(changes: readonly BucketChange[]): void {
    for (const { bucket, tatMs, markMs, persist } of changes) {
      this.buckets.set(bucket, { tatMs, markMs });
      if (!persist) continue;
      this.rows.set(bucket, markMs);
      this.rowsWritten += 1;
    }
  }
}

/** One isolate: its leases, and a clock of its own. */
class SimulatedIsolate {
  leases = new TenantLeases();
  /** Requests that wait for an answer under way. */
  waiting: (() => void)[] = [];
  offsetMs = 0;
  /** Answers to the questions of an earlier life are dropped. */
  life = 0;

  evict(): void {
    this.leases = new TenantLeases();
    this.waiting = [];
    this.life += 1;
  }
}

interface Event {
  readonly at: number;
  readonly run: () => void;
}

export interface SimulationOptions {
  readonly limit: RateLimit;
  readonly isolates: number;
  readonly random: () => number;
  /** How freely the gate grants; the product's own policy unless given. */
  readonly policy?: LeasePolicy;
  /** Tokens to wish for with a request that is sent to the gate, whatever the demand; the product's own wish unless given. */
  readonly wish?: () => number;
}

/**
 * Isolates and their gate, on the product's own state machines, in real time that no clock has to show.
 *
 * Messages take their time and can be lost, isolates come and go, clocks are set back, the gate restarts.
 */
export class LeaseSimulation {
  readonly gate = new SimulatedGate();
  readonly isolates: readonly SimulatedIsolate[];
  /** The real time of every admission: of a direct one when the gate counted it, of a leased one when it was used. */
  readonly admitted: number[] = [];
  gateCalls = 0;
  leasedUses = 0;
  denied = 0;
  now = 0;
  readonly #options: SimulationOptions;
  #running = false;
  /** While it runs sorted by time, latest first. */
  readonly #events: Event[] = [];

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.isolates = Array.from({ length: options.isolates }, () => new SimulatedIsolate());
  }

  /** Do something at a real time. */
  at(at: number, run: () => void): void {
    // Before the run they come in any order and are sorted once; during it they are due soon, so near the end.
    let place = this.#events.length;
    if (this.#running) while (place > 0 && this.#events[place - 1]!.at <= at) place -= 1;
    this.#events.splice(place, 0, { at, run });
  }

  run(): void {
    this.#events.sort((a, b) => b.at - a.at);
    this.#running = true;
    for (let event = this.#events.pop(); event !== undefined; event = this.#events.pop()) {
      this.now = event.at;
      event.run();
    }
  }

  /** One request at an isolate; `lost` when the answer to what it sends to the gate never arrives. */
  request(index: number, lost = false, again = false): void {
    const { limit, wish } = this.#options;
    const isolate = this.isolates[index]!;
    const { kind, wishes } = isolate.leases.draw(this.now + isolate.offsetMs, [limit], again);
    const covered = kind === "covered";
    if (kind === "coming") isolate.waiting.push(() => this.request(index, lost, true));
    if (covered) {
      this.admitted.push(this.now);
      this.leasedUses += 1;
    }
    const short = kind === "short";
    const tokens = short ? (wish?.() ?? 0) : 0;
    const wanted = tokens > 0 ? [{ limit, tokens }] : wishes;
    if (short || wanted.length > 0) this.#ask(isolate, { quota: short, wishes: wanted, lost });
  }

  #ask(
    isolate: SimulatedIsolate,
    { quota, wishes, lost }: { quota: boolean; wishes: readonly LeaseWish[]; lost: boolean },
  ): void {
    const { limit, random, policy } = this.#options;
    const { life } = isolate;
    const sentAtMs = this.now + isolate.offsetMs;
    const sentAt = this.now;
    const leaseMs = Math.min(2_000, (limit.windowS * 1_000) / 20);
    this.gateCalls += 1;
    this.at(this.now + Math.floor(random() * 40), () => {
      const allowed = !quota || this.gate.draw(this.now, limit);
      if (quota && allowed) this.admitted.push(this.now);
      if (!allowed) this.denied += 1;
      const granted = allowed && wishes.length > 0 ? this.gate.lease(this.now, wishes, policy) : [];
      if (lost || wishes.length === 0) return;
      this.at(this.now + Math.floor(random() * 40), () => {
        if (isolate.life !== life) return;
        // The timer of `createLeasedAdmission`: it began when the wish was sent, and runs by real time.
        const endsAt = sentAt + leaseMs;
        const grants = this.now < endsAt ? granted : [];
        isolate.leases.accept(this.now + isolate.offsetMs, sentAtMs, { wishes, grants });
        for (const go of isolate.waiting.splice(0)) go();
        if (grants.length === 0) return;
        this.at(endsAt, () => {
          if (isolate.life === life) isolate.leases.end(limit.bucket, sentAtMs + leaseMs);
        });
      });
    });
  }
}

/**
 * How far any window of real time is above what a limit allows: over all pairs of admissions, the largest number of those
 * between them, less limit + (their distance) / T. Not above 0 when the limit held.
 */
export function worstExcess(admitted: readonly number[], { limit, windowS }: RateLimit): number {
  const interval = (windowS * 1_000) / limit;
  const at = admitted.toSorted((a, b) => a - b);
  // For the pair (i, j) it is j - i + 1 - limit - (at[j] - at[i]) / T; what depends on i alone is kept as its best.
  let best = Number.NEGATIVE_INFINITY;
  let worst = Number.NEGATIVE_INFINITY;
  for (const [j, time] of at.entries()) {
    best = Math.max(best, time / interval - j);
    worst = Math.max(worst, best + j + 1 - limit - time / interval);
  }
  return worst;
}
