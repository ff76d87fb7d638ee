import { query } from "../../../feature/object.ts";
import type { PublishedEvent } from "../delivery.ts";

/** Rows of events that are over, which stay for the next ones. */
const SPARE = 16;

type Row = { slot: number; seq: number; event: string; nos: string };

/** An event as one object has it: who of its endpoints gets it. */
export interface EventBatch {
  readonly slot: number;
  readonly event: Omit<PublishedEvent, "data">;
  /** The numbers of the endpoints that get it. */
  readonly nos: Set<number>;
  /** Those whose delivery is not over. */
  readonly open: Set<number>;
  /** Those whose delivery certainly has no row of its own. */
  readonly fresh: Set<number>;
}

/**
 * The events that an object delivers: one row each, for all of its endpoints that get it. The row of an event that is over is taken
 * for the next one, so no row is written to forget it: it is over when each of its deliveries has a row of its own that says so.
 */
export class BatchTable {
  readonly #sql: SqlStorage;
  readonly #batches = new Map<number, EventBatch>();
  readonly #free: number[] = [];
  #slots = 0;
  /** The event that was taken or read last: its deliveries come one after another. */
  #last: PublishedEvent | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    query(this.#sql)`
      CREATE TABLE IF NOT EXISTS batches (
         slot INTEGER PRIMARY KEY, seq INTEGER NOT NULL, event TEXT NOT NULL, nos TEXT NOT NULL
       ) STRICT`;
  }

  /** Read what is kept. @param isOpen whether a delivery is not over */
  load(isOpen: (no: number, seq: number) => boolean): void {
    for (const { slot, seq, event, nos } of this.#sql
      .exec<Row>("SELECT * FROM batches ORDER BY seq")
      .toArray()) {
      this.#slots = Math.max(this.#slots, slot);
      const all = JSON.parse(nos) as number[];
      const open = all.filter((no) => isOpen(no, seq));
      if (open.length === 0) this.#free.push(slot);
      else {
        const { data: _, ...head } = JSON.parse(event) as PublishedEvent;
        this.#batches.set(seq, {
          slot,
          event: head,
          nos: new Set(all),
          open: new Set(open),
          fresh: new Set(),
        });
      }
    }
  }

  get(seq: number): EventBatch | undefined {
    return this.#batches.get(seq);
  }

  /** Every event that is not over. */
  values(): Iterable<EventBatch> {
    return this.#batches.values();
  }

  /** Have more of the endpoints get an event. @param options.fresh whether none of them had it before */
  add(
    event: PublishedEvent,
    nos: readonly number[],
    { fresh }: { readonly fresh: boolean } = { fresh: false },
  ): EventBatch {
    const known = this.#batches.get(event.seq);
    if (known !== undefined) {
      for (const no of nos) {
        known.nos.add(no);
        known.open.add(no);
      }
      query(this.#sql)`
        UPDATE batches SET nos = ${JSON.stringify([...known.nos])} WHERE slot = ${known.slot}`;
      return known;
    }
    const { data: _, ...head } = event;
    const slot = this.#free.pop() ?? (this.#slots += 1);
    const batch = {
      slot,
      event: head,
      nos: new Set(nos),
      open: new Set(nos),
      fresh: new Set(fresh ? nos : []),
    };
    this.#batches.set(event.seq, batch);
    this.#last = event;
    query(this.#sql)`
      INSERT OR REPLACE INTO batches (slot, seq, event, nos)
      VALUES (${slot}, ${event.seq}, ${JSON.stringify(event)}, ${JSON.stringify(nos)})`;
    return batch;
  }

  read(seq: number): PublishedEvent | null {
    const batch = this.#batches.get(seq);
    if (batch === undefined) return null;
    if (this.#last?.seq === seq) return this.#last;
    const row = query<Pick<Row, "event">>(this.#sql)`
      SELECT event FROM batches WHERE slot = ${batch.slot}`.one();
    this.#last = JSON.parse(row.event) as PublishedEvent;
    return this.#last;
  }

  /** A delivery is over, and has a row that says so. */
  close(seq: number, no: number): void {
    const batch = this.#batches.get(seq);
    if (batch === undefined) return;
    batch.open.delete(no);
    batch.fresh.delete(no);
    if (batch.open.size > 0) return;
    this.#batches.delete(seq);
    this.#free.push(batch.slot);
  }

  /** Delete rows that no event needs, so many at most, but for a few that the next ones take: a burst's data does not stay. */
  prune(most: number): void {
    for (const slot of this.#free.splice(0, Math.max(0, Math.min(most, this.#free.length - SPARE))))
      query(this.#sql)`DELETE FROM batches WHERE slot = ${slot}`;
  }

  erase(): void {
    this.#sql.exec("DELETE FROM batches");
    this.#batches.clear();
    this.#free.length = 0;
    this.#slots = 0;
    this.#last = null;
  }
}
