import type { Clock } from "../../core/kit/clock.ts";
import { attempt } from "../../core/kit/result.ts";

/** Claimed work, and when its claim stops protecting it. */
export interface DueWork {
  readonly leaseEndsAt: number;
  /** Do it and write down how it ended. May reject, and may never settle. */
  readonly run: () => Promise<void>;
}

export interface DrainPorts {
  readonly clock: Clock;
  /** Claim what has been due for longest, or null when nothing is due. */
  claim(nowMs: number): DueWork | null;
  /** When the next work is due; what runs counts with the end of its lease. */
  nextDue(nowMs: number): number | null;
}

export interface DrainOptions {
  /** How much of it at once. */
  readonly concurrency: number;
  /** After so long nothing more is claimed: the platform ends an alarm after 15 minutes. */
  readonly claimForMs: number;
  /** After so many neither: it ends one after so much CPU, which cannot be measured. */
  readonly claims: number;
  /** Leave to the next drain what runs when nothing more may be claimed: else one that hangs keeps what is due from its place. */
  readonly leaves?: boolean;
}

/**
 * Run due work, attempts of jobs and deliveries of events, until nothing is due and nothing runs.
 *
 * The first of these wakes it: work that ends, the next due time, or `poke`. Work that outlives its lease is no longer
 * waited for and gives its place up (what it reports will be refused), so one that hangs costs the others a lease at
 * most.
 */
export class JobDrain {
  readonly #ports: DrainPorts;
  readonly #options: DrainOptions;
  readonly #running = new Set<DueWork>();
  #active: Promise<void> | null = null;
  /** How much may still be claimed. */
  #left = 0;
  #wake: () => void = () => {};
  /** When the one timer fires. It is armed anew for an earlier time only, so that work that ends costs no timer. */
  #timerAt = Number.POSITIVE_INFINITY;
  #cancelTimer: () => void = () => {};

  constructor(ports: DrainPorts, options: DrainOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  get active(): boolean {
    return this.#active !== null;
  }

  /** Whether a drain has left work that is under way. */
  get isLeft(): boolean {
    return this.#running.size > 0;
  }

  /** Drain; a second call while one is under way joins it. */
  run(): Promise<void> {
    this.#active ??= this.#drain().finally(() => {
      this.#active = null;
      this.#cancelTimer();
      this.#timerAt = Number.POSITIVE_INFINITY;
    });
    return this.#active;
  }

  /** Look again: a job may have become due earlier than expected. */
  poke(): void {
    this.#wake();
  }

  async #drain(): Promise<void> {
    const { clock } = this.#ports;
    const claimUntil = clock.now() + this.#options.claimForMs;
    this.#left = this.#options.claims;
    for (;;) {
      const now = clock.now();
      for (const work of this.#running) if (work.leaseEndsAt <= now) this.#running.delete(work);
      if (now < claimUntil) this.#start(now);
      const claiming = now < claimUntil && this.#left > 0;
      if (this.#running.size === 0 || (!claiming && this.#options.leaves === true)) return;
      const free = claiming && this.#running.size < this.#options.concurrency;
      const nextDue = free ? this.#ports.nextDue(now) : null;
      await this.#pause(Math.min(nextDue ?? Number.POSITIVE_INFINITY, this.#firstLeaseEnd()));
    }
  }

  #start(now: number): void {
    while (this.#running.size < this.#options.concurrency && this.#left > 0) {
      const due = this.#ports.claim(now);
      if (due === null) return;
      this.#left -= 1;
      this.#running.add(due);
      void this.#work(due);
    }
  }

  /** Never rejects: an end that cannot be written is found again when the lease runs out. */
  async #work(due: DueWork): Promise<void> {
    await attempt(() => due.run());
    this.#running.delete(due);
    this.#wake();
  }

  #firstLeaseEnd(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { leaseEndsAt } of this.#running) first = Math.min(first, leaseEndsAt);
    return first;
  }

  /** Wait until something wakes it: at the latest then, and perhaps sooner, when it looks again in vain. */
  async #pause(until: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (until < this.#timerAt) this.#arm(until);
    });
    this.#wake = () => {};
  }

  #arm(until: number): void {
    const { clock } = this.#ports;
    this.#cancelTimer();
    this.#timerAt = until;
    this.#cancelTimer = clock.after(Math.max(1, until - clock.now()), () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.#wake();
    });
  }
}
