import { query } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import { takeRows } from "../../../feature/kit.ts";
import type { EventType, TypePage, TypeQuery } from "../directory-methods.ts";
import { isOwn } from "../match-event.ts";

type Row = { type: string; json: string };

/** The types of events that a tenant describes. Only their names are held in memory: with schemas and examples they are as large as it. */
export class EventTypes {
  readonly #sql: SqlStorage;
  readonly #names: Set<string>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    query(this.#sql)`
      CREATE TABLE IF NOT EXISTS event_types (type TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID, STRICT`;
    const rows = this.#sql.exec<Pick<Row, "type">>("SELECT type FROM event_types");
    this.#names = new Set(Array.from(rows, ({ type }) => type));
  }

  find(type: string): EventType | null {
    if (!this.#names.has(type)) return null;
    return parse(query<Row>(this.#sql)`SELECT * FROM event_types WHERE type = ${type}`.one());
  }

  /** A page of them by name. Those of the tenant itself are offered to no customer. */
  list({ after, limit, isForCustomer = false }: TypeQuery): TypePage {
    const all = query<Row>(this.#sql)`
      SELECT * FROM event_types WHERE type > ${after ?? ""} ORDER BY type`;
    const offered = isForCustomer ? withoutOwn(all) : all;
    const characters = LIMITS.pageBytes;
    const { rows, hasMore } = takeRows(offered, { limit, characters, sizeOf: ({ json }) => json.length });
    return { types: rows.map(parse), next: hasMore ? rows.at(-1)!.type : null };
  }

  put(type: EventType): "created" | "replaced" | "too-many" {
    const known = this.#names.has(type.type);
    if (!known && this.#names.size >= LIMITS.eventTypes) return "too-many";
    query(this.#sql)`
      INSERT OR REPLACE INTO event_types (type, json) VALUES (${type.type}, ${JSON.stringify(type)})`;
    this.#names.add(type.type);
    return known ? "replaced" : "created";
  }

  delete(type: string): boolean {
    query(this.#sql)`DELETE FROM event_types WHERE type = ${type}`;
    return this.#names.delete(type);
  }

  erase(): void {
    this.#sql.exec("DELETE FROM event_types");
    this.#names.clear();
  }
}

function parse({ json }: Row): EventType {
  return JSON.parse(json) as EventType;
}

function* withoutOwn(rows: Iterable<Row>): Iterable<Row> {
  for (const row of rows) if (!isOwn(row.type)) yield row;
}
