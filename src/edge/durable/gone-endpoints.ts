/**
 * The endpoints that answered 410 Gone, for a while: rows in `gone_endpoints`, and the same in memory.
 *
 * A row is written for a 410 only, so the usual delivery costs none.
 */
export class GoneEndpoints {
  readonly #sql: SqlStorage;
  readonly #options: { readonly forMs: number; readonly kept: number };
  /** By address, the earliest to be forgotten first. */
  readonly #until = new Map<string, number>();

  constructor(sql: SqlStorage, options: { readonly forMs: number; readonly kept: number }) {
    this.#sql = sql;
    this.#options = options;
    for (const { url, until } of sql.exec<{ url: string; until: number }>(
      "SELECT url, until FROM gone_endpoints ORDER BY until",
    ))
      this.#until.set(url, until);
  }

  /** Whether an endpoint is to be sent nothing now. */
  has(url: string, nowMs: number): boolean {
    const until = this.#until.get(url);
    if (until === undefined) return false;
    if (until > nowMs) return true;
    this.#forget(url);
    return false;
  }

  add(url: string, nowMs: number): void {
    const until = nowMs + this.#options.forMs;
    this.#sql.exec("REPLACE INTO gone_endpoints (url, until) VALUES (?, ?)", url, until);
    this.#until.delete(url);
    this.#until.set(url, until);
    const [oldest] = this.#until.keys();
    if (this.#until.size > this.#options.kept && oldest !== undefined) this.#forget(oldest);
  }

  #forget(url: string): void {
    this.#sql.exec("DELETE FROM gone_endpoints WHERE url = ?", url);
    this.#until.delete(url);
  }
}
