import type { AttemptEnd, JobClaim } from "../../contract/job.ts";
import type { Clock } from "../../kit/clock.ts";

/** A claimed attempt, and when its claim stops protecting it. */
export interface DueAttempt {
  readonly claim: JobClaim;
  readonly leaseEndsAt: number;
}

export interface DrainPorts {
  readonly clock: Clock;
  /** Claim the next due attempt, durably, or null when none is due. */
  claim(nowMs: number): DueAttempt | null;
  /** When the next live job is due; those that run count with the end of their lease. */
  nextDue(): number | null;
  /** Run one attempt. May reject, and may never settle. */
  run(claim: JobClaim): Promise<AttemptEnd>;
  settle(claim: JobClaim, end: AttemptEnd): void;
  /** Turn a rejection of `run` into an end. */
  toEnd(error: unknown): AttemptEnd;
}

export interface DrainOptions {
  /** Attempts at once. */
  readonly concurrency: number;
  /** After so long nothing more is claimed: the platform ends an alarm after 15 minutes. */
  readonly claimForMs: number;
}

/**
 * Run due jobs until nothing is due and nothing runs.
 *
 * Whatever comes first wakes it: an attempt that ends, the next due time, or `poke`. An attempt that outlives its lease
 * is no longer waited for and gives its place up (its answer will be refused by its fence), so one that hangs costs the
 * others a lease at most.
 */
export class JobDrain {
  readonly #ports: DrainPorts;
  readonly #options: DrainOptions;
  readonly #running = new Set<DueAttempt>();
  #active: Promise<void> | null = null;
  #wake: () => void = () => {};

  constructor(ports: DrainPorts, options: DrainOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  get active(): boolean {
    return this.#active !== null;
  }

  /** Drain; a second call while one is under way joins it. */
  run(): Promise<void> {
    this.#active ??= this.#drain().finally(() => {
      this.#active = null;
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
    for (;;) {
      const now = clock.now();
      for (const attempt of this.#running) if (attempt.leaseEndsAt <= now) this.#running.delete(attempt);
      const claiming = now < claimUntil;
      if (claiming) this.#start(now);
      if (this.#running.size === 0) return;
      const free = claiming && this.#running.size < this.#options.concurrency;
      const nextDue = free ? this.#ports.nextDue() : null;
      await this.#pause(Math.min(nextDue ?? Number.POSITIVE_INFINITY, this.#firstLeaseEnd()));
    }
  }

  #start(now: number): void {
    while (this.#running.size < this.#options.concurrency) {
      const due = this.#ports.claim(now);
      if (due === null) return;
      this.#running.add(due);
      void this.#attempt(due);
    }
  }

  /** Never rejects: an end that cannot be written is found again when the lease runs out. */
  async #attempt(due: DueAttempt): Promise<void> {
    try {
      this.#ports.settle(due.claim, await this.#end(due.claim));
    } catch {
      // Nothing to add: the row still says running.
    }
    this.#running.delete(due);
    this.#wake();
  }

  async #end(claim: JobClaim): Promise<AttemptEnd> {
    try {
      return await this.#ports.run(claim);
    } catch (error) {
      return this.#ports.toEnd(error);
    }
  }

  #firstLeaseEnd(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { leaseEndsAt } of this.#running) first = Math.min(first, leaseEndsAt);
    return first;
  }

  async #pause(until: number): Promise<void> {
    const { clock } = this.#ports;
    let cancel = (): void => {};
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      cancel = clock.after(Math.max(1, until - clock.now()), resolve);
    });
    cancel();
    this.#wake = () => {};
  }
}
