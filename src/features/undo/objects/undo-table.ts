import { query } from "../../../feature/object.ts";
import { keyOf, type KeptWrite, type RunFacts } from "../undo-run.ts";

export const TABLES = `
  CREATE TABLE IF NOT EXISTS undo_runs (
    run_id TEXT PRIMARY KEY, state TEXT NOT NULL, due_at INTEGER, job_id TEXT, facts_json TEXT NOT NULL, changed_at INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS undo_writes (
    run_id TEXT NOT NULL, key TEXT NOT NULL, job_id TEXT, write_json TEXT NOT NULL, PRIMARY KEY (run_id, key)
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX IF NOT EXISTS undo_runs_of_job ON undo_runs (job_id) WHERE job_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS undo_writes_of_job ON undo_writes (job_id) WHERE job_id IS NOT NULL;`;

/** Whether a run has not been taken back. */
export function isGoing(state: UndoRun["state"]): boolean {
  return state === "open" || state === "parked";
}

/** Whether a person is asked something on which it depends how a run goes on. */
export function isAsking({ state, facts: { questions, asks } }: UndoRun): boolean {
  return isGoing(state) ? questions !== undefined : asks?.confirmation !== undefined;
}

export interface UndoRun {
  readonly runId: string;
  /** It goes on, waits for people, its writes are being taken back, or that is over. */
  readonly state: "open" | "parked" | "undoing" | "settled";
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
  #oldest!: number | null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#findOldest();
    for (const run of this.#runs("state != 'settled' OR due_at IS NOT NULL")) this.#remember(run);
  }

  #findOldest(): void {
    const oldest = "SELECT MIN(changed_at) AS oldest FROM undo_runs";
    this.#oldest = this.#sql.exec<{ oldest: number | null }>(oldest).one().oldest;
  }

  #runs(where: string, ...values: readonly string[]): readonly UndoRun[] {
    const columns = "run_id AS runId, state, due_at AS dueAt, facts_json AS json";
    const rows = this.#find(`${columns} FROM undo_runs WHERE ${where}`, values);
    return rows.map(({ json, ...run }) => ({ ...(run as UndoRun), facts: JSON.parse(json) as RunFacts }));
  }

  #writes(where: string, ...values: readonly string[]): readonly FoundWrite[] {
    const rows = this.#find(`run_id AS runId, write_json AS json FROM undo_writes WHERE ${where}`, values);
    return rows.map(({ runId, json }) => ({ runId, write: JSON.parse(json) as KeptWrite }));
  }

  #find(
    from: string,
    values: readonly string[],
  ): readonly { readonly runId: string; readonly json: string }[] {
    if (this.#oldest === null) return [];
    return this.#sql.exec<{ runId: string; json: string }>(`SELECT ${from}`, ...values).toArray();
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

  run(runId: string): UndoRun | undefined {
    return this.#runs("run_id = ?", runId)[0];
  }

  runOfJob(jobId: string): UndoRun | undefined {
    return this.#runs("job_id = ?", jobId)[0];
  }

  saveRun(nowMs: number, run: UndoRun): void {
    const { runId, state, dueAt, facts } = run;
    const jobId = facts.asks?.jobId ?? facts.jobId ?? null;
    query(this.#sql)`
      REPLACE INTO undo_runs (run_id, state, due_at, job_id, facts_json, changed_at)
      VALUES (${runId}, ${state}, ${dueAt}, ${jobId}, ${JSON.stringify(facts)}, ${nowMs})`;
    this.#oldest = Math.min(this.#oldest ?? nowMs, nowMs);
    this.#remember(run);
  }

  writes(runId: string): readonly KeptWrite[] {
    return this.#writes("run_id = ?", runId).map(({ write }) => write);
  }

  write(runId: string, key: string): FoundWrite | undefined {
    return this.#writes("run_id = ? AND key = ?", runId, key)[0];
  }

  /** Another run that has sent a write under the same key. */
  runBefore(runId: string, key: string): UndoRun | undefined {
    const [found] = this.#writes("run_id != ? AND write_json ->> '$.key' = ?", runId, key);
    return found && this.run(found.runId);
  }

  /** The write that a job takes back, and its run. */
  ofJob(jobId: string): FoundWrite | undefined {
    return this.#writes("job_id = ?", jobId)[0];
  }

  saveWrite(runId: string, write: KeptWrite): void {
    query(this.#sql)`
      REPLACE INTO undo_writes (run_id, key, job_id, write_json)
      VALUES (${runId}, ${keyOf(write)}, ${write.jobId ?? null}, ${JSON.stringify(write)})`;
    // Its run follows.
    this.#oldest ??= Number.POSITIVE_INFINITY;
  }

  removeWrite({ runId, write }: FoundWrite): void {
    this.#sql.exec("DELETE FROM undo_writes WHERE run_id = ? AND key = ?", runId, keyOf(write));
  }

  /** Forget a run. */
  remove(runId: string): void {
    for (const table of ["undo_writes", "undo_runs"])
      this.#sql.exec(`DELETE FROM ${table} WHERE run_id = ?`, runId);
    this.#live.delete(runId);
  }

  /** Forget runs that were settled before a time. */
  prune(beforeMs: number): void {
    if (this.#oldest === null || this.#oldest >= beforeMs) return;
    for (const { runId } of this.#runs(`state = 'settled' AND changed_at < ${beforeMs} LIMIT 100`))
      this.remove(runId);
    this.#findOldest();
  }
}

/** A write, and the run that it is kept with. */
export interface FoundWrite {
  readonly runId: string;
  readonly write: KeptWrite;
}
