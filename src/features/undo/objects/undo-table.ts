import { keyOf, type RunFacts } from "../undo-run.ts";
import type { KeptWrite } from "./kept-write.ts";

export const TABLES = `
  CREATE TABLE IF NOT EXISTS undo_runs (
    run_id TEXT PRIMARY KEY, state TEXT NOT NULL, due_at INTEGER, job_id TEXT, facts_json TEXT NOT NULL, changed_at INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS undo_writes (
    run_id TEXT NOT NULL, key TEXT NOT NULL, job_id TEXT, write_json TEXT NOT NULL, PRIMARY KEY (run_id, key)
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX IF NOT EXISTS undo_runs_of_job ON undo_runs (job_id) WHERE job_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS undo_writes_of_job ON undo_writes (job_id) WHERE job_id IS NOT NULL;`;

/** The states of a run: it goes on, waits for people, its writes are being taken back, or that is over. */
export type RunState = "open" | "parked" | "undoing" | "settled";

/** Whether a run has not been taken back. */
export function isGoing(state: RunState): boolean {
  return state === "open" || state === "parked";
}

/** Whether a person is asked something on which it depends how a run goes on. */
export function isAsking({ state, facts: { questions, asks } }: UndoRun): boolean {
  return isGoing(state) ? questions !== undefined : asks?.confirmation !== undefined;
}

export interface UndoRun {
  readonly runId: string;
  readonly state: RunState;
  /** When something is to be done about it: its lease ends, there was no room, or arguments are to be forgotten. */
  readonly dueAt: number | null;
  readonly facts: RunFacts;
}

/** The rows of the runs whose writes are looked after. It knows in memory whether it has one: an empty table is not read. */
export class UndoTable {
  readonly #sql: SqlStorage;
  /** The runs of which something may still become by itself. */
  readonly #live = new Map<string, UndoRun>();
  /** When the run was saved that is the oldest, or one before it; null without rows. */
  #oldest: number | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#findOldest();
    const going = this.#rows<RunRow>(
      `SELECT ${RUN} FROM undo_runs WHERE state != 'settled' OR due_at IS NOT NULL`,
    );
    for (const run of going.map(toRun)) this.#remember(run);
  }

  #findOldest(): void {
    const oldest = "SELECT MIN(changed_at) AS oldest FROM undo_runs";
    this.#oldest = this.#sql.exec<{ oldest: number | null }>(oldest).one().oldest;
  }

  #rows<Row extends Record<string, SqlStorageValue>>(sql: string, ...values: readonly string[]): Row[] {
    return this.#oldest === null ? [] : this.#sql.exec<Row>(sql, ...values).toArray();
  }

  #remember(run: UndoRun): void {
    if (run.state === "settled" && run.dueAt === null) this.#live.delete(run.runId);
    else this.#live.set(run.runId, run);
  }

  get nextAt(): number | null {
    const times = [...this.#live.values()].flatMap(({ dueAt }) => dueAt ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** The runs that are not over, or about which something is to be done: each as it is when it is come to. */
  get live(): Iterable<UndoRun> {
    return this.#live.values();
  }

  run(runId: string): UndoRun | null {
    const [row] = this.#rows<RunRow>(`SELECT ${RUN} FROM undo_runs WHERE run_id = ?`, runId);
    return row === undefined ? null : toRun(row);
  }

  runOfJob(jobId: string): UndoRun | null {
    const [row] = this.#rows<RunRow>(`SELECT ${RUN} FROM undo_runs WHERE job_id = ?`, jobId);
    return row === undefined ? null : toRun(row);
  }

  saveRun(nowMs: number, run: UndoRun): void {
    const { runId, state, dueAt, facts } = run;
    this.#sql.exec(
      "REPLACE INTO undo_runs (run_id, state, due_at, job_id, facts_json, changed_at) VALUES (?, ?, ?, ?, ?, ?)",
      runId,
      state,
      dueAt,
      facts.asks?.jobId ?? facts.jobId ?? null,
      JSON.stringify(facts),
      nowMs,
    );
    this.#oldest = Math.min(this.#oldest ?? nowMs, nowMs);
    this.#remember(run);
  }

  writes(runId: string): readonly KeptWrite[] {
    return this.#rows<WriteRow>(`SELECT ${WRITE} FROM undo_writes WHERE run_id = ?`, runId).map(toWrite);
  }

  write(runId: string, key: string): KeptWrite | null {
    const [row] = this.#rows<WriteRow>(
      `SELECT ${WRITE} FROM undo_writes WHERE run_id = ? AND key = ?`,
      runId,
      key,
    );
    return row === undefined ? null : toWrite(row);
  }

  /** The write that a job takes back, and its run. */
  ofJob(jobId: string): { readonly runId: string; readonly write: KeptWrite } | null {
    const [row] = this.#rows<WriteRow>(`SELECT ${WRITE} FROM undo_writes WHERE job_id = ?`, jobId);
    return row === undefined ? null : { runId: row.run_id, write: toWrite(row) };
  }

  countWrites(runId: string): number {
    return this.#rows("SELECT 1 FROM undo_writes WHERE run_id = ?", runId).length;
  }

  saveWrite(runId: string, write: KeptWrite): void {
    this.#sql.exec(
      "REPLACE INTO undo_writes (run_id, key, job_id, write_json) VALUES (?, ?, ?, ?)",
      runId,
      keyOf(write),
      write.jobId ?? null,
      JSON.stringify(write),
    );
    // Its run follows.
    this.#oldest ??= Number.POSITIVE_INFINITY;
  }

  /** Forget a run. */
  remove(runId: string): void {
    this.#sql.exec("DELETE FROM undo_writes WHERE run_id = ?", runId);
    this.#sql.exec("DELETE FROM undo_runs WHERE run_id = ?", runId);
    this.#live.delete(runId);
  }

  /** Forget runs that were settled before a time. */
  prune(beforeMs: number): void {
    if (this.#oldest === null || this.#oldest >= beforeMs) return;
    const rows = this.#sql.exec<{ run_id: string }>(
      "SELECT run_id FROM undo_runs WHERE state = 'settled' AND changed_at < ? LIMIT 100",
      beforeMs,
    );
    for (const { run_id: runId } of rows.toArray()) this.remove(runId);
    this.#findOldest();
  }
}

const RUN = "run_id, state, due_at, facts_json";

type RunRow = Readonly<Record<"run_id" | "facts_json", string>> & {
  readonly state: RunState;
  readonly due_at: number | null;
};

function toRun({ run_id: runId, state, due_at: dueAt, facts_json: json }: RunRow): UndoRun {
  return { runId, state, dueAt, facts: JSON.parse(json) as RunFacts };
}

const WRITE = "run_id, write_json";

type WriteRow = Readonly<Record<"run_id" | "write_json", string>>;

function toWrite({ write_json: json }: WriteRow): KeptWrite {
  return JSON.parse(json) as KeptWrite;
}
