import * as LIMITS from "../../../core/contract/limits.ts";
import type { EventType } from "../directory-methods.ts";

/** The types of events that a tenant describes. */
export class EventTypes {
  readonly #sql: SqlStorage;
  readonly #types = new Map<string, EventType>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS event_types (type TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID, STRICT",
    );
    for (const { json } of this.#sql.exec<{ json: string }>("SELECT json FROM event_types ORDER BY type")) {
      const type = JSON.parse(json) as EventType;
      this.#types.set(type.type, type);
    }
  }

  find(type: string): EventType | null {
    return this.#types.get(type) ?? null;
  }

  all(): EventType[] {
    return [...this.#types.values()].sort((a, b) => (a.type < b.type ? -1 : 1));
  }

  put(type: EventType): "created" | "replaced" | "too-many" {
    const known = this.#types.has(type.type);
    if (!known && this.#types.size >= LIMITS.eventTypes) return "too-many";
    this.#sql.exec(
      "INSERT OR REPLACE INTO event_types (type, json) VALUES (?, ?)",
      type.type,
      JSON.stringify(type),
    );
    this.#types.set(type.type, type);
    return known ? "replaced" : "created";
  }

  delete(type: string): boolean {
    this.#sql.exec("DELETE FROM event_types WHERE type = ?", type);
    return this.#types.delete(type);
  }

  erase(): void {
    this.#sql.exec("DELETE FROM event_types");
    this.#types.clear();
  }
}
