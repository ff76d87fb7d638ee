import type { JobQuery } from "../../contract/gate/job.ts";
import type { Job } from "../../state/outbox.ts";
import {
  buryJobRow,
  FORMAT,
  type JobRow,
  parseJobRow,
  toCallbackJson,
  toDueAt,
  toJobColumns,
} from "./job-row.ts";

/** Rows removed at once: enough to keep up with any tenant, few enough not to hold up a request. */
const PRUNE_ROWS = 1_000;

const COLUMNS = `(id, due_at, updated_at, format, status, attempts, fence, created_at, tool,
  idempotency_key, max_attempts, backoff_initial_ms, delivery, note, error_json, args_json, data_json, callback_json)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** A row's job is over; its event may still be due. */
const IS_FINAL = "status NOT IN ('running', 'retrying')";

/** The `jobs` table. A row with a due time has something to be done about it: an attempt, or a delivery. */
export class JobTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Insert a job; false, and nothing changed, when its id is already recorded. */
  insert(job: Job): boolean {
    const cursor = this.#sql.exec(
      `INSERT INTO jobs ${COLUMNS} ON CONFLICT (id) DO NOTHING RETURNING id`,
      ...toJobColumns(job),
    );
    return cursor.toArray().length === 1;
  }

  has(id: string): boolean {
    return this.#sql.exec("SELECT 1 FROM jobs WHERE id = ?", id).toArray().length === 1;
  }

  /** Load a job, or null when there is none. One that cannot be read is dead, and its row too if it was live. */
  load(id: string, nowMs: number): Job | null {
    const [row] = this.#sql.exec<JobRow>("SELECT * FROM jobs WHERE id = ?", id).toArray();
    if (row === undefined) return null;
    const job = parseJobRow(row);
    if (job !== null) return job;
    const buried = buryJobRow(row, nowMs);
    if (row.due_at !== null) this.#sql.exec(`REPLACE INTO jobs ${COLUMNS}`, ...toJobColumns(buried));
    return buried;
  }

  /** Save what an attempt may change. No index covers it, so it is one row written. */
  save(job: Job): void {
    this.#sql.exec(
      `UPDATE jobs SET due_at = ?, updated_at = ?, status = ?, attempts = ?, fence = ?, note = ?, error_json = ?,
         data_json = ?, callback_json = ? WHERE id = ?`,
      toDueAt(job),
      job.updatedAt,
      job.status,
      job.attempts,
      job.fence,
      job.note,
      job.errorJson,
      job.dataJson,
      toCallbackJson(job),
      job.spec.id,
    );
  }

  /**
   * List jobs, newest first, without their arguments and data. Looks at the head of every row: few enough are kept.
   *
   * A row that cannot be read is listed as what it is, dead, whatever its status says.
   */
  list({ status, limit, after }: JobQuery, nowMs: number): Job[] {
    const { createdAt, id } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: "" };
    const rows = this.#sql.exec<JobRow>(
      `SELECT id, due_at, updated_at, format, status, attempts, fence, created_at, tool, idempotency_key, max_attempts,
         backoff_initial_ms, delivery, note, error_json, '' AS args_json, NULL AS data_json,
         callback_json
       FROM jobs WHERE id IN (
         SELECT id FROM jobs WHERE (created_at, id) < (?, ?)
           AND (?3 IS NULL OR ?3 = CASE WHEN format = ${FORMAT} THEN status ELSE 'dead' END)
         ORDER BY created_at DESC, id DESC LIMIT ?)
       ORDER BY created_at DESC, id DESC`,
      createdAt,
      id,
      status,
      limit,
    );
    return Array.from(rows, (row) => parseJobRow(row) ?? buryJobRow(row, nowMs));
  }

  /** Walk over what a cold start needs to know of every row. */
  scan(): Iterable<Pick<JobRow, "id" | "due_at" | "updated_at" | "status">> {
    return this.#sql.exec<Pick<JobRow, "id" | "due_at" | "updated_at" | "status">>(
      "SELECT id, due_at, updated_at, status FROM jobs",
    );
  }

  /** Remove the oldest final rows, at most `count` of those last changed before `beforeMs`; how many went. */
  prune(beforeMs: number, count: number): number {
    return this.#sql
      .exec(
        `DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE ${IS_FINAL} AND updated_at < ?
           ORDER BY updated_at LIMIT ?) RETURNING id`,
        beforeMs,
        Math.min(count, PRUNE_ROWS),
      )
      .toArray().length;
  }

  /** When the oldest final row was last changed; Infinity without any. */
  oldestFinal(): number {
    const { oldest } = this.#sql
      .exec<{ oldest: number | null }>(`SELECT MIN(updated_at) AS oldest FROM jobs WHERE ${IS_FINAL}`)
      .one();
    return oldest ?? Number.POSITIVE_INFINITY;
  }
}
