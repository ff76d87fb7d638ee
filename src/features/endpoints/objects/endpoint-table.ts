import { query } from "../../../feature/object.ts";
import { HEALTHY, type KeptEndpoint } from "../endpoint.ts";
import type { EndpointPut } from "../endpoint-shard-methods.ts";

type Row = { no: number; json: string; deleted_at: number | null };

/** An endpoint as its deliveries name it; one that was deleted leaves nothing else. */
export interface NamedEndpoint extends Pick<KeptEndpoint, "no" | "id" | "customer" | "ownFrom"> {
  readonly deletedAt?: number;
}

/** The endpoints of one object, all of them in memory. The id of one that was deleted stays as long as its deliveries can be looked at. */
export class EndpointTable {
  readonly #sql: SqlStorage;
  readonly #byNo = new Map<number, KeptEndpoint>();
  readonly #byId = new Map<string, KeptEndpoint>();
  readonly #buried = new Map<number, NamedEndpoint & { readonly deletedAt: number }>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    query(this.#sql)`
      CREATE TABLE IF NOT EXISTS endpoints (no INTEGER PRIMARY KEY, json TEXT NOT NULL, deleted_at INTEGER) STRICT`;
    // The version before kept more of those that were deleted than their ids.
    this.#sql.exec(
      `UPDATE endpoints SET json = json_object('id', json ->> '$.id') WHERE deleted_at IS NOT NULL AND json ->> '$.url' IS NOT NULL`,
    );
    for (const { no, json, deleted_at: deletedAt } of this.#sql.exec<Row>(
      "SELECT * FROM endpoints ORDER BY no",
    )) {
      if (deletedAt === null) this.#remember(JSON.parse(json) as KeptEndpoint);
      else this.#buried.set(no, { no, id: (JSON.parse(json) as Pick<KeptEndpoint, "id">).id, deletedAt });
    }
  }

  /** Whether there are deleted ones whose deliveries can still be looked at. */
  get hasDeleted(): boolean {
    return this.#buried.size > 0;
  }

  find(id: string): KeptEndpoint | null {
    return this.#byId.get(id) ?? null;
  }

  byNo(no: number): KeptEndpoint | undefined {
    return this.#byNo.get(no);
  }

  /** Those that there are. */
  values(): Iterable<KeptEndpoint> {
    return this.#byNo.values();
  }

  /** Those that there are or were, by number. */
  name(no: number): NamedEndpoint | undefined {
    return this.#byNo.get(no) ?? this.#buried.get(no);
  }

  /** All that there are or were. */
  *named(): Iterable<NamedEndpoint> {
    for (const kept of [this.#byNo, this.#buried]) yield* kept.values();
  }

  write(endpoint: KeptEndpoint): void {
    query(this.#sql)`
      INSERT OR REPLACE INTO endpoints (no, json) VALUES (${endpoint.no}, ${JSON.stringify(endpoint)})`;
    this.#remember(endpoint);
  }

  /** Forget an endpoint but for its id, which its deliveries are found by. */
  bury({ no, id }: NamedEndpoint, deletedAt: number): void {
    query(this.#sql)`
      UPDATE endpoints SET json = ${JSON.stringify({ id })}, deleted_at = ${deletedAt}
      WHERE no = ${no}`;
    this.#byNo.delete(no);
    this.#byId.delete(id);
    this.#buried.set(no, { no, id, deletedAt });
  }

  delete({ no, id }: NamedEndpoint): void {
    query(this.#sql)`DELETE FROM endpoints WHERE no = ${no}`;
    this.#byNo.delete(no);
    this.#byId.delete(id);
  }

  /** Forget those that were deleted before a time. */
  prune(before: number): void {
    for (const { no, deletedAt } of this.#buried.values()) {
      if (deletedAt >= before) continue;
      query(this.#sql)`DELETE FROM endpoints WHERE no = ${no}`;
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

/** Make the endpoint that a caller asks for, on what is kept of it: its number, its secrets, and its health unless it is enabled again. */
export function changeEndpoint(
  known: KeptEndpoint | null,
  { id, no, settings, secret, enables, keepsVia, ownSecret }: EndpointPut,
  nowMs: number,
  nextSeq = 0,
): KeptEndpoint {
  const health = known === null || (enables && known.disabled !== null) ? HEALTHY : known;
  const { failingSince, failedLast, disabled } = health;
  const kept = known?.secrets ?? [{ secret, endsAt: null }];
  const via = keepsVia === true ? known?.via : settings.via;
  return {
    ...settings,
    ...(via !== undefined && { via }),
    id,
    no: known?.no ?? no,
    failingSince,
    failedLast,
    disabled,
    // Two changes of one moment are two: the later one is seen by its time.
    updatedAt: Math.max(nowMs, (known?.updatedAt ?? 0) + 1),
    secrets: ownSecret === undefined ? kept : [{ secret: ownSecret, endsAt: null }],
    createdAt: known?.createdAt ?? nowMs,
    ownFrom: known === null || known.customer === settings.customer ? known?.ownFrom : nextSeq,
  };
}
