import { query } from "../../../feature/object.ts";
import type { Publishing } from "../publishing.ts";
import * as LIMITS from "../limits.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { parseExact } from "../../../feature/schema.ts";
import { type TakenRows, takeRows } from "../../../feature/kit.ts";
import type {
  EventBatch,
  EventPage,
  EventQuery,
  FollowAnswer,
  FollowQuery,
  KeptEvent,
} from "../directory-methods.ts";
import { fitsPattern } from "../match-event.ts";
import type { PublishedEvent } from "../delivery.ts";
import type { Pruned } from "../endpoint-shard-methods.ts";

type Row = KeptEvent & { about: string | null; only: string | null; sent_as: string | null };

/** The finding about an event that is to be published. */
export type Recorded =
  | { readonly kind: "new" | "again"; readonly event: PublishedEvent }
  | { readonly kind: "conflict" };

/**
 * A tenant's events in the order of publishing, one row each. Ids and keys that a caller gave are in an index; ids that are made here
 * name their row themselves, and cost none.
 */
export class EventLog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    query(this.#sql)`
      CREATE TABLE IF NOT EXISTS events (
         seq INTEGER PRIMARY KEY, id TEXT NOT NULL, type TEXT NOT NULL, customer TEXT, at INTEGER NOT NULL, data TEXT NOT NULL,
         about TEXT, only TEXT, run TEXT, sent_as TEXT
       ) STRICT;
       CREATE INDEX IF NOT EXISTS sent ON events (sent_as) WHERE sent_as IS NOT NULL;
       CREATE INDEX IF NOT EXISTS of_run ON events (run) WHERE run IS NOT NULL;
       CREATE TABLE IF NOT EXISTS event_batches (key TEXT PRIMARY KEY, content TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID, STRICT`;
  }

  /** Record an event, unless the same was recorded within a day. @param newId a fresh text for an id */
  record(asked: Publishing, nowMs: number, newId: string): Recorded {
    const sentAs =
      asked.id !== undefined ? `id ${asked.id}` : asked.key !== undefined ? `key ${asked.key}` : null;
    const known = sentAs === null ? null : this.#sent(sentAs, nowMs - LIMITS.eventRepeatMs);
    if (known !== null)
      return isSame(known, asked) ? { kind: "again", event: toPublished(known) } : { kind: "conflict" };
    const { type, customer, data, about = null, only = null, run = null } = asked;
    const rows = query<Row>(this.#sql)`
      INSERT INTO events (id, type, customer, at, data, about, only, run, sent_as)
      VALUES (${asked.id ?? newId}, ${type}, ${customer}, ${nowMs}, ${data}, ${about}, ${only},
      ${run}, ${sentAs}) RETURNING *`;
    return { kind: "new", event: toPublished(rows.one()) };
  }

  /** Keep the key of several events for a day; false where it came before with other content. */
  keepBatch({ key, content }: EventBatch, nowMs: number): boolean {
    this.#forgetBatches(nowMs);
    query(this.#sql)`
      INSERT OR IGNORE INTO event_batches (key, content, at) VALUES (${key}, ${content}, ${nowMs})`;
    const kept = query<{ content: string }>(this.#sql)`
      SELECT content FROM event_batches WHERE key = ${key}`.one();
    return kept.content === content;
  }

  find(id: string): KeptEvent | null {
    const made = /^evt_[^_]+_([0-9a-z]{1,9})$/.exec(id)?.[1];
    const row = made === undefined ? null : this.#at(Number.parseInt(made, 36));
    const found = row !== null && idOf(row) === id ? row : this.#sent(`id ${id}`, 0);
    return found === null ? null : toKept(found);
  }

  /** The events at some places, those that are still kept. */
  at(seqs: readonly number[]): PublishedEvent[] {
    return seqs.flatMap((seq) => {
      const row = this.#at(seq);
      return row === null ? [] : [toPublished(row)];
    });
  }

  /** The places of the events that a run has published before one place, the latest first. */
  ofRun(run: string, before: number, limit: number): number[] {
    const rows = query<{ seq: number }>(this.#sql)`
      SELECT seq FROM events WHERE run = ${run} AND seq < ${before} ORDER BY seq DESC LIMIT ${limit}+0`;
    return Array.from(rows, ({ seq }) => seq);
  }

  /** The places of events published in a time, the oldest first. */
  between(
    since: number,
    until: number,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): PublishedEvent[] {
    const rows = query<Row>(this.#sql)`
      SELECT * FROM events WHERE seq > ${after} AND at >= ${since} AND at <= ${until} ORDER BY seq
      LIMIT ${limit}+0`;
    return Array.from(rows, toPublished);
  }

  list({ type, customer, since = 0, until = Number.MAX_SAFE_INTEGER, before, limit }: EventQuery): EventPage {
    const found = query<Row>(this.#sql)`
      SELECT * FROM events WHERE seq < ${before ?? Number.MAX_SAFE_INTEGER} AND at >= ${since}
      AND at <= ${until} AND (${type ?? null} IS NULL OR type = ${type ?? null})
      AND (${customer ?? null} IS NULL OR customer = ${customer ?? null}) ORDER BY seq DESC`;
    const { rows, hasMore } = takeEvents(found, limit);
    return { events: rows.map(toKept), next: hasMore ? rows.at(-1)!.seq : null };
  }

  /** The events behind a place that a stream asks for, the oldest first; tests of an endpoint are for no stream. */
  follow({ after, type, customer }: FollowQuery): FollowAnswer {
    const latest =
      this.#sql.exec<{ seq: number | null }>("SELECT MAX(seq) AS seq FROM events").one().seq ?? 0;
    if (after === null || after >= latest) return { events: [], next: latest, hasMore: false };
    const found = query<Row>(this.#sql)`SELECT * FROM events WHERE seq > ${after} ORDER BY seq`;
    const { rows } = takeEvents(found, LIMITS.eventsFollowed);
    const next = rows.at(-1)?.seq ?? latest;
    const wanted = rows.filter(
      (row) =>
        row.only === null && fitsPattern(type, row.type) && (customer === null || row.customer === customer),
    );
    return { events: wanted.map(toKept), next, hasMore: next < latest };
  }

  /** A page of the events after a place, the oldest first. */
  read(after: number): EventPage {
    const found = query<Row>(this.#sql)`SELECT * FROM events WHERE seq > ${after} ORDER BY seq`;
    const { rows, hasMore } = takeEvents(found, Infinity);
    return { events: rows.map(toKept), next: hasMore ? rows.at(-1)!.seq : null };
  }

  /** Forget the oldest events, a bounded number of them. The newest stays: the next one's place is counted from it. */
  prune(nowMs: number): Pruned {
    this.#forgetBatches(nowMs);
    const gone = query(this.#sql)`
      DELETE FROM events WHERE seq IN (SELECT seq FROM events
      WHERE at < ${nowMs - LIMITS.eventRetentionMs} AND seq < (SELECT MAX(seq) FROM events)
      ORDER BY seq LIMIT ${LIMITS.eventsPruned}+0) RETURNING seq`.toArray();
    if (gone.length === LIMITS.eventsPruned) return "more";
    const left = this.#sql.exec(
      `SELECT 1 FROM (SELECT 1 FROM events LIMIT 1 OFFSET 1)
       UNION ALL SELECT 1 FROM (SELECT 1 FROM event_batches LIMIT 1)`,
    );
    return left.toArray().length > 0 ? "later" : "nothing";
  }

  erase(): void {
    this.#sql.exec("DELETE FROM events");
    this.#sql.exec("DELETE FROM event_batches");
  }

  #forgetBatches(nowMs: number): void {
    query(this.#sql)`DELETE FROM event_batches WHERE at <= ${nowMs - LIMITS.eventRepeatMs}`;
  }

  #at(seq: number): Row | null {
    return query<Row>(this.#sql)`SELECT * FROM events WHERE seq = ${seq}`.toArray()[0] ?? null;
  }

  #sent(sentAs: string, since: number): Row | null {
    const rows = query<Row>(this.#sql)`
      SELECT * FROM events WHERE sent_as = ${sentAs} AND at > ${since} ORDER BY seq DESC LIMIT 1`;
    return rows.toArray()[0] ?? null;
  }
}

/** Take as many as one call has room for. */
function takeEvents(rows: Iterable<Row>, limit: number): TakenRows<Row> {
  return takeRows(rows, { limit, characters: LIMITS.pageBytes, sizeOf: ({ data }) => data.length });
}

/** An id that was made here is kept without its place, which is only known once it is kept. */
function idOf({ id, seq, sent_as: sentAs }: Row): string {
  return sentAs?.startsWith("id ") === true ? id : `evt_${id}_${seq.toString(36)}`;
}

function isSame(row: Row, { type, customer, data }: Publishing): boolean {
  return (
    row.type === type &&
    row.customer === customer &&
    canonicalJson(parseExact(row.data)) === canonicalJson(parseExact(data))
  );
}

function toKept(row: Row): KeptEvent {
  const { seq, type, customer, at, data, run } = row;
  return { seq, id: idOf(row), type, customer, at, data, run };
}

function toPublished(row: Row): PublishedEvent {
  const { about, only, run } = row;
  return { ...toKept(row), about: about ?? undefined, only: only ?? undefined, run: run ?? undefined };
}

/** The streams that follow a tenant's events, and when each looked last: in memory, because a stream looks again within a second. */
export class EventStreams {
  readonly #seenAt = new Map<string, number>();

  /** Hear of a stream that looks; false where it is new and there are as many as there may be. */
  hear(stream: string, nowMs: number): boolean {
    for (const [other, seenAt] of this.#seenAt)
      if (seenAt + LIMITS.eventStreamGoneMs <= nowMs) this.leave(other);
    if (!this.#seenAt.has(stream) && this.#seenAt.size >= LIMITS.eventStreams) return false;
    this.#seenAt.set(stream, nowMs);
    return true;
  }

  leave(stream: string): void {
    this.#seenAt.delete(stream);
  }
}
