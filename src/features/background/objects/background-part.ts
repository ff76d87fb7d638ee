import type { PartMethods } from "../../../core/contract/gate/part-call.ts";
import type { JobClaim } from "../../../core/contract/gate/job.ts";
import type { ObjectPart, OpenPart, PartHost, PartWorld } from "../../../cloudflare/durable/object-part.ts";
import { isLive } from "../../../core/gate/state/outbox.ts";
import { BATCH, type BatchEntry, type BatchMethods, readKeptBatch } from "../batch-job.ts";
import { BATCH_BACKLOGS, type BatchBacklogs, createBatchKind } from "./batch-kind.ts";
import { ResultTable } from "./result-table.ts";

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
  const methods: PartMethods<BatchMethods> = {
    open: (now, jobId, fence, { deadlineMs }) =>
      outbox.holds(jobId, fence)
        ? { endsAt: table.open(jobId, now + deadlineMs), kept: table.all(jobId) }
        : null,
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
    asker(now, jobId) {
      const spec = outbox.spec(jobId, now);
      return spec?.kind === BATCH && spec.toolJson !== undefined ? readKeptBatch(spec.toolJson).caller : null;
    },
  };
  return {
    methods,
    progress: (jobId) => table.progress(jobId),
    forget: (jobIds) => table.forget(jobIds),
  };
}

/** The ends among entries: that something is about to be sent is not true of what may not be sent any more. */
function endsOf({ results, ...entry }: BatchEntry): BatchEntry {
  return { ...entry, results: results.filter(({ outcomeJson }) => outcomeJson !== null) };
}
