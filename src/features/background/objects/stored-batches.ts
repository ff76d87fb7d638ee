import { query } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import type { ObjectPart, OpenPart, PartMethods, PartWorld } from "../../../feature/tenant.ts";
import type { JobClaim, JobProgress } from "../../../core/contract/gate/job.ts";
import type { PartHost } from "../../../cloudflare/durable/object-part.ts";
import { isLive } from "../../../core/gate/state/outbox.ts";
import {
  BATCH,
  type BatchEntry,
  type BatchMethods,
  type KeptBatch,
  type KeptResult,
  readKeptBatch,
  type ResultPage,
  type ResultQuery,
} from "../batch-job.ts";
import type { JobKind } from "../../../cloudflare/durable/job-kind.ts";
import { attempt } from "../../../feature/refuse.ts";

const TABLES = `
  CREATE TABLE IF NOT EXISTS batches (
    job_id TEXT PRIMARY KEY, ends_at INTEGER, total INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS batch_results (
    job_id TEXT NOT NULL, step INTEGER NOT NULL, element INTEGER NOT NULL, outcome_json TEXT,
    in_doubt INTEGER NOT NULL,
    PRIMARY KEY (job_id, step, element)
  ) WITHOUT ROWID, STRICT;`;

/** Make the part of a tenant's object that keeps batches in the background. */
export function createBackgroundPart(
  runOf: (host: PartHost) => (claim: JobClaim) => Promise<void>,
  backlogs: BatchBacklogs = BATCH_BACKLOGS,
): ObjectPart {
  return {
    name: "background",
    steps: [TABLES],
    createKind: (host) => createBatchKind(backlogs, runOf(host)),
    open: openBackground,
  };
}

function openBackground({ storage, outbox, random }: PartWorld): OpenPart {
  const table = new ResultTable(storage.sql);
  const keptOf = (now: number, jobId: string): KeptBatch | null => {
    const spec = outbox.spec(jobId, now);
    return spec?.kind === BATCH && spec.toolJson !== undefined ? readKeptBatch(spec.toolJson) : null;
  };
  const methods: PartMethods<BatchMethods> = {
    open(now, jobId, fence, { deadlineMs, done = [] }) {
      if (!outbox.holds(jobId, fence)) return null;
      const endsAt = table.open(jobId, now + deadlineMs);
      for (const { to, ...from } of done) table.copyDone(jobId, to, from);
      return { endsAt, kept: table.all(jobId) };
    },
    write(_, jobId, fence, entry) {
      const isIts = outbox.holds(jobId, fence);
      if (isIts) table.write(jobId, entry);
      else if (outbox.wasCancelled(jobId, fence)) table.write(jobId, endsOf(entry));
      return isIts;
    },
    settle(now, jobId, fence, { end, envelopeJson, ...entry }) {
      const job = outbox.settle(now, { jobId, fence, end, random: random(), envelopeJson });
      if (job === null) {
        if (outbox.wasCancelled(jobId, fence)) table.write(jobId, endsOf(entry));
        return false;
      }
      table.write(jobId, entry);
      if (!isLive(job.status)) table.close(jobId);
      return true;
    },
    results: (_, jobId, query) => table.page(jobId, query),
    left: (_, jobId, actions) =>
      outbox.isOver(jobId) && table.countWhole(jobId) < actions ? table.all(jobId) : null,
    complete(_, jobId, results) {
      if (outbox.isOver(jobId)) table.add(jobId, results);
    },
    asker: (now, jobId) => keptOf(now, jobId)?.caller ?? null,
    order: (now, jobId) =>
      keptOf(now, jobId)?.again?.order?.map((one) => (typeof one === "string" ? one : one.id)) ?? null,
  };
  return { methods, progress: (jobId) => table.progress(jobId), forget: (jobIds) => table.forget(jobIds) };
}

/** The ends among entries: that something is about to be sent is not true of what may not be sent any more. */
function endsOf({ results, ...entry }: BatchEntry): BatchEntry {
  return { ...entry, results: results.filter(({ outcomeJson }) => outcomeJson !== null) };
}

interface BatchBacklogs {
  /** Live batches of one key, and of all. */
  readonly keyBacklog: number;
  readonly batchBacklog: number;
}

const BATCH_BACKLOGS: BatchBacklogs = {
  keyBacklog: LIMITS.keyBatchBacklog,
  batchBacklog: LIMITS.batchBacklog,
};

const BATCHES = "batches";

/** Make the kind of job that a batch in the background is. @param run makes an attempt, and says how it ended to the object itself */
function createBatchKind(
  { keyBacklog, batchBacklog }: BatchBacklogs,
  run: (claim: JobClaim) => Promise<void>,
): JobKind {
  return {
    name: BATCH,
    lane: { name: BATCHES, places: LIMITS.batchesAtOnce },
    placeOf: () => ({ lane: BATCHES, backlog: BATCHES }),
    // Those of one key with those of another.
    takesTurns: true,
    // It may take longer than what runs after an answer.
    isQueued: true,
    newFirst: true,
    hasRoom: (backlog, { tool }) =>
      backlog.sizeOfGroup(tool) < keyBacklog && backlog.sizeOf(BATCHES) < batchBacklog,
    hasRoomAgain: (backlog) => backlog.sizeOf(BATCHES) < batchBacklog + LIMITS.jobRedrives,
    // A write that was sent at its end is seen through.
    attemptMs: () => LIMITS.batchSliceMs + LIMITS.maxDeadlineMs,
    // The rest of it is done already.
    mayMend: "unless refused",
    // It was counted when it was recorded, and its calls draw from their tools' limits.
    limitOf: () => null,
    async attempt(claim) {
      // One whose end is not reported is left to its lease.
      await attempt(() => run(claim));
      return null;
    },
  };
}

type ResultRow = { step: number; element: number; outcome_json: string | null; in_doubt: number };

/** The number of what is no element. */
const WHOLE = -1;

/** The batches in the background of one tenant: when each ends, how many calls it has, and how those ended that are over. */
class ResultTable {
  readonly #sql: SqlStorage;
  /** As far as the batches had come that were asked about and not written since: a list asks for many, and each has thousands of rows. */
  readonly #known = new Map<string, JobProgress>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The end of a batch's time: what was said by its first attempt, or what this one says. */
  open(jobId: string, endsAt: number): number {
    this.#known.delete(jobId);
    const insert = `INSERT INTO batches (job_id, ends_at, total) VALUES (?, ?, 0)
      ON CONFLICT (job_id) DO UPDATE SET ends_at = COALESCE(ends_at, excluded.ends_at) RETURNING ends_at`;
    return this.#sql.exec<{ ends_at: number }>(insert, jobId, endsAt).one().ends_at;
  }

  /** Let a batch that is over begin its time anew, should it be redriven. */
  close(jobId: string): void {
    query(this.#sql)`UPDATE batches SET ends_at = NULL WHERE job_id = ${jobId}`;
  }

  write(jobId: string, { results, total }: BatchEntry): void {
    this.#known.delete(jobId);
    // Mostly it is what it was, and then no row is written.
    if (total !== undefined)
      query(this.#sql)`
        UPDATE batches SET total = ${total} WHERE job_id = ${jobId} AND total <> ${total}`;
    for (const { step, element, outcomeJson, inDoubt } of results)
      query(this.#sql)`
        REPLACE INTO batch_results (job_id, step, element, outcome_json, in_doubt)
        VALUES (${jobId}, ${step}, ${element}, ${outcomeJson}, ${inDoubt ? 1 : 0})`;
  }

  /** Add results where there are none: those that an attempt wrote say more. */
  add(jobId: string, results: readonly KeptResult[]): void {
    this.#known.delete(jobId);
    for (const { step, element, outcomeJson } of results)
      query(this.#sql)`
        INSERT OR IGNORE INTO batch_results (job_id, step, element, outcome_json, in_doubt)
        VALUES (${jobId}, ${step}, ${element}, ${outcomeJson}, 0)`;
  }

  /** Take over the elements that another batch has done of a loop, or may have; what is known of one already stays. */
  copyDone(jobId: string, to: number, from: { readonly job: string; readonly step: number }): void {
    this.#known.delete(jobId);
    query(this.#sql)`
      INSERT OR IGNORE INTO batch_results (job_id, step, element, outcome_json, in_doubt)
      SELECT ${jobId}, ${to}, element, outcome_json, in_doubt FROM batch_results
      WHERE job_id = ${from.job} AND step = ${from.step} AND element >= 0
      AND (in_doubt = 1 OR json_extract(outcome_json, '$.status') IN ('success', 'initiated',
      'unknown'))`;
  }

  countWhole(jobId: string): number {
    const count = "SELECT COUNT(*) AS whole FROM batch_results WHERE job_id = ? AND element = ?";
    return this.#sql.exec<{ whole: number }>(count, jobId, WHOLE).one().whole;
  }

  all(jobId: string): KeptResult[] {
    return this.#read("job_id = ? ORDER BY step, element", jobId);
  }

  /** One page, in the order of actions and elements. It has one result at least, whatever that takes. */
  page(jobId: string, { after, limit, bytes }: ResultQuery): ResultPage {
    const { step, element } = after ?? { step: WHOLE, element: WHOLE };
    const where = "job_id = ? AND (step, element) > (?, ?) ORDER BY step, element LIMIT ?+0";
    const found = this.#read(where, jobId, step, element, limit + 1);
    const results: KeptResult[] = [];
    let size = 0;
    for (const result of found.slice(0, limit)) {
      size += result.outcomeJson?.length ?? 0;
      if (results.length > 0 && size > bytes) break;
      results.push(result);
    }
    const [first] = results;
    const isInside = first !== undefined && first.element > 0;
    const [loop = null] = isInside
      ? this.#read("job_id = ? AND step = ? AND element = ?", jobId, first.step, WHOLE)
      : [];
    return { results, loop, hasMore: found.length > results.length };
  }

  /** How far a job has come; undefined if it is not one of these. */
  progress(jobId: string): JobProgress | undefined {
    const known = this.#known.get(jobId) ?? this.#count(jobId);
    if (known !== undefined) this.#known.set(jobId, known);
    return known;
  }

  #count(jobId: string): JobProgress | undefined {
    const [batch] = query<{ total: number }>(this.#sql)`
      SELECT total FROM batches WHERE job_id = ${jobId}`.toArray();
    if (batch === undefined) return undefined;
    // The result of a loop as a whole is no call.
    const count = `SELECT COUNT(*) AS done, COALESCE(SUM(json_extract(outcome_json, '$.status')
        NOT IN ('success', 'initiated', 'pending_confirmation')), 0) AS failed
      FROM batch_results AS one WHERE job_id = ? AND outcome_json IS NOT NULL
        AND COALESCE(json_extract(outcome_json, '$.error.code'), '') <> 'CANCELLED' AND (element >= 0 OR NOT EXISTS (
        SELECT 1 FROM batch_results WHERE job_id = one.job_id AND step = one.step AND element >= 0))`;
    const { done, failed } = this.#sql.exec<{ done: number; failed: number }>(count, jobId).one();
    return { done, failed, total: Math.max(done, batch.total) };
  }

  /** Forget batches whose jobs are gone. */
  forget(jobIds: readonly string[]): void {
    for (const jobId of jobIds) this.#known.delete(jobId);
    const ids = JSON.stringify(jobIds);
    for (const table of ["batches", "batch_results"])
      this.#sql.exec(`DELETE FROM ${table} WHERE job_id IN (SELECT value FROM json_each(?))`, ids);
  }

  #read(where: string, ...bindings: (string | number)[]): KeptResult[] {
    const rows = this.#sql.exec<ResultRow>(
      `SELECT step, element, outcome_json, in_doubt FROM batch_results WHERE ${where}`,
      ...bindings,
    );
    return Array.from(rows, ({ step, element, outcome_json: outcomeJson, in_doubt: inDoubt }) => ({
      step,
      element,
      outcomeJson,
      inDoubt: inDoubt === 1,
    }));
  }
}
