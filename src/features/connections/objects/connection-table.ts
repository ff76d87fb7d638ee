import { query } from "../../../feature/object.ts";
import type { Connection, ConnectionPlace } from "../connection.ts";
import type { ConnectionQuery, HeldAccount } from "../shard-methods.ts";

/** The connections of some of a tenant's subjects. */
export class ConnectionTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    query(this.#sql)`
      CREATE TABLE IF NOT EXISTS connections (
         id TEXT PRIMARY KEY, subject TEXT NOT NULL, connector TEXT NOT NULL, name TEXT NOT NULL, created_at INTEGER NOT NULL,
         over_at INTEGER, json TEXT NOT NULL
       ) WITHOUT ROWID, STRICT;
       CREATE UNIQUE INDEX IF NOT EXISTS connections_by_place ON connections (subject, connector, name);
       CREATE INDEX IF NOT EXISTS connections_over ON connections (over_at) WHERE over_at IS NOT NULL`;
  }

  find(id: string): Connection | null {
    return this.#first("SELECT json FROM connections WHERE id = ?", id);
  }

  at({ subject, connector, name }: ConnectionPlace): Connection | null {
    return this.#first(
      "SELECT json FROM connections WHERE subject = ? AND connector = ? AND name = ?",
      subject,
      connector,
      name,
    );
  }

  put(connection: Connection): void {
    const { id, subject, connector, name, createdAt, grant, link } = connection;
    query(this.#sql)`
      INSERT OR REPLACE INTO connections (id, subject, connector, name, created_at, over_at, json)
      VALUES (${id}, ${subject}, ${connector}, ${name}, ${createdAt},
      ${grant === null ? (link?.expiresAt ?? 0) : null}, ${JSON.stringify(connection)})`;
  }

  delete(id: string): void {
    query(this.#sql)`DELETE FROM connections WHERE id = ${id}`;
  }

  /** Forget those that never were any, and whose link is over; but not yet an account that was brought. */
  prune(now: number): void {
    query(this.#sql)`
      DELETE FROM connections WHERE over_at <= ${now}
      AND json_extract(json, '$.link.arrival.grant.sealed') IS NULL`;
  }

  /** Whether one that works is of an account: by the provider's id, or by its name where one of them has none. */
  holds({ connector, accountId, account }: HeldAccount): boolean {
    const rows = query(this.#sql)`
      SELECT 1 FROM (SELECT json ->> '$.grant.accountId' AS account_id, json ->> '$.grant.account' AS account FROM connections
        WHERE connector = ${connector} AND json ->> '$.grant.sealed' IS NOT NULL AND json ->> '$.grant.brokenBecause' IS NULL)
      WHERE account_id = ${accountId} OR account = ${account}
        AND (${Number(accountId.startsWith("ac_"))} OR account_id IS NULL OR substr(account_id, 1, 3) = 'ac_') LIMIT 1`;
    return rows.toArray().length > 0;
  }

  count(subject: string | null): number {
    const where = subject === null ? "" : " WHERE subject = ?";
    const values = subject === null ? [] : [subject];
    return this.#sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM connections${where}`, ...values).one().n;
  }

  /** List those that are any at a time. */
  list(now: number, { subject, connector, after, limit }: ConnectionQuery): Connection[] {
    const { createdAt, id } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: "" };
    return this.#read(
      `SELECT json FROM connections WHERE (?1 IS NULL OR subject = ?1) AND (?2 IS NULL OR connector = ?2)
       AND (created_at < ?3 OR created_at = ?3 AND id > ?4) AND (over_at IS NULL OR over_at > ?6) ORDER BY created_at DESC, id LIMIT ?5+0`,
      subject,
      connector,
      createdAt,
      id,
      limit + 1,
      now,
    );
  }

  /** Those for which somebody came back from the provider, and the caller has not said yet who. */
  arrived(): Connection[] {
    return this.#read(
      "SELECT json FROM connections WHERE json_extract(json, '$.link.arrival.code') IS NOT NULL",
    );
  }

  /** A page of all, by id. */
  page(after: string, limit: number): Connection[] {
    return this.#read("SELECT json FROM connections WHERE id > ? ORDER BY id LIMIT ?+0", after, limit);
  }

  erase(): number {
    const count = this.count(null);
    this.#sql.exec("DELETE FROM connections");
    return count;
  }

  #first(query: string, ...values: string[]): Connection | null {
    return this.#read(query, ...values)[0] ?? null;
  }

  #read(query: string, ...values: SqlStorageValue[]): Connection[] {
    const rows = this.#sql.exec<{ json: string }>(query, ...values);
    return Array.from(rows, ({ json }) => JSON.parse(json) as Connection);
  }
}
