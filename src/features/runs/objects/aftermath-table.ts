import { query } from "../../../feature/object.ts";
import type { Aftermath } from "../../../core/contract/gate/part-call.ts";

/** The rows of what became of runs after they were over. They are in memory once a run is looked at. */
export class AftermathTable {
  readonly #sql: SqlStorage;
  #ofRuns: Map<string, Map<string, Aftermath>> | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    query(sql)`
      CREATE TABLE IF NOT EXISTS aftermaths (id TEXT PRIMARY KEY, at INTEGER NOT NULL, json TEXT NOT NULL) WITHOUT ROWID, STRICT`;
  }

  /** Take the last word about each. */
  take(told: readonly Aftermath[]): void {
    for (const aftermath of told) {
      const { id, at } = aftermath;
      const taken = query(this.#sql)`
        INSERT INTO aftermaths (id, at, json) VALUES (${id}, ${at}, ${JSON.stringify(aftermath)})
        ON CONFLICT (id) DO UPDATE SET at = excluded.at, json = excluded.json WHERE excluded.at >= at
        RETURNING id`;
      if (taken.toArray().length > 0 && this.#ofRuns !== null) place(this.#ofRuns, aftermath);
    }
  }

  of(run: string): readonly Aftermath[] {
    this.#ofRuns ??= this.#read();
    return [...(this.#ofRuns.get(run)?.values() ?? [])];
  }

  prune(oldest: number): void {
    const gone = query(this.#sql)`DELETE FROM aftermaths WHERE at < ${oldest} RETURNING id`;
    if (gone.toArray().length > 0) this.#ofRuns = null;
  }

  erase(): void {
    this.#sql.exec("DELETE FROM aftermaths");
    this.#ofRuns = null;
  }

  #read(): Map<string, Map<string, Aftermath>> {
    const ofRuns = new Map<string, Map<string, Aftermath>>();
    for (const { json } of this.#sql.exec<{ json: string }>("SELECT json FROM aftermaths"))
      place(ofRuns, JSON.parse(json) as Aftermath);
    return ofRuns;
  }
}

function place(ofRuns: Map<string, Map<string, Aftermath>>, aftermath: Aftermath): void {
  for (const run of aftermath.runs)
    ofRuns.set(run, (ofRuns.get(run) ?? new Map<string, Aftermath>()).set(aftermath.id, aftermath));
}
