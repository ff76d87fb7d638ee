import { query } from "../../../feature/object.ts";
import { isTrouble } from "../../../feature/tool.ts";
import { keepLog, untold } from "../action-content.ts";
import * as LIMITS from "../limits.ts";
import type { RunHead } from "../run.ts";
import type { SplitRun } from "./report-text.ts";
import type { TurnedJob } from "../turned-job.ts";

/**
 * The jobs of runs that ended otherwise than well, or wrote lines. They come before the report of their run, or days after it, so they
 * have rows of their own. Those in trouble are in memory once a run is looked at. One that goes on again stays a row: it is later than
 * what may still arrive of its end.
 */
export class JobTable {
  readonly #sql: SqlStorage;
  #troubled: Map<string, Map<string, TurnedJob>> | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    query(sql)`
      CREATE TABLE IF NOT EXISTS turned_jobs (id TEXT PRIMARY KEY, at INTEGER NOT NULL, json TEXT NOT NULL) WITHOUT ROWID, STRICT`;
  }

  take(jobs: readonly TurnedJob[]): void {
    for (const told of jobs) {
      const [before] = this.#named([told.job]);
      const { log: known = [] } = before ?? {};
      const log = keepLog([...known, ...untold(told.log ?? [], known)]);
      const job = before !== undefined && before.at > told.at ? before : told;
      const json = JSON.stringify({ ...job, log });
      query(this.#sql)`
        REPLACE INTO turned_jobs (id, at, json) VALUES (${job.job}, ${job.at}, ${json})`;
      if (this.#troubled !== null) place(this.#troubled, { ...job, log: [] });
    }
  }

  /** The jobs of a run that are in trouble; of a request to a model those of all its batches. */
  of({ id, source, request }: Pick<RunHead, "id" | "source" | "request">): readonly TurnedJob[] {
    const troubled = (this.#troubled ??= this.#read());
    return [...(troubled.get(source === "agent" ? ofRequest(request) : id)?.values() ?? [])];
  }

  /** Put the lines of its attempts and of its jobs into the body of a run, as far as there is room for them. */
  into({ head, body }: SplitRun): string {
    let left: number = LIMITS.runBytes;
    // Each attempt of a flow is a run, which has its own lines.
    const isOwn = ({ job, run }: TurnedJob): boolean => job !== head.job || run === head.id;
    const lines = this.#named(jobsOf(head, body)).flatMap(({ log = [], ...job }) =>
      (isOwn(job) ? log : [])
        .filter(({ text }) => (left -= text.length) >= 0)
        .map(({ at, text, of }) => ({ job: job.job, of, at_ms: at - head.startedAt, text })),
    );
    return lines.length === 0 ? body : `${body.slice(0, -1)},"lines":${JSON.stringify(lines)}}`;
  }

  /** Forget the lines of a run. A job of another one, which this one was answered from, keeps its own. */
  forget({ head, body }: SplitRun): void {
    this.#sql.exec(
      `UPDATE turned_jobs SET json = json_remove(json, '$.log') ${NAMED} AND json_extract(json, '$.request') = ?`,
      JSON.stringify(jobsOf(head, body)),
      head.request,
    );
  }

  /** Forget what is too old, and the oldest of what is too much, what has lines alone before jobs in trouble. */
  prune(oldest: number): void {
    const { rows } = this.#sql.exec<{ rows: number }>("SELECT COUNT(*) AS rows FROM turned_jobs").one();
    const gone = query<{ id: string }>(this.#sql)`
      DELETE FROM turned_jobs WHERE at < ${oldest} OR id IN (SELECT id FROM turned_jobs
      ORDER BY json_extract(json, '$.status') IN ('failed', 'dead', 'unknown'), at
      LIMIT ${Math.max(0, rows - LIMITS.runJobsKept)}+0) RETURNING id`;
    if (gone.toArray().length > 0) this.#troubled = null;
  }

  erase(): void {
    this.#sql.exec("DELETE FROM turned_jobs");
    this.#troubled = null;
  }

  #read(): Map<string, Map<string, TurnedJob>> {
    const troubled = new Map<string, Map<string, TurnedJob>>();
    const rows = this.#sql.exec<{ json: string }>(
      "SELECT json_remove(json, '$.log') AS json FROM turned_jobs ORDER BY at",
    );
    for (const { json } of rows) place(troubled, JSON.parse(json) as TurnedJob);
    return troubled;
  }

  #named(ids: readonly string[]): readonly TurnedJob[] {
    if (ids.length === 0) return [];
    const rows = this.#sql.exec<{ json: string }>(
      `SELECT json FROM turned_jobs ${NAMED}`,
      JSON.stringify(ids),
    );
    return [...rows].map(({ json }) => JSON.parse(json) as TurnedJob);
  }
}

const NAMED = "WHERE id IN (SELECT value FROM json_each(?))";

/** The job that a run is, and those that it names. */
function jobsOf({ job }: RunHead, body: string): readonly string[] {
  const named = [...body.matchAll(/"job_id":"([^"]+)"/g)].map(([, id]) => id!);
  return job === undefined ? named : [job, ...named];
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
