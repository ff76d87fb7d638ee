import { query } from "../../../feature/object.ts";
import { countEnd, type Day, type Ended, sumDay } from "../count-day.ts";
import type { Attempt } from "../delivery.ts";
import type { DayCounts } from "../endpoint-shard-methods.ts";

/** After so many ends a count is written down: one row in a hundred, and so many deliveries are read again after a crash. */
const UNSAVED = 100;

type Row = { no: number; saved_at: number; json: string };
type EndRow = { state: number | null; attempts: string };

interface Kept {
  readonly day: Day;
  unsaved: number;
}

/**
 * How the last day of each endpoint went, counted as deliveries end. A count is in memory, and written down now and then; what came after
 * the last time is counted again from the latest deliveries when the object opens, a hundred at most.
 */
export class DayTable {
  readonly #sql: SqlStorage;
  readonly #days = new Map<number, Kept>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    query(this.#sql)`
      CREATE TABLE IF NOT EXISTS days (no INTEGER PRIMARY KEY, saved_at INTEGER NOT NULL, json TEXT NOT NULL) STRICT`;
  }

  /** Count the end of an attempt, before its row is written. */
  count(no: number, nowMs: number, ended: Ended): void {
    const kept = this.#open(no);
    countEnd(kept.day, nowMs, ended);
    kept.unsaved += 1;
    if (kept.unsaved < UNSAVED) return;
    kept.unsaved = 0;
    query(this.#sql)`
      INSERT OR REPLACE INTO days (no, saved_at, json)
      VALUES (${no}, ${nowMs}, ${JSON.stringify(kept.day)})`;
  }

  read(no: number, nowMs: number, pending: number): DayCounts {
    return sumDay(this.#open(no).day, nowMs, pending);
  }

  forget(no: number): void {
    query(this.#sql)`DELETE FROM days WHERE no = ${no}`;
    this.#days.delete(no);
  }

  erase(): void {
    this.#sql.exec("DELETE FROM days");
    this.#days.clear();
  }

  #open(no: number): Kept {
    const known = this.#days.get(no);
    if (known !== undefined) return known;
    const [row] = query<Row>(this.#sql)`SELECT * FROM days WHERE no = ${no}`.toArray();
    const day = row === undefined ? {} : (JSON.parse(row.json) as Day);
    const rows = this.#sql
      .exec<EndRow>(
        `SELECT state, attempts FROM deliveries WHERE no = ? ORDER BY seq DESC LIMIT ${UNSAVED}`,
        no,
      )
      .toArray();
    const ends = rows.flatMap(({ state, attempts }) =>
      (JSON.parse(attempts) as Attempt[]).map(({ at, durationMs, status }, index, all) => ({
        at: at + durationMs,
        tookMs: status === undefined ? undefined : durationMs,
        as: index === all.length - 1 ? END_OF[state ?? DELIVERED] : undefined,
      })),
    );
    for (const { at, ...end } of ends.sort((a, b) => a.at - b.at))
      if (at > (row?.saved_at ?? 0)) countEnd(day, at, end);
    const kept = { day, unsaved: 0 };
    this.#days.set(no, kept);
    return kept;
  }
}

/** The states of rows, as the table of deliveries numbers them, that are ends. */
const DELIVERED = -1;
const END_OF: Readonly<Record<number, Ended["as"]>> = { [DELIVERED]: "delivered", 2: "failed", 3: "failed" };
