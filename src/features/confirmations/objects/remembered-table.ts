import { query } from "../../../feature/object.ts";
import type { JobCursor } from "../../../core/contract/gate/job.ts";
import { type TakenRows, takeRows } from "../../../feature/kit.ts";
import type { RecallQuery, Remembered, RememberedQuery } from "../confirmation.ts";
import * as LIMITS from "../limits.ts";

export const REMEMBERED = `
  CREATE TABLE remembered (
    id TEXT PRIMARY KEY, asker TEXT NOT NULL, subject TEXT NOT NULL, tool TEXT NOT NULL, digest TEXT NOT NULL,
    until INTEGER NOT NULL, created_at INTEGER NOT NULL, json TEXT NOT NULL
  ) WITHOUT ROWID, STRICT;`;

/** The approvals of a tenant that are remembered. One whose time is over is not read. */
export class RememberedTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether so many more may be kept. */
  hasRoom(nowMs: number, more: number): boolean {
    const count = "SELECT COUNT(*) AS count FROM remembered WHERE until > ?";
    return this.#sql.exec<{ count: number }>(count, nowMs).one().count + more <= LIMITS.remembered;
  }

  /** Keep some; one about the same calls takes the place of the earlier. Throws when storage refuses. */
  add(nowMs: number, rows: readonly Remembered[]): void {
    query(this.#sql)`DELETE FROM remembered WHERE until <= ${nowMs}`;
    for (const row of rows) {
      const { id, key, subject = "", tool, digest: known, until, createdAt } = row;
      const digest = known ?? "";
      query(this.#sql)`
        DELETE FROM remembered
        WHERE asker = ${key} AND subject = ${subject} AND tool = ${tool} AND digest = ${digest}`;
      query(this.#sql)`
        INSERT INTO remembered (asker, subject, tool, digest, id, until, created_at, json)
        VALUES (${key}, ${subject}, ${tool}, ${digest}, ${id}, ${until}, ${createdAt}, ${JSON.stringify(row)})`;
    }
  }

  /** Find those that a caller's calls of some tools may go by. */
  recall(nowMs: number, { key, subject = "", tools }: RecallQuery): readonly Remembered[] {
    const found = "SELECT json FROM remembered WHERE asker = ? AND subject = ? AND until > ?";
    const rows = Array.from(this.#sql.exec<{ json: string }>(found, key, subject, nowMs), toRemembered);
    return rows.filter(({ tool }) => tools.includes(tool));
  }

  find(nowMs: number, id: string): Remembered | null {
    const [row] = query<{ json: string }>(this.#sql)`
      SELECT json FROM remembered WHERE id = ${id} AND until > ${nowMs}`.toArray();
    return row === undefined ? null : toRemembered(row);
  }

  /** List them, the newest first. */
  list(nowMs: number, { limit, after, tools, subject }: RememberedQuery): TakenRows<Remembered> {
    const place: JobCursor = after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: "" };
    const found = query<{ json: string }>(this.#sql)`
      SELECT json FROM remembered WHERE until > ${nowMs}
      AND (created_at < ${place.createdAt} OR (created_at = ${place.createdAt} AND id > ${place.id}))
      ORDER BY created_at DESC, id`;
    const rows = Array.from(found, toRemembered).filter(
      (row) =>
        (tools === undefined || tools.includes(row.tool)) &&
        (subject === undefined || subject === row.subject),
    );
    return takeRows(rows, { limit, characters: LIMITS.pageBytes });
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) query(this.#sql)`DELETE FROM remembered WHERE id = ${id}`;
  }
}

function toRemembered({ json }: { readonly json: string }): Remembered {
  return JSON.parse(json) as Remembered;
}
