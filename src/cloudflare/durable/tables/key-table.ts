import type {
  IdempotencyClosing,
  IdempotencyRenewal,
  IdempotencyRequest,
  KeptAnswer,
  KeyedContent,
  KeyState,
} from "../../../core/contract/gate/idempotency.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { attemptNow } from "../../../core/kit/result.ts";
import { claimKey, completeKey, type KeyRecord, renewKey } from "../../../core/gate/state/idempotency.ts";

export interface KeyTableOptions {
  /** How long a run that holds keys may stay silent. */
  readonly leaseMs: number;
  readonly retentionMs: number;
  readonly count: number;
  readonly bytes: number;
}

export const KEY_LIMITS: KeyTableOptions = {
  leaseMs: LIMITS.idempotencyLeaseMs,
  retentionMs: LIMITS.idempotencyRetentionMs,
  count: LIMITS.idempotencyKept,
  bytes: LIMITS.idempotencyBytes,
};

/** A key's record as it is, and as it would be saved; the same when nothing changes. */
interface Change {
  readonly key: string;
  readonly before: KeyRecord | null;
  readonly after: KeyRecord | null;
}

/** A key looked at for a run. Nothing is written until it is saved. */
export interface Claim extends Change {
  readonly state: KeyState;
  /** The run claimed it before: its admission was sent twice. */
  readonly isHeld: boolean;
}

interface Row extends Record<string, SqlStorageValue> {
  fingerprint: string;
  seed: string;
  run_id: string | null;
  lease_ends_at: number | null;
  expires_at: number;
  in_doubt: number;
  failed: number;
  answer_json: string | null;
  tools_json: string | null;
  parked_json: string | null;
  begun_at: number | null;
}

/** Rows removed at once: enough to keep up with any tenant, few enough not to hold up a request. */
const PRUNE_ROWS = 1_000;

/**
 * The tenant's idempotency keys, in the `idempotency` table.
 *
 * A key is read when it is asked for. In memory is only how many there are, how large, and when the first of them
 * expires, so a batch without a key costs no SQL.
 */
export class KeyTable {
  readonly #storage: DurableObjectStorage;
  readonly #options: KeyTableOptions;
  #count = 0;
  #bytes = 0;
  #firstExpiry = Number.POSITIVE_INFINITY;
  #prunedAt = 0;

  constructor(storage: DurableObjectStorage, options: KeyTableOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#measure();
  }

  /** Look at a key for a run. */
  claim(nowMs: number, content: KeyedContent, { runId }: Pick<IdempotencyRequest, "runId">): Claim {
    const { key } = content;
    const { leaseMs } = this.#options;
    const retentionMs = this.#retentionOf(content);
    const before = this.#load(key);
    const command = { content, runId, leaseMs, retentionMs };
    const [after, state] = claimKey(before, nowMs, command);
    return { key, state, before, after, isHeld: state.kind === "claimed" && before === after };
  }

  /** Save what runs have claimed, all of it or none; throws when storage refuses: what is not recorded must not run. */
  save(claims: readonly Claim[]): void {
    this.#write(claims);
  }

  get leaseMs(): number {
    return this.#options.leaseMs;
  }

  /** Give what a run has claimed a fresh lease; false where another run has taken something of it over. */
  renew(nowMs: number, { runId, keys }: IdempotencyRenewal): boolean {
    const { leaseMs } = this.#options;
    const renewed = keys.map(({ key, seed, ...kept }) => {
      const before = this.#load(key);
      const command = { runId, seed, leaseMs, retentionMs: this.#retentionOf(kept) };
      const [after, takenOver] = renewKey(before, nowMs, command);
      return { key, before, after, takenOver };
    });
    this.#write(renewed);
    return !renewed.some(({ takenOver }) => takenOver);
  }

  /** Take a run's last word on its keys; what is not its any more stays as it is. */
  complete(nowMs: number, { runId, ends }: IdempotencyClosing): void {
    this.#write(
      ends.map(({ key, end, fingerprint, ...kept }) => {
        const before = this.#load(key);
        const retentionMs = this.#retentionOf(kept);
        return { key, before, after: completeKey(before, nowMs, { runId, end, fingerprint, retentionMs }) };
      }),
    );
  }

  /** Forget what has expired, and the oldest answers where there are too many. Costs no SQL when nothing has to go. */
  prune(nowMs: number): void {
    const { count, bytes } = this.#options;
    const isOver = this.#count > count || this.#bytes > bytes;
    const hasExpired = nowMs >= this.#firstExpiry && nowMs >= this.#prunedAt + LIMITS.pruneEveryMs;
    if (!isOver && !hasExpired) return;
    this.#prunedAt = nowMs;
    // Where it fails the rows stay, and a later entry tries again: that is no reason to fail the request it happens in.
    attemptNow(() => {
      this.#storage.transactionSync(() => {
        if (hasExpired) this.#deleteExpired(nowMs);
        if (isOver) this.#deleteOldest();
      });
      this.#measure();
    });
  }

  #retentionOf({ retentionMs = Infinity }: { readonly retentionMs?: number | undefined }): number {
    return Math.min(retentionMs, this.#options.retentionMs);
  }

  #load(key: string): KeyRecord | null {
    const [row] = this.#storage.sql.exec<Row>("SELECT * FROM idempotency WHERE key = ?", key).toArray();
    return row === undefined ? null : toRecord(row);
  }

  #write(changes: readonly Change[]): void {
    const real = changes.filter(({ before, after }) => before !== after);
    if (real.length === 0) return;
    this.#storage.transactionSync(() => {
      for (const { key, after } of real) {
        if (after === null) this.#storage.sql.exec("DELETE FROM idempotency WHERE key = ?", key);
        else this.#storage.sql.exec(REPLACE, ...toColumns(key, after));
      }
    });
    for (const { before, after } of real) {
      this.#count += Number(after !== null) - Number(before !== null);
      this.#bytes += bytesOf(after) - bytesOf(before);
      this.#firstExpiry = Math.min(this.#firstExpiry, after?.expiresAt ?? this.#firstExpiry);
    }
  }

  #deleteExpired(nowMs: number): void {
    this.#storage.sql.exec(
      "DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency WHERE expires_at <= ? LIMIT ?+0)",
      nowMs,
      PRUNE_ROWS,
    );
  }

  /** A good part at once, so that the next key does not scan again. A row of a running batch is never forgotten. */
  #deleteOldest(): void {
    const { sql } = this.#storage;
    let count = this.#count - 0.9 * this.#options.count;
    let bytes = this.#bytes - 0.9 * this.#options.bytes;
    const oldest = sql
      .exec<{ key: string; bytes: number }>(
        "SELECT key, bytes FROM idempotency WHERE lease_ends_at IS NULL ORDER BY expires_at LIMIT ?+0",
        PRUNE_ROWS,
      )
      .toArray();
    for (const row of oldest) {
      if (count <= 0 && bytes <= 0) break;
      sql.exec("DELETE FROM idempotency WHERE key = ?", row.key);
      count -= 1;
      bytes -= row.bytes;
    }
  }

  #measure(): void {
    const { count, bytes, first } = this.#storage.sql
      .exec<{ count: number; bytes: number | null; first: number | null }>(
        "SELECT COUNT(*) AS count, SUM(bytes) AS bytes, MIN(expires_at) AS first FROM idempotency",
      )
      .one();
    this.#count = count;
    this.#bytes = bytes ?? 0;
    this.#firstExpiry = first ?? Number.POSITIVE_INFINITY;
  }
}

const REPLACE = `REPLACE INTO idempotency
  (key, expires_at, lease_ends_at, bytes, in_doubt, failed, fingerprint, seed, run_id, answer_json, tools_json, parked_json, begun_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

function toColumns(key: string, record: KeyRecord): SqlStorageValue[] {
  const { expiresAt, leaseEndsAt, inDoubt, answer, fingerprint, seed, runId, parked, begunAt } = record;
  return [
    key,
    expiresAt,
    leaseEndsAt,
    bytesOf(record),
    Number(inDoubt),
    Number(answer?.failed ?? false),
    fingerprint,
    seed,
    runId,
    answer?.json ?? null,
    answer?.tools === undefined ? null : JSON.stringify(answer.tools),
    parked === undefined ? null : JSON.stringify(parked),
    begunAt ?? null,
  ];
}

function toRecord(row: Row): KeyRecord {
  return {
    fingerprint: row.fingerprint,
    seed: row.seed,
    runId: row.run_id,
    leaseEndsAt: row.lease_ends_at,
    expiresAt: row.expires_at,
    inDoubt: row.in_doubt === 1,
    ...(row.begun_at !== null && { begunAt: row.begun_at }),
    ...(row.parked_json !== null && { parked: JSON.parse(row.parked_json) as readonly number[] }),
    answer: toAnswer(row),
  };
}

function toAnswer({ answer_json: json, failed, tools_json: tools }: Row): KeptAnswer | null {
  if (json === null) return null;
  const told = tools === null ? {} : { tools: JSON.parse(tools) as readonly string[] };
  return { json, failed: failed === 1, ...told };
}

/** About what a row takes: an answer is mostly ASCII, and this only bounds storage. */
function bytesOf(record: KeyRecord | null): number {
  return record === null ? 0 : 400 + (record.answer?.json.length ?? 0);
}
