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
function isAsking(state: RunState, { questions, asks }: RunFacts): boolean {
  return isGoing(state) ? questions !== undefined : asks?.confirmation !== undefined;
}

export interface UndoRun {
  readonly runId: string;
  readonly state: RunState;
  /** When something is to be done about it: its lease ends, or there was no room. */
  readonly dueAt: number | null;
  readonly facts: RunFacts;
}

/** The rows of the runs whose writes are looked after. */
export class UndoTable {
  readonly #sql: SqlStorage;
  /** When each open or waiting run is due, by its id. */
  readonly #due = new Map<string, number>();
  /** The runs that wait for people. */
  readonly asking = new Set<string>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    const rows = sql.exec<{ run_id: string; due_at: number }>(
      "SELECT run_id, due_at FROM undo_runs WHERE due_at IS NOT NULL",
    );
    for (const { run_id: runId, due_at: dueAt } of rows) this.#due.set(runId, dueAt);
    const going = sql.exec<{ run_id: string; state: RunState; facts_json: string }>(
      "SELECT run_id, state, facts_json FROM undo_runs WHERE state != 'settled'",
    );
    for (const { run_id: runId, state, facts_json: json } of going)
      if (isAsking(state, JSON.parse(json) as RunFacts)) this.asking.add(runId);
  }

  get nextAt(): number | null {
    let first: number | null = null;
    for (const dueAt of this.#due.values()) first = Math.min(first ?? dueAt, dueAt);
    return first;
  }

  /** The runs about which something is to be done by now. */
  due(nowMs: number): readonly string[] {
    return [...this.#due].flatMap(([runId, dueAt]) => (dueAt <= nowMs ? [runId] : []));
  }

  run(runId: string): UndoRun | null {
    const [row] = this.#sql
      .exec<{ state: RunState; due_at: number | null; facts_json: string }>(
        "SELECT state, due_at, facts_json FROM undo_runs WHERE run_id = ?",
        runId,
      )
      .toArray();
    if (row === undefined) return null;
    return { runId, state: row.state, dueAt: row.due_at, facts: JSON.parse(row.facts_json) as RunFacts };
  }

  /** The run that a job is. */
  runOfJob(jobId: string): UndoRun | null {
    const [row] = this.#sql
      .exec<{ run_id: string }>("SELECT run_id FROM undo_runs WHERE job_id = ?", jobId)
      .toArray();
    return row === undefined ? null : this.run(row.run_id);
  }

  saveRun(nowMs: number, { runId, state, dueAt, facts }: UndoRun): void {
    const replace =
      "REPLACE INTO undo_runs (run_id, state, due_at, job_id, facts_json, changed_at) VALUES (?, ?, ?, ?, ?, ?)";
    this.#sql.exec(
      replace,
      runId,
      state,
      dueAt,
      facts.asks?.jobId ?? facts.jobId ?? null,
      JSON.stringify(facts),
      nowMs,
    );
    if (dueAt === null) this.#due.delete(runId);
    else this.#due.set(runId, dueAt);
    if (isAsking(state, facts)) this.asking.add(runId);
    else this.asking.delete(runId);
  }

  writes(runId: string): readonly KeptWrite[] {
    const rows = this.#sql.exec<{ write_json: string }>(
      "SELECT write_json FROM undo_writes WHERE run_id = ?",
      runId,
    );
    return Array.from(rows, ({ write_json: json }) => JSON.parse(json) as KeptWrite);
  }

  write(runId: string, key: string): KeptWrite | null {
    const [row] = this.#sql
      .exec<{ write_json: string }>(
        "SELECT write_json FROM undo_writes WHERE run_id = ? AND key = ?",
        runId,
        key,
      )
      .toArray();
    return row === undefined ? null : (JSON.parse(row.write_json) as KeptWrite);
  }

  /** The write that a job takes back, and its run. */
  ofJob(jobId: string): { readonly runId: string; readonly write: KeptWrite } | null {
    const [row] = this.#sql
      .exec<{ run_id: string; write_json: string }>(
        "SELECT run_id, write_json FROM undo_writes WHERE job_id = ?",
        jobId,
      )
      .toArray();
    return row === undefined ? null : { runId: row.run_id, write: JSON.parse(row.write_json) as KeptWrite };
  }

  countWrites(runId: string): number {
    const count = "SELECT COUNT(*) AS writes FROM undo_writes WHERE run_id = ?";
    return this.#sql.exec<{ writes: number }>(count, runId).one().writes;
  }

  saveWrite(runId: string, write: KeptWrite): void {
    this.#sql.exec(
      "REPLACE INTO undo_writes (run_id, key, job_id, write_json) VALUES (?, ?, ?, ?)",
      runId,
      keyOf(write),
      write.jobId ?? null,
      JSON.stringify(write),
    );
  }

  /** Forget a run. */
  remove(runId: string): void {
    this.#sql.exec("DELETE FROM undo_writes WHERE run_id = ?", runId);
    this.#sql.exec("DELETE FROM undo_runs WHERE run_id = ?", runId);
    this.#due.delete(runId);
    this.asking.delete(runId);
  }

  /** Forget runs that were settled before a time. */
  prune(beforeMs: number): void {
    const rows = this.#sql.exec<{ run_id: string }>(
      "SELECT run_id FROM undo_runs WHERE state = 'settled' AND changed_at < ? LIMIT 100",
      beforeMs,
    );
    for (const { run_id: runId } of rows.toArray()) this.remove(runId);
  }
}
