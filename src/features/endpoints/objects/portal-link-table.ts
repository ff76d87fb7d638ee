import { query } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import type { PortalLink } from "../directory-methods.ts";

type Row = { hash: string; customer: string; expires_at: number; read_only: number };

/** The portal links of a tenant that are good, by the digests of their tokens. */
export class PortalLinks {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    query(this.#sql)`
      CREATE TABLE IF NOT EXISTS portal_links (
         hash TEXT PRIMARY KEY, customer TEXT NOT NULL, expires_at INTEGER NOT NULL, read_only INTEGER NOT NULL
       ) WITHOUT ROWID, STRICT`;
  }

  put({ hash, customer, expiresAt, readOnly }: PortalLink, nowMs: number): boolean {
    if (this.prune(nowMs) >= LIMITS.portalLinks) return false;
    query(this.#sql)`
      INSERT OR REPLACE INTO portal_links (hash, customer, expires_at, read_only)
      VALUES (${hash}, ${customer}, ${expiresAt}, ${readOnly ? 1 : 0})`;
    return true;
  }

  find(hash: string, nowMs: number): PortalLink | null {
    const rows = query<Row>(this.#sql)`
      SELECT * FROM portal_links WHERE hash = ${hash} AND expires_at > ${nowMs}`;
    const [row] = rows.toArray();
    if (row === undefined) return null;
    return { hash, customer: row.customer, expiresAt: row.expires_at, readOnly: row.read_only === 1 };
  }

  /** Forget those that have ended; how many are left. */
  prune(nowMs: number): number {
    query(this.#sql)`DELETE FROM portal_links WHERE expires_at <= ${nowMs}`;
    return this.#sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM portal_links").one().count;
  }

  deleteOf(customer: string): number {
    return query(this.#sql)`DELETE FROM portal_links WHERE customer = ${customer} RETURNING hash`.toArray()
      .length;
  }

  erase(): void {
    this.#sql.exec("DELETE FROM portal_links");
  }
}
