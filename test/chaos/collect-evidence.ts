import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosUpstream } from "./chaos-upstream.ts";
import type { JobEvidence } from "./find-violations.ts";
import { idOf, type JobBatch } from "./job-batch.ts";
import { type JobView, readJob } from "./volley-client.ts";

/** A job takes a lease, a backoff and its delay per fault; many times that is lost, not slow. */
const WAIT_MS = 60_000;
/** Time after the last answer of the upstream: the report of an attempt that has no waiting caller any more is in by then. */
export const LATE_MS = 50;
const FINAL = new Set(["succeeded", "failed", "dead", "cancelled", "unknown"]);

export const isFinal = ({ status }: JobView): boolean => FINAL.has(status);

interface Sources {
  readonly url: string;
  readonly upstream: ChaosUpstream;
  /** Action id to job id, of what was promised. */
  readonly promised: ReadonlyMap<string, string>;
}

/**
 * Wait until every promised job is final, and then until nothing of it is under way at the upstream: a job that is over
 * must stay what it is, whatever a late attempt reports.
 */
export async function collectEvidence(
  { numbers, once }: JobBatch,
  { url, upstream, promised }: Sources,
): Promise<JobEvidence[]> {
  const jobIds = [...promised.values()];
  const records = await readJobs({ url, jobIds, isWanted: isFinal });
  await until(() =>
    numbers.every((n) => upstream.attemptsOf(n).every(({ actedAt, refused }) => refused || actedAt !== null)),
  );
  await sleep(LATE_MS);
  const later = await readJobs({ url, jobIds, isWanted: () => true });
  return numbers.map((n) => {
    const jobId = promised.get(idOf(n)) ?? null;
    return {
      n,
      once: once.has(n),
      jobId,
      record: records.get(jobId ?? "") ?? null,
      later: later.get(jobId ?? "") ?? null,
      attempts: [...upstream.attemptsOf(n)],
    };
  });
}

/** Poll until every job is as wanted or gone, or none has become so for the time: a thousand of them take as long as the machine needs. */
export async function readJobs({
  url,
  jobIds,
  isWanted,
  key,
}: {
  readonly url: string;
  readonly jobIds: readonly string[];
  readonly isWanted: (record: JobView) => boolean;
  readonly key?: string;
}): Promise<ReadonlyMap<string, JobView | null>> {
  const records = new Map<string, JobView | null>();
  const isOver = (id: string): boolean => {
    const record = records.get(id);
    return record === null || (record !== undefined && isWanted(record));
  };
  let endsAt = performance.now() + WAIT_MS;
  while (!jobIds.every(isOver) && performance.now() < endsAt) {
    for (const id of jobIds.filter((id) => !isOver(id))) {
      const record = await readJob(url, id, key);
      if (record === undefined) continue;
      records.set(id, record);
      if (isOver(id)) endsAt = performance.now() + WAIT_MS;
    }
    await sleep(50);
  }
  return records;
}

/** Wait until it holds, or the time is up: the caller looks again. */
export async function until(holds: () => boolean): Promise<void> {
  const endsAt = performance.now() + WAIT_MS;
  while (!holds() && performance.now() < endsAt) await sleep(10);
}
