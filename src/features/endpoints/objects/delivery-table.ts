import { query } from "../../../feature/object.ts";
import type { Attempt, Delivery, DeliveryStatus } from "../delivery.ts";
import type { DeliveryQuery, RecoverQuery } from "../endpoint-shard-methods.ts";
import * as LIMITS from "../limits.ts";

/** The statuses that have a place in the index; most deliveries are delivered, and those cost no row there. */
const INDEXED: readonly DeliveryStatus[] = ["pending", "retrying", "failed", "discarded"];

/** Deliveries that are looked through for one that was answered. */
const LATEST = 100;

type Row = Omit<Delivery, "status" | "attempts" | "run"> & {
  state: number | null;
  attempts: string;
  run: string | null;
};
const COLUMNS =
  "no, seq, event AS eventId, type, state, tries, due_at AS dueAt, created_at AS createdAt, attempts, run";

/** A page of an endpoint's deliveries. */
export interface DeliveryRange extends Pick<DeliveryQuery, "status" | "seqs" | "limit"> {
  /** From this place in the order of publishing, and before that one. */
  readonly from: number;
  readonly before: number;
}

/** The rows of deliveries: one each, written when an attempt is over. */
export class DeliveryTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    query(this.#sql)`
      CREATE TABLE IF NOT EXISTS deliveries (
         no INTEGER NOT NULL, seq INTEGER NOT NULL, event TEXT NOT NULL, type TEXT NOT NULL, state INTEGER, tries INTEGER NOT NULL,
         due_at INTEGER, created_at INTEGER NOT NULL, attempts TEXT NOT NULL, run TEXT, PRIMARY KEY (no, seq)
       ) WITHOUT ROWID, STRICT;
       CREATE INDEX IF NOT EXISTS undelivered ON deliveries (no, state, seq) WHERE state IS NOT NULL`;
  }

  get isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 AS one FROM deliveries LIMIT 1").toArray().length === 0;
  }

  find(no: number, seq: number): Delivery | null {
    const [row] = this.#sql
      .exec<Row>(`SELECT ${COLUMNS} FROM deliveries WHERE no = ? AND seq = ?`, no, seq)
      .toArray();
    if (row === undefined) return null;
    const { state, attempts, run, ...kept } = row;
    const status = state === null ? "delivered" : INDEXED[state]!;
    return { ...kept, status, attempts: JSON.parse(attempts) as Attempt[], run: run ?? undefined };
  }

  /** Whether there is any of an endpoint. */
  knows(no: number): boolean {
    return query(this.#sql)`SELECT 1 AS one FROM deliveries WHERE no = ${no} LIMIT 1`.toArray().length > 0;
  }

  has(no: number, seq: number): boolean {
    return (
      query(this.#sql)`SELECT 1 AS one FROM deliveries WHERE no = ${no} AND seq = ${seq}`.toArray().length > 0
    );
  }

  write({ no, seq, eventId, type, status, tries, dueAt, createdAt, attempts, run }: Delivery): void {
    const state = INDEXED.indexOf(status);
    query(this.#sql)`
      INSERT OR REPLACE INTO deliveries (no, seq, event, type, state, tries, due_at, created_at,
      attempts, run)
      VALUES (${no}, ${seq}, ${eventId}, ${type}, ${state < 0 ? null : state}, ${tries}, ${dueAt},
      ${createdAt}, ${JSON.stringify(attempts)}, ${run ?? null})`;
  }

  /** How long the attempt took that an endpoint answered last, among its latest deliveries; null where none got through. */
  lastTook(no: number): number | null {
    const [row] = this.#sql
      .exec<Pick<Row, "attempts">>(
        `SELECT attempts FROM (SELECT state, attempts FROM deliveries WHERE no = ? ORDER BY seq DESC LIMIT ${LATEST})
         WHERE state IS NULL LIMIT 1`,
        no,
      )
      .toArray();
    return row === undefined ? null : ((JSON.parse(row.attempts) as Attempt[]).at(-1)?.durationMs ?? null);
  }

  /** Everything that is tried again, and when. */
  waiting(): { no: number; seq: number; dueAt: number }[] {
    const rows = this.#sql.exec<{ no: number; seq: number; dueAt: number }>(
      "SELECT no, seq, due_at AS dueAt FROM deliveries WHERE state IS NOT NULL AND due_at IS NOT NULL ORDER BY seq",
    );
    return rows.toArray();
  }

  /** The place of the latest delivery of each endpoint that has any, by one look each. */
  latest(): ReadonlyMap<number, number> {
    const rows = this.#sql.exec<Pick<Row, "no" | "seq">>(
      `WITH RECURSIVE some(no) AS (SELECT MIN(no) FROM deliveries UNION ALL
         SELECT (SELECT MIN(no) FROM deliveries WHERE no > some.no) FROM some WHERE no IS NOT NULL)
       SELECT no, (SELECT MAX(seq) FROM deliveries WHERE no = some.no) AS seq FROM some WHERE no IS NOT NULL`,
    );
    return new Map(Array.from(rows, ({ no, seq }) => [no, seq]));
  }

  /** The places of an endpoint's deliveries, the latest event first. */
  seqs(no: number, { status, from, before, seqs, limit }: DeliveryRange): number[] {
    const state = status === undefined ? -1 : INDEXED.indexOf(status);
    const where = status === undefined ? "" : state < 0 ? "AND state IS NULL" : `AND state = ${state}`;
    const among = seqs === undefined ? "" : "AND seq IN (SELECT value FROM json_each(?5))";
    const rows = this.#sql.exec<Pick<Row, "seq">>(
      `SELECT seq FROM deliveries WHERE no = ?1 AND seq >= ?2 AND seq < ?3 ${where} ${among} ORDER BY seq DESC LIMIT ?4+0`,
      no,
      from,
      before,
      limit,
      ...(seqs === undefined ? [] : [JSON.stringify(seqs)]),
    );
    return Array.from(rows, ({ seq }) => seq);
  }

  /** The places of an endpoint's deliveries that did not get through, of events in a time, the oldest first. */
  missed(no: number, { since, until, all }: RecoverQuery): number[] {
    const rows = query<{ seq: number }>(this.#sql)`
      SELECT seq FROM deliveries WHERE no = ${no} AND state IS NOT NULL AND created_at >= ${since}
      AND created_at <= ${until} AND (${all ? 1 : 0} OR attempts <> '[]') ORDER BY seq
      LIMIT ${LIMITS.eventsRecovered}+0`;
    return Array.from(rows, ({ seq }) => seq);
  }

  /** Forget an endpoint's deliveries of events before a time, so many at most; whether there were that many. */
  prune(no: number, before: number, most: number): boolean {
    const rows = query<{ seq: number; created_at: number }>(this.#sql)`
      SELECT seq, created_at FROM deliveries WHERE no = ${no} ORDER BY seq LIMIT ${most}+0`.toArray();
    const old = rows.filter(({ created_at: at }) => at < before);
    if (old.length > 0)
      query(this.#sql)`DELETE FROM deliveries WHERE no = ${no} AND seq <= ${old.at(-1)!.seq}`;
    return old.length === most;
  }

  erase(): void {
    this.#sql.exec("DELETE FROM deliveries");
  }
}
