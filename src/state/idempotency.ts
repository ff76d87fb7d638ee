import type { KeptAnswer, KeyEnd, KeyedContent, KeyState } from "../contract/gate/idempotency.ts";
import { LIMITS } from "../contract/limits.ts";

/** What is known of a key. Times are milliseconds since the epoch. */
export interface KeyRecord {
  readonly fingerprint: string;
  /** Of the first run; every later one makes the same ids of it. */
  readonly seed: string;
  /** The run that may complete it; null when none may any more. */
  readonly runId: string | null;
  /** Until then nobody else may run it; null once it is done. */
  readonly leaseEndsAt: number | null;
  readonly expiresAt: number;
  /** Whether a run that began has not reported, so that what it did is not known. */
  readonly inDoubt: boolean;
  readonly answer: KeptAnswer | null;
}

export interface ClaimCommand {
  readonly content: Omit<KeyedContent, "key">;
  readonly runId: string;
  /** How long the run may take. */
  readonly deadlineMs: number;
  /** Added to that, the lease is longer than a live run can take: then nobody takes over from one. */
  readonly marginMs: number;
  readonly retentionMs: number;
}

/** The wait while a run may be live: most batches are over by then. */
const RETRY_MS = 1_000;
/** A live run reports this long after its deadline at the latest: it may be looking at a lost write, and keeps its answer. */
const REPORT_MS = LIMITS.verifyMs + 2_000;

/**
 * Claim a key for a run, or say what it is instead. The record comes back as it was unless it was claimed.
 *
 * Between two claims by different runs there is always the end of the first one's lease, a `release`, or the end of
 * the retention: so the same key never has two live runs, and never a second run once it is done. The same run may
 * claim again, since an admission may be sent twice; it is told the same as before.
 */
export function claimKey(
  record: KeyRecord | null,
  nowMs: number,
  { content, runId, deadlineMs, marginMs, retentionMs }: ClaimCommand,
): [record: KeyRecord | null, state: KeyState] {
  const { fingerprint, seed } = content;
  const leaseMs = deadlineMs + marginMs;
  if (record === null || nowMs >= record.expiresAt) {
    const fresh = { fingerprint, seed, runId, inDoubt: false, answer: null };
    return [
      { ...fresh, ...leaseFrom(nowMs, leaseMs, retentionMs) },
      { kind: "claimed", seed, inDoubt: false },
    ];
  }
  if (record.fingerprint !== fingerprint) return [record, { kind: "conflict" }];
  if (record.answer !== null) return [record, { kind: "done", answer: record.answer }];
  if (record.runId === runId)
    return [record, { kind: "claimed", seed: record.seed, inDoubt: record.inDoubt }];
  const leftMs = (record.leaseEndsAt ?? nowMs) - nowMs;
  if (leftMs > 0) {
    // A run that is this late is lost, and nothing happens before its lease ends.
    const isLost = leftMs <= marginMs - REPORT_MS;
    return [record, { kind: "running", retryAfterMs: isLost ? leftMs : Math.min(leftMs, RETRY_MS) }];
  }
  // A run that was released had done nothing; one that only went silent may have.
  const inDoubt = record.inDoubt || record.runId !== null;
  return [
    { ...record, runId, inDoubt, ...leaseFrom(nowMs, leaseMs, retentionMs) },
    { kind: "claimed", seed: record.seed, inDoubt },
  ];
}

/**
 * Complete a key; the same record when it is not the run's any more, null when it is to be forgotten.
 *
 * A run that is late is still believed as long as nobody took over. A key that is in doubt since an earlier run is
 * never forgotten: that this run did nothing says nothing about that one.
 */
export function completeKey(
  record: KeyRecord | null,
  nowMs: number,
  { runId, end, retentionMs }: { readonly runId: string; readonly end: KeyEnd; readonly retentionMs: number },
): KeyRecord | null {
  if (record === null || record.runId !== runId) return record;
  switch (end.kind) {
    case "done":
      return {
        ...record,
        runId: null,
        leaseEndsAt: null,
        expiresAt: nowMs + retentionMs,
        answer: end.answer,
      };
    case "free":
      return record.inDoubt ? release(record, nowMs, retentionMs) : null;
    case "release":
      return release(record, nowMs, retentionMs);
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
