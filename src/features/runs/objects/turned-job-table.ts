import { isTrouble } from "../../../core/contract/gate/job.ts";
import * as LIMITS from "../limits.ts";
import type { RunHead } from "../run.ts";
import type { TurnedJob } from "../turned-job.ts";

/**
 * The jobs of runs that ended otherwise than well. They come before the report of their run, or days after it, so they have rows of
 * their own. Those in trouble are in memory once a run is looked at. One that goes on again stays a row: it is later than what may still
 * arrive of its end.
 */
export class JobTable {
  readonly #sql: SqlStorage;
  #troubled: Map<string, Map<string, TurnedJob>> | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS turned_jobs (id TEXT PRIMARY KEY, at INTEGER NOT NULL, json TEXT NOT NULL) WITHOUT ROWID, STRICT",
    );
  }

  take(jobs: readonly TurnedJob[]): void {
    for (const job of jobs) {
      const taken = this.#sql.exec<{ id: string }>(
        `INSERT INTO turned_jobs (id, at, json) VALUES (?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET at = excluded.at, json = excluded.json WHERE excluded.at >= at RETURNING id`,
        job.job,
        job.at,
        JSON.stringify(job),
      );
      if (taken.toArray().length > 0 && this.#troubled !== null) place(this.#troubled, job);
    }
  }

  /** The jobs of a run that are in trouble; of a request to a model those of all its batches. */
  of({ id, source, request }: Pick<RunHead, "id" | "source" | "request">): readonly TurnedJob[] {
    const troubled = (this.#troubled ??= this.#read());
    return [...(troubled.get(source === "agent" ? ofRequest(request) : id)?.values() ?? [])];
  }

  /** Forget what is too old, and the oldest of what is too much. */
  prune(oldest: number): void {
    const { rows } = this.#sql.exec<{ rows: number }>("SELECT COUNT(*) AS rows FROM turned_jobs").one();
    const gone = this.#sql.exec<{ id: string }>(
      "DELETE FROM turned_jobs WHERE at < ? OR id IN (SELECT id FROM turned_jobs ORDER BY at LIMIT ?) RETURNING id",
      oldest,
      Math.max(0, rows - LIMITS.runJobsKept),
    );
    if (gone.toArray().length > 0) this.#troubled = null;
  }

  erase(): void {
    this.#sql.exec("DELETE FROM turned_jobs");
    this.#troubled = null;
  }

  #read(): Map<string, Map<string, TurnedJob>> {
    const troubled = new Map<string, Map<string, TurnedJob>>();
    for (const { json } of this.#sql.exec<{ json: string }>("SELECT json FROM turned_jobs ORDER BY at"))
      place(troubled, JSON.parse(json) as TurnedJob);
    return troubled;
  }
}

function place(troubled: Map<string, Map<string, TurnedJob>>, job: TurnedJob): void {
  for (const key of [job.run, ofRequest(job.request)]) {
    const jobs = troubled.get(key) ?? new Map<string, TurnedJob>();
    if (isTrouble(job.status)) troubled.set(key, jobs.set(job.job, job));
    else jobs.delete(job.job);
  }
}

/** No id of a run has a space. */
function ofRequest(request: string): string {
  return `request ${request}`;
}
