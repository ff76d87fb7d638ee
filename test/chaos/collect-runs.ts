import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosUpstream } from "./chaos-upstream.ts";
import { isFinal, LATE_MS, readJobs, until } from "./collect-evidence.ts";
import type { RunEvidence } from "./find-run-violations.ts";
import { deliverUntilTaken, HOOK_KEY, type HookEvent } from "./hook-flow.ts";

interface Sources {
  readonly url: string;
  readonly upstream: ChaosUpstream;
}

/** An event, and every run that its sender has been told of. */
export interface Told {
  readonly event: HookEvent;
  readonly jobIds: string[];
}

/**
 * Wait until the run of every event is final and nothing of it is under way at the upstream. Then deliver each event once
 * more, as a sender that never heard of its 202 does, and look again: what is over must stay what it is.
 */
export async function collectRuns(told: readonly Told[], { url, upstream }: Sources): Promise<RunEvidence[]> {
  const jobIds = told.flatMap((one) => one.jobIds);
  const ask = { url, jobIds: [...new Set(jobIds)], key: HOOK_KEY };
  const records = await readJobs({ ...ask, isWanted: isFinal });
  const isQuiet = (n: number): boolean =>
    [...upstream.attemptsOf(n, "/write"), ...upstream.attemptsOf(n, "/keyed")].every(
      ({ actedAt }) => actedAt !== null,
    );
  await until(() => told.every(({ event: { n } }) => isQuiet(n)));
  await repeat(told, url);
  await sleep(LATE_MS);
  const later = await readJobs({ ...ask, isWanted: () => true });
  return told.map(({ event: { n }, jobIds: [jobId = "", ...repeats] }) => ({
    n,
    jobIds: jobId === "" ? [] : [jobId, ...repeats],
    record: records.get(jobId) ?? null,
    later: later.get(jobId) ?? null,
    once: [...upstream.attemptsOf(n, "/write")],
    keyed: [...upstream.attemptsOf(n, "/keyed")],
  }));
}

/** Deliver every event again, and note what its sender is told. */
export async function repeat(told: readonly Told[], url: string): Promise<void> {
  await Promise.all(
    told.map(async ({ event, jobIds }) => {
      const jobId = await deliverUntilTaken(url, event);
      if (jobId !== null) jobIds.push(jobId);
    }),
  );
}
