import {
  type Delivery,
  JOB_STATUSES,
  type JobQuery,
  type JobSpec,
  type JobStatus,
} from "../../../core/contract/gate/job.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { attemptNow } from "../../../core/kit/result.ts";
import { buryJob, type Callback, isLive, type Job } from "../../../core/gate/state/outbox.ts";

/** The format that is written now. A row of any other format is not guessed at. */
const FORMAT = 2;

/** Rows removed at once: enough to keep up with any tenant, few enough not to hold up a request. */
const PRUNE_ROWS = 1_000;

const STATUSES: ReadonlySet<string> = new Set(JOB_STATUSES);
const DELIVERIES: ReadonlySet<string> = new Set<Delivery>(["at-least-once", "at-most-once"]);

/**
 * A row of the `jobs` table: columns for what the object looks for and what every version can read, and in `rest_json` the
 * rest of the job, which is read with it only. STRICT tables hold the column types; the rest is checked on reading.
 */
type JobRow = {
  id: string;
  due_at: number | null;
  updated_at: number;
  format: number;
  status: string;
  attempts: number;
  fence: number;
  created_at: number;
  tool: string;
  rest_json: string;
  args_json: string;
  data_json: string | null;
  tool_json: string | null;
  kind: string;
  envelope_json: string | null;
};

export interface RetentionOptions {
  readonly retentionMs: number;
  readonly jobsKept: number;
}

/** The facts of a row that a cold start needs. */
export type JobHead = Pick<Job, "status" | "fence" | "dueAt"> & {
  readonly spec: Pick<JobSpec, "id" | "tool">;
  readonly kind: string;
};

/** Say the kind of a job by its name. */
export function kindOf({ kind, retries }: Pick<JobSpec, "kind" | "retries">): string {
  return kind ?? (retries === "standard-webhooks" ? "webhook" : "job");
}

/** The parts of a job that have no column. */
type Rest = Pick<Job, "note" | "errorJson" | "callback"> &
  Partial<Pick<Job, "tries">> &
  Omit<Job["spec"], "id" | "kind" | "tool" | "argsJson" | "toolJson">;

/** The columns without the long texts, which come last: a list is read without them. */
const HEAD = "id, due_at, updated_at, format, status, attempts, fence, created_at, tool, kind, rest_json";
const TEXTS = ["args_json", "data_json", "tool_json", "envelope_json"];
const COLUMNS = [...HEAD.split(", "), ...TEXTS];
const ROW = `(${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})`;

/** Characters of the jobs that are kept in memory while they run. */
const RUNNING_CHARACTERS = 256 * 1024;

/** A row's job is over; its event may still be due. */
const IS_FINAL = "(status NOT IN ('running', 'retrying'))";

/** The `jobs` table. A row with a due time has something to be done about it: an attempt, or a delivery. */
export class JobTable {
  readonly #sql: SqlStorage;
  readonly #options: RetentionOptions;
  /** No finished row was last changed before that. */
  #oldestEnd = Number.POSITIVE_INFINITY;
  #prunedAt = 0;
  /** Jobs that an attempt was begun of here and has not reported: their rows need not be read again when it does. */
  readonly #running = new Map<string, Job>();
  #runningCharacters = 0;
  /** How many rows each tool has of each status: what a list would find. */
  readonly #counts = new Map<string, Map<JobStatus, number>>();

  constructor(sql: SqlStorage, options: RetentionOptions) {
    this.#sql = sql;
    this.#options = options;
  }

  /** Count jobs by status, of some tools or all. Reads rows only where a subject is named. */
  count(tools: readonly string[] | undefined, subject: string | undefined): Record<JobStatus, number> {
    const counts = Object.fromEntries(JOB_STATUSES.map((status) => [status, 0])) as Record<JobStatus, number>;
    if (subject !== undefined) {
      const own = { status: null, tools, subject, limit: Number.MAX_SAFE_INTEGER, after: null };
      for (const { status } of this.list(own, 0)) counts[status] += 1;
      return counts;
    }
    for (const tool of tools === undefined ? this.#counts.keys() : new Set(tools))
      for (const [status, count] of this.#counts.get(tool) ?? []) counts[status] += count;
    return counts;
  }

  /** Know of jobs that were inserted, once their transaction is over. */
  add(jobs: readonly Job[]): void {
    for (const job of jobs) {
      this.#tally(job.spec.tool, job.status, 1);
      this.#remember(job);
    }
  }

  /** Insert a job; false, and nothing changed, when its id is already recorded. */
  insert(job: Job): boolean {
    const cursor = this.#sql.exec(
      `INSERT INTO jobs ${ROW} ON CONFLICT (id) DO NOTHING RETURNING id`,
      ...toColumns(job),
    );
    return cursor.toArray().length === 1;
  }

  has(id: string): boolean {
    return this.#sql.exec("SELECT 1 FROM jobs WHERE id = ?", id).toArray().length === 1;
  }

  /** Read how a job stands, without its texts; null when there is none. */
  standing(id: string): Pick<Job, "status" | "fence"> | null {
    const rows = this.#sql.exec<JobRow>("SELECT status, fence FROM jobs WHERE id = ?", id);
    const [row] = rows.toArray();
    return row === undefined ? null : { status: row.status as JobStatus, fence: row.fence };
  }

  /** Load a job, or null when there is none. One that cannot be read is dead, and its row too if it was live. */
  load(id: string, nowMs: number): Job | null {
    const running = this.#running.get(id);
    if (running !== undefined) return running;
    const [row] = this.#sql.exec<JobRow>("SELECT * FROM jobs WHERE id = ?", id).toArray();
    if (row === undefined) return null;
    const [job, isReadable] = readRow(row, nowMs);
    if (!isReadable && row.due_at !== null) this.save(job, toListed(row));
    return job;
  }

  /** Save a job. No index covers it, so it is one row written. @param before what its row's status was */
  save(job: Job, before: JobStatus): void {
    this.#sql.exec(`REPLACE INTO jobs ${ROW}`, ...toColumns(job));
    this.#remember(job);
    this.#tally(job.spec.tool, before, -1);
    this.#tally(job.spec.tool, job.status, 1);
    this.#look(job.status, job.updatedAt);
  }

  /**
   * List jobs, newest first, without their arguments and data. Looks at the head of every row: few enough are kept.
   *
   * A row that cannot be read is listed as what it is, dead, whatever its status says.
   */
  *list(
    { status, tools, batchId, subject, key, liveOf, since, until, limit, after }: JobQuery,
    nowMs: number,
  ): Iterable<Job> {
    const { createdAt, id } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: "" };
    const rows = this.#sql.exec<JobRow>(
      `SELECT ${HEAD}, '' AS args_json, NULL AS data_json, NULL AS tool_json, NULL AS envelope_json FROM jobs WHERE id IN (
         SELECT id FROM jobs WHERE (created_at, id) < (?1, ?2)
           AND (?3 IS NULL OR ?3 = CASE WHEN format = ${FORMAT} THEN status ELSE 'dead' END)
           AND (?4 IS NULL OR tool IN (SELECT value FROM json_each(?4)))
           AND created_at >= ?5 AND created_at < ?6
           AND (?7 IS NULL OR NOT ${IS_FINAL} AND kind IN (SELECT value FROM json_each(?7)))
           AND (?8 IS NULL OR ?8 = CASE WHEN json_valid(rest_json) THEN json_extract(rest_json, '$.origin.batchId') END)
           AND (?10 IS NULL OR ?10 = CASE WHEN json_valid(rest_json) THEN json_extract(rest_json, '$.origin.account.subject') END)
           AND (?11 IS NULL OR ?11 = CASE WHEN json_valid(rest_json) THEN json_extract(rest_json, '$.origin.key') END)
         ORDER BY created_at DESC, id DESC LIMIT ?9+0)
       ORDER BY created_at DESC, id DESC`,
      createdAt,
      id,
      status,
      tools === undefined ? null : JSON.stringify(tools),
      since ?? Number.MIN_SAFE_INTEGER,
      until ?? Number.MAX_SAFE_INTEGER,
      liveOf === undefined ? null : JSON.stringify(liveOf),
      batchId ?? null,
      limit,
      subject ?? null,
      key ?? null,
    );
    for (const row of rows) yield readRow(row, nowMs)[0];
  }

  /** Let go of jobs of these kinds whose attempts were under way in an object that is gone: they are due. */
  release(kinds: readonly string[]): void {
    this.#sql.exec(
      "UPDATE jobs SET due_at = updated_at WHERE status = 'running' AND attempts > 0 AND kind IN (SELECT value FROM json_each(?))",
      JSON.stringify(kinds),
    );
  }

  /** Walk over what a cold start needs to know of every row. */
  *heads(): Iterable<JobHead> {
    const query = "SELECT id, due_at, updated_at, format, status, tool, kind, fence FROM jobs";
    const rows = this.#sql.exec<JobRow>(query);
    for (const { id, due_at, updated_at, format, status, tool, kind, fence } of rows) {
      this.#look(status, updated_at);
      this.#tally(tool, toListed({ format, status }), 1);
      yield { spec: { id, tool }, kind, fence, dueAt: due_at, status: status as JobStatus };
    }
  }

  /**
   * Remove finished jobs, of which there are so many, that are too many or too old; the ids of those that went.
   *
   * The usual answer, that nothing has to go, costs no SQL. Over the count at most a tenth more is kept: then one scan
   * removes many.
   */
  prune(nowMs: number, finished: number): readonly string[] {
    const { jobsKept, retentionMs } = this.#options;
    if (finished > jobsKept + Math.floor(jobsKept / 10))
      return this.#remove(Number.MAX_SAFE_INTEGER, finished - jobsKept);
    const expiry = nowMs - retentionMs;
    if (this.#oldestEnd >= expiry || nowMs < this.#prunedAt + LIMITS.pruneEveryMs) return [];
    this.#prunedAt = nowMs;
    return this.#remove(expiry, PRUNE_ROWS);
  }

  #remove(beforeMs: number, count: number): readonly string[] {
    const gone = this.#sql
      .exec<Pick<JobRow, "id" | "tool" | "format" | "status">>(
        `DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE ${IS_FINAL} AND updated_at < ?
           ORDER BY updated_at LIMIT ?+0) RETURNING id, tool, format, status`,
        beforeMs,
        Math.min(count, PRUNE_ROWS),
      )
      .toArray();
    for (const row of gone) this.#tally(row.tool, toListed(row), -1);
    const { oldest } = this.#sql
      .exec<{ oldest: number | null }>(`SELECT MIN(updated_at) AS oldest FROM jobs WHERE ${IS_FINAL}`)
      .one();
    this.#oldestEnd = oldest ?? Number.POSITIVE_INFINITY;
    return gone.map(({ id }) => id);
  }

  /** Keep a job in memory while it runs, as its row is; few enough that they weigh nothing beside what an isolate may hold. */
  #remember(job: Job): void {
    const { id } = job.spec;
    const before = this.#running.get(id);
    if (before !== undefined) this.#runningCharacters -= charactersOf(before);
    this.#running.delete(id);
    const characters = charactersOf(job);
    if (job.status !== "running" || this.#runningCharacters + characters > RUNNING_CHARACTERS) return;
    this.#runningCharacters += characters;
    this.#running.set(id, job);
  }

  #tally(tool: string, status: JobStatus, by: 1 | -1): void {
    let counts = this.#counts.get(tool);
    if (counts === undefined) this.#counts.set(tool, (counts = new Map()));
    const count = (counts.get(status) ?? 0) + by;
    if (count > 0) counts.set(status, count);
    else counts.delete(status);
    if (counts.size === 0) this.#counts.delete(tool);
  }

  #look(status: string, updatedAt: number): void {
    if (!isLive(status)) this.#oldestEnd = Math.min(this.#oldestEnd, updatedAt);
  }
}

/** Characters of the texts of a job that can be long. */
function charactersOf({ spec, envelopeJson }: Job): number {
  return spec.argsJson.length + (spec.toolJson?.length ?? 0) + (envelopeJson?.length ?? 0);
}

/** The status that a list shows for a row: one of another version is dead. */
function toListed({ format, status }: Pick<JobRow, "format" | "status">): JobStatus {
  return format === FORMAT && STATUSES.has(status) ? (status as JobStatus) : "dead";
}

/** Lay a job out in the order of the table's columns. */
function toColumns(job: Job): SqlStorageValue[] {
  const { dueAt, updatedAt, status, attempts, fence, createdAt, dataJson, envelopeJson, spec, ...more } = job;
  const { id, kind: _, tool, argsJson, toolJson = null, ...rest } = spec;
  const head = [id, dueAt, updatedAt, FORMAT, status, attempts, fence, createdAt, tool, kindOf(spec)];
  const restJson = JSON.stringify({ ...rest, ...more, keptJson: undefined, log: undefined } satisfies Rest &
    Partial<Job>);
  return [...head, restJson, argsJson, dataJson, toolJson, envelopeJson];
}

/**
 * Read a row. One that this version does not understand (another format, an unknown status or delivery) is a dead job,
 * and readable when it is saved again. Without attempts it is never redriven: what it has sent, and whether it may be
 * sent twice, is not known.
 *
 * Arguments are not parsed here: only a claim needs them.
 */
function readRow(row: JobRow, nowMs: number): [job: Job, isReadable: boolean] {
  // An object whatever stands there: one row that cannot be read must not end every claim.
  const parsed = attemptNow(() => ({ ...(JSON.parse(row.rest_json) as Rest) }));
  const isKnown = row.format === FORMAT && STATUSES.has(row.status);
  if (isKnown && parsed.ok && DELIVERIES.has(parsed.value.delivery)) return [toJob(row, parsed.value), true];
  const hint = "This version cannot read the job's record, so the job gets no further attempt.";
  const callback = parsed.ok && isCallback(parsed.value.callback) ? parsed.value.callback : null;
  return [buryJob(toJob(row, { ...UNKNOWN, callback }), nowMs, hint), false];
}

const UNKNOWN: Rest = {
  idempotencyKey: "",
  maxAttempts: 0,
  backoffInitialMs: 0,
  delivery: "at-most-once",
  note: null,
  errorJson: null,
  callback: null,
};

/** A caller that asked for a callback is told of this end too, if the row still has its address. */
function isCallback(value: Callback | null | undefined): boolean {
  return typeof value?.target?.url === "string" && typeof value.target.secretName === "string";
}

function toJob(row: JobRow, { note, errorJson, callback, tries = [], ...spec }: Rest): Job {
  return {
    spec: {
      id: row.id,
      tool: row.tool,
      argsJson: row.args_json,
      ...(row.tool_json !== null && { toolJson: row.tool_json }),
      ...(row.kind !== kindOf(spec) && { kind: row.kind }),
      ...spec,
    },
    status: row.status as JobStatus,
    attempts: row.attempts,
    fence: row.fence,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    // The job is over, and no callback is due: whatever the row says, nothing is left to do.
    dueAt: callback === null && !isLive(row.status) ? null : row.due_at,
    dataJson: row.data_json,
    envelopeJson: row.envelope_json,
    errorJson,
    note,
    tries,
    callback,
  };
}
