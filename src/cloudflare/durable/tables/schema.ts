/**
 * The tables of core, and of features until these had steps of their own, as the steps that lead to them; a step, once released, is
 * never changed. There is no way back: to a
 * version without the last step, jobs are `OUTBOX_UNAVAILABLE` until a later one is deployed again.
 *
 * `WITHOUT ROWID` keeps the primary key in the row itself: a separate index would be a second row written, and billed,
 * for every insert. There is no other index for the same reason; what would need one is kept in memory.
 */
const STEPS: readonly string[] = [
  `CREATE TABLE quota (bucket TEXT PRIMARY KEY, mark INTEGER NOT NULL) WITHOUT ROWID, STRICT;
   CREATE TABLE jobs (
     id TEXT PRIMARY KEY, due_at INTEGER, updated_at INTEGER NOT NULL, format INTEGER NOT NULL, status TEXT NOT NULL,
     attempts INTEGER NOT NULL, fence INTEGER NOT NULL, created_at INTEGER NOT NULL, tool TEXT NOT NULL,
     idempotency_key TEXT NOT NULL, max_attempts INTEGER NOT NULL, backoff_initial_ms REAL NOT NULL,
     delivery TEXT NOT NULL, note TEXT, error_json TEXT, args_json TEXT NOT NULL, data_json TEXT
   ) WITHOUT ROWID, STRICT;`,
  // The text comes last: a cold start reads the other columns without it.
  `CREATE TABLE results (
     handle TEXT PRIMARY KEY, kept_at INTEGER NOT NULL, bytes INTEGER NOT NULL, json TEXT NOT NULL
   ) WITHOUT ROWID, STRICT;`,
  `ALTER TABLE jobs ADD COLUMN callback_json TEXT;
   CREATE TABLE gone_endpoints (url TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID, STRICT;`,
  // The text comes last, for the same reason.
  `CREATE TABLE confirmations (
     id TEXT PRIMARY KEY, status TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
     decided_by TEXT, bytes INTEGER NOT NULL, island_json TEXT NOT NULL
   ) WITHOUT ROWID, STRICT;`,
  // Here too: what counts and prunes the keys does not read their answers.
  `CREATE TABLE idempotency (
     key TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, lease_ends_at INTEGER, bytes INTEGER NOT NULL,
     in_doubt INTEGER NOT NULL, failed INTEGER NOT NULL, fingerprint TEXT NOT NULL, seed TEXT NOT NULL, run_id TEXT,
     answer_json TEXT
   ) WITHOUT ROWID, STRICT;`,
  // Fields that are read only together with the whole job go into one column, in format 2. A row of any other format stays one.
  `ALTER TABLE jobs RENAME TO wide_jobs;
   CREATE TABLE jobs (
     id TEXT PRIMARY KEY, due_at INTEGER, updated_at INTEGER NOT NULL, format INTEGER NOT NULL, status TEXT NOT NULL,
     attempts INTEGER NOT NULL, fence INTEGER NOT NULL, created_at INTEGER NOT NULL, tool TEXT NOT NULL,
     rest_json TEXT NOT NULL, args_json TEXT NOT NULL, data_json TEXT
   ) WITHOUT ROWID, STRICT;
   INSERT INTO jobs SELECT
     id, due_at, updated_at, iif(format = 1, 2, 0), status, attempts, fence, created_at, tool,
     json_object('idempotencyKey', idempotency_key, 'maxAttempts', max_attempts, 'backoffInitialMs', backoff_initial_ms,
       'delivery', delivery, 'note', note, 'errorJson', error_json,
       'callback', iif(json_valid(callback_json), json(callback_json), NULL)),
     args_json, data_json FROM wide_jobs;
   DROP TABLE wide_jobs;`,
  `ALTER TABLE confirmations ADD COLUMN decision_key TEXT;
   ALTER TABLE confirmations ADD COLUMN answer_json TEXT;`,
  // The texts come last: which tools there are is read without them. A job keeps what its tool was declared as.
  `CREATE TABLE tools (
     name TEXT PRIMARY KEY, version INTEGER NOT NULL, fingerprint TEXT NOT NULL, prefix TEXT, bytes INTEGER NOT NULL,
     needs_json TEXT NOT NULL, head_json TEXT NOT NULL, json TEXT NOT NULL
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE tools_version (id INTEGER PRIMARY KEY CHECK (id = 0), version INTEGER NOT NULL) STRICT;
   ALTER TABLE jobs ADD COLUMN tool_json TEXT;`,
  `CREATE TABLE turns (
     handle TEXT PRIMARY KEY, kept_at INTEGER NOT NULL, bytes INTEGER NOT NULL, json TEXT NOT NULL
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE questions (
     handle TEXT PRIMARY KEY, kept_at INTEGER NOT NULL, bytes INTEGER NOT NULL, json TEXT NOT NULL
   ) WITHOUT ROWID, STRICT;`,
  // Which backlog a job counts in is known to a cold start, which reads no text.
  `ALTER TABLE jobs ADD COLUMN kind TEXT NOT NULL DEFAULT 'job';
   ALTER TABLE jobs ADD COLUMN envelope_json TEXT;
   CREATE TABLE run_causes (
     flow TEXT NOT NULL, cause TEXT NOT NULL, job_id TEXT NOT NULL, expires_at INTEGER NOT NULL,
     PRIMARY KEY (flow, cause)
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE run_steps (
     job_id TEXT NOT NULL, step_id TEXT NOT NULL, outcome_json TEXT, PRIMARY KEY (job_id, step_id)
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE clocks (
     flow TEXT PRIMARY KEY, cron TEXT NOT NULL, timezone TEXT NOT NULL, next_at INTEGER
   ) WITHOUT ROWID, STRICT;`,
  // Fields of a question that a list shows stand before its texts, which a list does not read. Events are told to the operator.
  `ALTER TABLE confirmations RENAME TO wide_confirmations;
   CREATE TABLE confirmations (
     id TEXT PRIMARY KEY, status TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
     decided_by TEXT, bytes INTEGER NOT NULL, head_json TEXT, island_json TEXT NOT NULL, decision_key TEXT,
     answer_json TEXT
   ) WITHOUT ROWID, STRICT;
   INSERT INTO confirmations SELECT
     id, status, created_at, expires_at, decided_by, bytes,
     iif(json_valid(island_json), iif(json_extract(island_json, '$.format') = 1, json_object(
       'requestedBy', json_extract(island_json, '$.requestedBy'),
       'actions', (SELECT json_group_array(json_object('id', json_extract(value, '$.id'),
         'tool', json_extract(value, '$.tool'), 'gated', json(iif(json_extract(value, '$.gated'), 'true', 'false'))))
         FROM json_each(island_json, '$.actions'))), NULL), NULL),
     island_json, decision_key, answer_json FROM wide_confirmations;
   DROP TABLE wide_confirmations;
   CREATE TABLE events (
     id TEXT PRIMARY KEY, due_at INTEGER NOT NULL, attempts INTEGER NOT NULL, json TEXT NOT NULL
   ) WITHOUT ROWID, STRICT;`,
  // Whose result it is. A row of an older version names no tool, and is for keys that may call every tool.
  `ALTER TABLE results ADD COLUMN tool TEXT;
   ALTER TABLE turns ADD COLUMN tool TEXT;
   ALTER TABLE questions ADD COLUMN tool TEXT;`,
  // The tools that an answer tells of: it is for keys that may call all of them.
  `ALTER TABLE idempotency ADD COLUMN tools_json TEXT;`,
  // Actions that waited for a person in every run under the key were certainly not sent.
  `ALTER TABLE idempotency ADD COLUMN parked_json TEXT;`,
  // When the tenant was deleted: work that began before may be under way for long.
  "CREATE TABLE erased (id INTEGER PRIMARY KEY CHECK (id = 0), at INTEGER NOT NULL) STRICT",
];

/** The tables of core as the first steps leave them, in the same order of columns: a new database begins with these. */
const BASE = {
  steps: 13,
  tables: `
   CREATE TABLE quota (bucket TEXT PRIMARY KEY, mark INTEGER NOT NULL) WITHOUT ROWID, STRICT;
   CREATE TABLE jobs (
     id TEXT PRIMARY KEY, due_at INTEGER, updated_at INTEGER NOT NULL, format INTEGER NOT NULL, status TEXT NOT NULL,
     attempts INTEGER NOT NULL, fence INTEGER NOT NULL, created_at INTEGER NOT NULL, tool TEXT NOT NULL,
     rest_json TEXT NOT NULL, args_json TEXT NOT NULL, data_json TEXT, tool_json TEXT,
     kind TEXT NOT NULL DEFAULT 'job', envelope_json TEXT
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE gone_endpoints (url TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID, STRICT;
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
   ) WITHOUT ROWID, STRICT;`,
};

/** The tables of a feature's part. */
export interface PartTables {
  /** The name of its feature. */
  readonly name: string;
  /**
   * The steps that lead to them; a step, once released, is never changed. The first makes only tables that there are not: the steps
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
    const take = (step: number): void => void sql.exec("INSERT INTO schema_steps (step) VALUES (?)", step);
    if (done === 0) {
      sql.exec(BASE.tables);
      for (; done < BASE.steps; done += 1) take(done);
    }
    for (; done < STEPS.length; done += 1) {
      sql.exec(STEPS[done]!);
      take(done);
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
