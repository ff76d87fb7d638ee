import type { KeptAnswer, KeyEnd, KeyedContent, KeyState } from "../../contract/gate/idempotency.ts";

/** The record of a key. Times are milliseconds since the epoch. */
export interface KeyRecord {
  readonly fingerprint: string;
  /** The seed of the first run; every later one makes the same ids of it. */
  readonly seed: string;
  /** The run that may complete it; null when none may any more. */
  readonly runId: string | null;
  /** Until then no other request may run it; null once it is done. */
  readonly leaseEndsAt: number | null;
  readonly expiresAt: number;
  /** Whether a run that began has not reported, so that what it did is not known. */
  readonly inDoubt: boolean;
  /** When the first run claimed it; absent where a version recorded it that did not say. */
  readonly begunAt?: number;
  /** The places of actions that waited for a person in every run that began; absent for none, and where a version recorded it that did not say. */
  readonly parked?: readonly number[];
  readonly answer: KeptAnswer | null;
}

export interface ClaimCommand {
  readonly content: Omit<KeyedContent, "key">;
  readonly runId: string;
  /** How long the run may stay silent. A live one renews its claim several times in that time. */
  readonly leaseMs: number;
  readonly retentionMs: number;
}

/** The wait while a run gives signs of life: most batches are over by then. */
const RETRY_MS = 1_000;

/**
 * Claim a key for a run, or say what it is instead. The record comes back as it was unless it was claimed.
 *
 * Between two claims by different runs there is always the end of the first one's lease (or of the lease on the request that
 * the key was made for), a `release`, or the end of the retention: so the same key never has two live runs, and never a second run once it is done. The same run may
 * claim again, since an admission may be sent twice; it is told the same as before.
 */
export function claimKey(
  record: KeyRecord | null,
  nowMs: number,
  { content, runId, leaseMs, retentionMs }: ClaimCommand,
): [record: KeyRecord | null, state: KeyState] {
  const { fingerprint, former, seed, parked = [] } = content;
  const { open = false, fresh = false, inherited = false, givesUpSoon = false } = content;
  if (record === null || nowMs >= record.expiresAt || (fresh && record.runId !== runId)) {
    const fresh = { fingerprint, seed, runId, inDoubt: false, begunAt: nowMs, answer: null };
    return [
      { ...fresh, ...parkedOf(parked), ...leaseFrom(nowMs, leaseMs, retentionMs) },
      { kind: "claimed", seed, inDoubt: false },
    ];
  }
  const isSame = record.fingerprint === fingerprint || record.fingerprint === former;
  if (!isSame && !open) return [record, { kind: "conflict" }];
  const undecided = isSame ? {} : { of: record.fingerprint };
  if (record.answer !== null) return [record, { kind: "done", answer: record.answer, ...undecided }];
  if (record.runId === runId) return [record, { ...claimedAs(record), ...undecided }];
  const leftMs = inherited ? 0 : (record.leaseEndsAt ?? nowMs) - nowMs;
  if (leftMs > 0) {
    // A run that was silent for so long is lost, and nothing happens before its lease ends.
    const isLost = leftMs <= leaseMs / 2;
    const retryAfterMs = isLost || givesUpSoon ? leftMs : Math.min(leftMs, RETRY_MS);
    return [record, { kind: "running", retryAfterMs }];
  }
  // A run that was released had done nothing; one that only went silent may have.
  const inDoubt = record.inDoubt || record.runId !== null;
  const { parked: before = [], ...rest } = record;
  const stillParked = inDoubt ? parked.filter((place) => before.includes(place)) : parked;
  const lease = leaseFrom(nowMs, leaseMs, retentionMs);
  const taken = { ...rest, runId, inDoubt, ...parkedOf(stillParked), ...lease };
  return [taken, { ...claimedAs(taken), ...undecided }];
}

function parkedOf(parked: readonly number[]): Pick<KeyRecord, "parked"> {
  return parked.length === 0 ? {} : { parked };
}

function claimedAs(record: KeyRecord): KeyState & { readonly kind: "claimed" } {
  const { seed, inDoubt, begunAt, parked = [] } = record;
  const begun = inDoubt && begunAt !== undefined && { begunAt };
  return { kind: "claimed", seed, inDoubt, ...begun, ...(inDoubt && parkedOf(parked)) };
}

export interface RenewCommand {
  readonly runId: string;
  /** The seed that the run's claim was given: a record with another is of a request that forgot this one. */
  readonly seed: string;
  readonly leaseMs: number;
  readonly retentionMs: number;
}

/**
 * Renew a run's claim; `takenOver` where another run has claimed it since, and its record then stays as it is.
 *
 * A lease that has ended is renewed as long as no other run took over. A key that was forgotten is not taken over: a request
 * that was never sent before repeats nothing of this run.
 */
export function renewKey(
  record: KeyRecord | null,
  nowMs: number,
  { runId, seed, leaseMs, retentionMs }: RenewCommand,
): [record: KeyRecord | null, takenOver: boolean] {
  if (record === null || record.seed !== seed) return [record, false];
  if (record.runId !== runId) return [record, true];
  return [{ ...record, ...leaseFrom(nowMs, leaseMs, retentionMs) }, false];
}

export interface CompleteCommand {
  readonly runId: string;
  readonly end: KeyEnd;
  /** The fingerprint of the key's use, where its claim could not say. */
  readonly fingerprint?: string | undefined;
  readonly retentionMs: number;
}

/**
 * Complete a key; the same record when it is not the run's any more, null when it is to be forgotten.
 *
 * A run that is late is still believed as long as no other took over. A key that is in doubt since an earlier run is never
 * forgotten: that this run did nothing says nothing about that one.
 */
export function completeKey(
  record: KeyRecord | null,
  nowMs: number,
  { runId, end, fingerprint = record?.fingerprint, retentionMs }: CompleteCommand,
): KeyRecord | null {
  if (record === null || fingerprint === undefined || record.runId !== runId) return record;
  switch (end.kind) {
    case "done":
      return {
        ...release({ ...record, fingerprint }, nowMs, retentionMs),
        leaseEndsAt: null,
        answer: end.answer,
      };
    case "free":
      return record.inDoubt ? release(record, nowMs, retentionMs) : null;
    case "release":
      return release({ ...record, fingerprint }, nowMs, retentionMs);
  }
}

/** Let the next run begin at once. The doubt of an earlier run stays. */
function release(record: KeyRecord, nowMs: number, retentionMs: number): KeyRecord {
  return { ...record, runId: null, leaseEndsAt: nowMs, expiresAt: nowMs + retentionMs };
}

function leaseFrom(
  nowMs: number,
  leaseMs: number,
  retentionMs: number,
): Pick<KeyRecord, "leaseEndsAt" | "expiresAt"> {
  const leaseEndsAt = nowMs + leaseMs;
  // Counted from the end of the lease, so that a run that went silent is remembered as long as one that answered.
  return { leaseEndsAt, expiresAt: leaseEndsAt + retentionMs };
}
