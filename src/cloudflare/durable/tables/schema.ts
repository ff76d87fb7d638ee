import { GoneAddresses } from "./event-table.ts";

/**
 * The tables of core: those that a database begins with, and the steps from there. One of a version before these is refused, and there is
 * no way back: to a version without the last step, jobs are `OUTBOX_UNAVAILABLE` until a later one is deployed again.
 *
 * `WITHOUT ROWID` keeps the primary key in the row itself: a separate index would be a second row written, and billed,
 * for every insert. There is no other index for the same reason; what would need one is kept in memory. Texts come last: a cold start
 * reads the other columns without them. A row without `tool`, or `tools_json`, is for keys that may call every tool.
 */
const TABLES = `
   CREATE TABLE quota (bucket TEXT PRIMARY KEY, mark INTEGER NOT NULL) WITHOUT ROWID, STRICT;
   CREATE TABLE jobs (
     id TEXT PRIMARY KEY, due_at INTEGER, updated_at INTEGER NOT NULL, format INTEGER NOT NULL, status TEXT NOT NULL,
     attempts INTEGER NOT NULL, fence INTEGER NOT NULL, created_at INTEGER NOT NULL, tool TEXT NOT NULL,
     rest_json TEXT NOT NULL, args_json TEXT NOT NULL, data_json TEXT, tool_json TEXT,
     kind TEXT NOT NULL DEFAULT 'job', envelope_json TEXT
   ) WITHOUT ROWID, STRICT;
   ${GoneAddresses.CREATE}
   CREATE TABLE results (
     handle TEXT PRIMARY KEY, kept_at INTEGER NOT NULL, bytes INTEGER NOT NULL, json TEXT NOT NULL, tool TEXT
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE turns (
     handle TEXT PRIMARY KEY, kept_at INTEGER NOT NULL, bytes INTEGER NOT NULL, json TEXT NOT NULL, tool TEXT
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE questions (
     handle TEXT PRIMARY KEY, kept_at INTEGER NOT NULL, bytes INTEGER NOT NULL, json TEXT NOT NULL, tool TEXT
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE idempotency (
     key TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, lease_ends_at INTEGER, bytes INTEGER NOT NULL,
     in_doubt INTEGER NOT NULL, failed INTEGER NOT NULL, fingerprint TEXT NOT NULL, seed TEXT NOT NULL, run_id TEXT,
     answer_json TEXT, tools_json TEXT
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE events (
     id TEXT PRIMARY KEY, due_at INTEGER NOT NULL, attempts INTEGER NOT NULL, json TEXT NOT NULL
   ) WITHOUT ROWID, STRICT;`;

/** The steps that led to these tables in earlier versions; a database counts them. */
const FIRST_STEPS = 13;

/** A step, once released, is never changed. */
const STEPS: readonly string[] = [
  // Actions that waited for a person in every run under the key were certainly not sent.
  `ALTER TABLE idempotency ADD COLUMN parked_json TEXT;`,
  // When the tenant was deleted: work that began before may be under way for long.
  "CREATE TABLE erased (id INTEGER PRIMARY KEY CHECK (id = 0), at INTEGER NOT NULL) STRICT",
  // A run that was killed used the accounts that were connected then.
  "ALTER TABLE idempotency ADD COLUMN begun_at INTEGER",
];

/** The tables of a feature's part. */
export interface PartTables {
  /** The name of its feature. */
  readonly name: string;
  /**
   * The steps that lead to them; a step, once released, is never changed. The first makes only missing tables: the steps
   * of core made those of every feature once.
   */
  readonly steps: readonly string[];
  /** Tables whose rows outlive the deletion of the tenant's data, and the statement that each takes then. */
  readonly keeps?: Readonly<Record<string, string>>;
}

/** Bring the tables of core and of the parts up to date; writes nothing when they are. */
export function migrate(storage: DurableObjectStorage, parts: readonly PartTables[]): void {
  const { sql } = storage;
  const count = (query: string, ...bindings: string[]): number =>
    sql.exec<{ done: number }>(query, ...bindings).one().done;
  storage.transactionSync(() => {
    sql.exec("CREATE TABLE IF NOT EXISTS schema_steps (step INTEGER PRIMARY KEY) STRICT");
    let done = count("SELECT COUNT(*) AS done FROM schema_steps");
    if (done > 0 && done < FIRST_STEPS)
      throw new Error(
        `UNAVAILABLE: the tables are at step ${done}, and this version reads them from step ${FIRST_STEPS} on: see docs/package.md#versions`,
      );
    if (done === 0) sql.exec(TABLES);
    for (; done < FIRST_STEPS + STEPS.length; done += 1) {
      if (done >= FIRST_STEPS) sql.exec(STEPS[done - FIRST_STEPS]!);
      sql.exec("INSERT INTO schema_steps (step) VALUES (?)", done);
    }
    sql.exec(
      "CREATE TABLE IF NOT EXISTS part_steps (part TEXT, step INTEGER, PRIMARY KEY (part, step)) WITHOUT ROWID, STRICT",
    );
    for (const { name, steps } of parts) {
      const taken = count("SELECT COUNT(*) AS done FROM part_steps WHERE part = ?", name);
      for (const [step, text] of steps.entries()) {
        if (step < taken) continue;
        sql.exec(text);
        sql.exec("INSERT INTO part_steps (part, step) VALUES (?, ?)", name, step);
      }
    }
  });
}

/**
 * Delete every row of the object's tables but which steps were taken, how much of a quota is used (a tenant would otherwise have it
 * again), and the tables that the parts keep. When that was stays too.
 */
export function eraseRows(storage: DurableObjectStorage, parts: readonly PartTables[], nowMs: number): void {
  const { sql } = storage;
  const kept = new Map(parts.flatMap(({ keeps = {} }) => Object.entries(keeps)));
  storage.transactionSync(() => {
    const tables = sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray();
    for (const { name } of tables) if (!KEPT.test(name)) sql.exec(kept.get(name) ?? `DELETE FROM ${name}`);
    sql.exec("INSERT INTO erased (id, at) VALUES (0, ?)", nowMs);
  });
}

/** When the tenant was deleted; 0 where it never was. */
export function erasedAt({ sql }: DurableObjectStorage): number {
  return sql.exec<{ at: number | null }>("SELECT MAX(at) AS at FROM erased").one().at ?? 0;
}

/** The platform's own tables have names that begin with a line. */
const KEPT = /^(?:_|sqlite_|schema_steps$|part_steps$|quota$)/;
