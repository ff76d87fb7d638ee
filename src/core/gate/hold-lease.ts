import type { IdempotencyRenewal } from "../contract/gate/idempotency.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import type { Clock } from "../kit/clock.ts";
import { attempt } from "../kit/result.ts";

/** The claims of a run, and how long they last unless they are renewed. */
export interface Lease extends IdempotencyRenewal {
  readonly leaseMs: number;
}

export interface HoldOptions {
  readonly gate: Pick<Gate, "renew">;
  readonly clock: Clock;
  /** When the claims were asked for, in milliseconds since the epoch. */
  readonly askedAtMs: number;
  /** Told once, when another run has taken over, or may have. */
  readonly onLost: () => void;
}

/** A lease is renewed so many times while it lasts: one that fails is no harm. */
const RENEWALS = 3;
/** A renewal that failed is sent again after this part of the lease. */
const AGAIN = 15;

/**
 * Hold a lease while its run is alive: renew it from time to time, and say so when it is lost. A run that ends before the first
 * renewal makes no call.
 *
 * The lease counts from when a claim or a renewal is sent, and the gate counts it from when that arrives. So the run knows of
 * the end of its lease before another run can take over.
 *
 * @returns what lets go of it
 */
export function holdLease(
  { leaseMs, ...renewal }: Lease,
  { gate, clock, askedAtMs, onLost }: HoldOptions,
): () => void {
  let isOver = false;
  let cancelNext = (): void => {};
  let cancelEnd = (): void => {};
  const letGo = (): void => {
    isOver = true;
    cancelNext();
    cancelEnd();
  };
  const lose = (): void => {
    letGo();
    onLost();
  };
  const renewIn = (ms: number): void => {
    cancelNext = clock.after(ms, () => void renew());
  };
  const holdFrom = (sentAtMs: number): void => {
    cancelEnd();
    cancelEnd = clock.after(leaseMs - (clock.now() - sentAtMs), lose);
    renewIn(leaseMs / RENEWALS);
  };
  const renew = async (): Promise<void> => {
    const sentAtMs = clock.now();
    const renewed = await attempt(() => gate.renew(renewal));
    if (isOver) return;
    if (!renewed.ok) renewIn(leaseMs / AGAIN);
    else if (renewed.value) holdFrom(sentAtMs);
    else lose();
  };
  holdFrom(askedAtMs);
  return letGo;
}

/** Run something while its lease is held. It is told by a signal to stop when the lease is lost. */
export function whileHeld<T>(
  lease: Lease,
  options: Omit<HoldOptions, "onLost">,
  run: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const letGo = holdLease(lease, { ...options, onLost: () => lost.abort() });
  return run(lost.signal).finally(letGo);
}
