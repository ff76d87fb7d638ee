import * as LIMITS from "../../../core/contract/limits.ts";

/** The endpoints that answered 410 Gone, for a while: rows in `gone_endpoints`, written for a 410 only. */
export class GoneEndpoints {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether an endpoint is to be sent nothing now. */
  has(url: string, nowMs: number): boolean {
    const query = "SELECT 1 FROM gone_endpoints WHERE url = ? AND until > ?";
    return this.#sql.exec(query, url, nowMs).toArray().length === 1;
  }

  /** Remember an endpoint, and forget those whose time is over and the oldest that are too many. */
  add(url: string, nowMs: number): void {
    this.#sql.exec(
      "REPLACE INTO gone_endpoints (url, until) VALUES (?, ?)",
      url,
      nowMs + LIMITS.goneEndpointMs,
    );
    this.#sql.exec(
      `DELETE FROM gone_endpoints WHERE until <= ? OR url IN (
         SELECT url FROM gone_endpoints ORDER BY until DESC LIMIT -1 OFFSET ?)`,
      nowMs,
      LIMITS.goneEndpoints,
    );
  }
}
