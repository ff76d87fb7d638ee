import type { Claim, ClaimRefusal, ConfirmationStatus } from "./confirmation.ts";
import * as LIMITS from "./limits.ts";

/** A confirmation without what it is about. Times are milliseconds since the epoch. */
export interface Confirmation {
  readonly id: string;
  /** Never `expired`, and `running` also of one that is lost: these are told by the time. */
  readonly status: Exclude<ConfirmationStatus, "expired">;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When it is lost, unless its run reports its end before; null while none runs. */
  readonly lostAt: number | null;
  /** The key that decided; null before a decision. */
  readonly decidedBy: string | null;
  /** Size of its group's JSON and of the answer that is kept with it, as UTF-8. */
  readonly bytes: number;
  /** The last event about its end; null before the first. */
  readonly told: Told | null;
}

/** The events about the end of a question: it ends soon, it has ended, and its run is lost. */
export type Told = "expiring" | "expired" | "lost";

/** Find the next event of a question, and its time; null for a question that is over, or has had all. */
export function nextTold({ status, createdAt, expiresAt, lostAt, told }: Confirmation): {
  readonly told: Told;
  readonly at: number;
} | null {
  if (status === "running" && lostAt !== null && told !== "lost") return { told: "lost", at: lostAt };
  if (status !== "pending" || told === "expired") return null;
  const soonAt = createdAt + Math.floor((expiresAt - createdAt) * (LIMITS.confirmationExpiringPercent / 100));
  return told === null ? { told: "expiring", at: soonAt } : { told: "expired", at: expiresAt };
}

/** Find the event that is due of a question now. A question that has ended has the second event alone. */
export function dueTold(confirmation: Confirmation, nowMs: number): Told | null {
  const next = nextTold(confirmation);
  if (next === null || nowMs < next.at) return null;
  return next.told === "expiring" && nowMs >= confirmation.expiresAt ? "expired" : next.told;
}

export interface ConfirmationLimits {
  readonly ttlMs: number;
  /** How long it is kept after its end. */
  readonly retentionMs: number;
  /** How many may wait for a person. */
  readonly pending: number;
  /** How many are kept, whatever they are. */
  readonly count: number;
  /** Size of all that are kept. */
  readonly allBytes: number;
}

export const CONFIRMATION_LIMITS: ConfirmationLimits = {
  ttlMs: LIMITS.confirmationTtlMs,
  retentionMs: LIMITS.questionRetentionMs,
  pending: LIMITS.questionsPending,
  count: LIMITS.confirmationsKept,
  allBytes: LIMITS.confirmationsBytes,
};

/** Begin a confirmation: from now on a person may decide, for as long as `ttlMs`. */
export function beginConfirmation(
  { id, bytes }: Pick<Confirmation, "id" | "bytes">,
  nowMs: number,
  { ttlMs }: Pick<ConfirmationLimits, "ttlMs">,
): Confirmation {
  return {
    id,
    bytes,
    status: "pending",
    createdAt: nowMs,
    expiresAt: nowMs + ttlMs,
    lostAt: null,
    decidedBy: null,
    told: null,
  };
}

/** Whether an approved run has not reported its end in the time that it may take: nothing is known of what it did. */
export function isLost({ status, lostAt }: Confirmation, nowMs: number): boolean {
  return status === "running" && lostAt !== null && nowMs >= lostAt;
}

export function statusAt(one: Confirmation, nowMs: number): ConfirmationStatus {
  const { status, expiresAt } = one;
  if (isLost(one, nowMs)) return "done";
  return status === "pending" && nowMs >= expiresAt ? "expired" : status;
}

/**
 * The commands to a confirmation. `release` takes an approval back of which nothing ran, because it was not admitted; `conclude`
 * says that what was approved is over, `expire` that what was asked about is not there any more.
 */
export interface ConfirmationCommand {
  readonly kind: "approve" | "reject" | "release" | "conclude" | "expire";
  readonly claim: Claim;
}

/**
 * Change a confirmation, or say what it is instead of what the command needs.
 *
 * It is decided once: a second decision is refused, whatever the first one said. The same decision sent twice is one, so a lost
 * answer can be asked for again. An approved group never becomes pending again except by its own claim, before any of it ran.
 */
export function changeConfirmation(
  confirmation: Confirmation,
  nowMs: number,
  { kind, claim: { by } }: ConfirmationCommand,
): [confirmation: Confirmation, refused: ClaimRefusal | null] {
  const status = statusAt(confirmation, nowMs);
  const own = confirmation.decidedBy === by;
  switch (kind) {
    case "approve":
    case "reject": {
      const decided = kind === "approve" ? "running" : "rejected";
      if (status === "pending") return [{ ...confirmation, status: decided, decidedBy: by }, null];
      return [confirmation, own && status === decided ? null : status];
    }
    case "expire":
      return status === "pending" ? [{ ...confirmation, expiresAt: nowMs }, null] : [confirmation, status];
    case "release":
    case "conclude": {
      // A run that was taken for lost may report its end all the same, and then that is known.
      if (!own || confirmation.status !== "running")
        return [confirmation, status === "pending" ? "unknown" : status];
      return kind === "release"
        ? [{ ...confirmation, status: "pending", decidedBy: null }, null]
        : [{ ...confirmation, status: "done" }, null];
    }
  }
}

/** Everything one tenant keeps. */
export type ConfirmationBook = ReadonlyMap<string, Confirmation>;

/**
 * Pick which of these confirmations can be added, in order, and which old ones go for them: of those that are over, the
 * ones that expire first. One that waits for a person never goes for another; one that is there already is not added.
 */
export function fitConfirmations(
  book: ConfirmationBook,
  nowMs: number,
  { added, limits }: { readonly added: readonly Confirmation[]; readonly limits: ConfirmationLimits },
): { readonly kept: readonly Confirmation[]; readonly dropped: readonly string[] } {
  const known = [...book.values()];
  const over = known.filter((one) => isOver(one, nowMs)).sort((a, b) => a.expiresAt - b.expiresAt);
  let pending = known.filter((one) => statusAt(one, nowMs) === "pending").length;
  let bytes = sumOf(known);
  let count = known.length;
  const [freeableBytes, freeable] = [sumOf(over), over.length];

  const kept: Confirmation[] = [];
  for (const one of added) {
    if (book.has(one.id)) continue;
    const isFull = pending >= limits.pending || count - freeable >= limits.count;
    if (isFull || bytes - freeableBytes + one.bytes > limits.allBytes) continue;
    kept.push(one);
    pending += 1;
    count += 1;
    bytes += one.bytes;
  }
  const dropped: string[] = [];
  for (const { id, bytes: freed } of over) {
    if (bytes <= limits.allBytes && count <= limits.count) break;
    dropped.push(id);
    bytes -= freed;
    count -= 1;
  }
  return { kept, dropped };
}

/**
 * Pick which old confirmations go so that an answer of `bytes` can be kept with one: of those that are over, the ones that
 * expire first. Null when there is no room even so.
 */
export function makeRoom(
  book: ConfirmationBook,
  nowMs: number,
  { id, bytes, limits }: { readonly id: string; readonly bytes: number; readonly limits: ConfirmationLimits },
): string[] | null {
  let excess = sumOf([...book.values()]) + bytes - limits.allBytes;
  const dropped: string[] = [];
  if (bytes === 0 || excess <= 0) return dropped;
  const others = [...book.values()].filter((one) => one.id !== id && isOver(one, nowMs));
  for (const over of others.sort((a, b) => a.expiresAt - b.expiresAt)) {
    if (excess <= 0) break;
    dropped.push(over.id);
    excess -= over.bytes;
  }
  return excess <= 0 ? dropped : null;
}

function isOver(one: Confirmation, nowMs: number): boolean {
  return !["pending", "running"].includes(statusAt(one, nowMs));
}

function sumOf(confirmations: readonly Confirmation[]): number {
  return confirmations.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The confirmations whose time to be asked about is over. */
export function expireConfirmations(
  book: ConfirmationBook,
  nowMs: number,
  { retentionMs }: Pick<ConfirmationLimits, "retentionMs">,
): string[] {
  return [...book.values()].flatMap(({ id, expiresAt }) => (nowMs >= expiresAt + retentionMs ? [id] : []));
}
