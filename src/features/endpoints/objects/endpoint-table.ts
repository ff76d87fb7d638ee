import type { KeptEndpoint } from "../endpoint.ts";

type Row = { no: number; json: string; deleted_at: number | null };

/** The endpoints of one object, all of them in memory. One that was deleted stays as long as its deliveries can be looked at. */
export class EndpointTable {
  readonly #sql: SqlStorage;
  readonly #byNo = new Map<number, KeptEndpoint>();
  readonly #byId = new Map<string, KeptEndpoint>();
  readonly #buried = new Map<number, KeptEndpoint & { readonly deletedAt: number }>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS endpoints (no INTEGER PRIMARY KEY, json TEXT NOT NULL, deleted_at INTEGER) STRICT",
    );
    for (const { json, deleted_at: deletedAt } of this.#sql.exec<Row>(
      "SELECT * FROM endpoints ORDER BY no",
    )) {
      const endpoint = JSON.parse(json) as KeptEndpoint;
      if (deletedAt === null) this.#remember(endpoint);
      else this.#buried.set(endpoint.no, { ...endpoint, deletedAt });
    }
  }

  /** Whether there are deleted ones whose deliveries can still be looked at. */
  get hasDeleted(): boolean {
    return this.#buried.size > 0;
  }

  find(id: string): KeptEndpoint | null {
    return this.#byId.get(id) ?? null;
  }

  /** All endpoints that have or had an id. */
  findAll(id: string): KeptEndpoint[] {
    return [...this.all()].filter((endpoint) => endpoint.id === id);
  }

  byNo(no: number): KeptEndpoint | undefined {
    return this.#byNo.get(no) ?? this.#buried.get(no);
  }

  /** Those that there are. */
  values(): Iterable<KeptEndpoint> {
    return this.#byNo.values();
  }

  /** Deleted ones as well. */
  *all(): Iterable<KeptEndpoint> {
    yield* this.#byNo.values();
    yield* this.#buried.values();
  }

  write(endpoint: KeptEndpoint): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO endpoints (no, json) VALUES (?, ?)",
      endpoint.no,
      JSON.stringify(endpoint),
    );
    this.#remember(endpoint);
  }

  /** Forget an endpoint but for its name: no secret and no address of it stays. */
  bury(endpoint: KeptEndpoint, deletedAt: number): void {
    const { filter: _, description: __, headers: ___, ...rest } = endpoint;
    const buried = { ...rest, url: "", secrets: [] };
    this.#sql.exec(
      "UPDATE endpoints SET json = ?, deleted_at = ? WHERE no = ?",
      JSON.stringify(buried),
      deletedAt,
      endpoint.no,
    );
    this.#byNo.delete(endpoint.no);
    this.#byId.delete(endpoint.id);
    this.#buried.set(endpoint.no, { ...buried, deletedAt });
  }

  /** Forget those that were deleted before a time. */
  prune(before: number): void {
    for (const { no, deletedAt } of this.#buried.values()) {
      if (deletedAt >= before) continue;
      this.#sql.exec("DELETE FROM endpoints WHERE no = ?", no);
      this.#buried.delete(no);
    }
  }

  erase(): void {
    this.#sql.exec("DELETE FROM endpoints");
    for (const kept of [this.#byNo, this.#byId, this.#buried]) kept.clear();
  }

  #remember(endpoint: KeptEndpoint): void {
    this.#byNo.set(endpoint.no, endpoint);
    this.#byId.set(endpoint.id, endpoint);
  }
}
