import { setTimeout as sleep } from "node:timers/promises";
import { startChaosUpstream } from "./chaos-upstream.ts";
import { collectEvidence } from "./collect-evidence.ts";
import { collectRuns, repeat, type Told } from "./collect-runs.ts";
import { knock } from "./fault.ts";
import type { RunEvidence } from "./find-run-violations.ts";
import type { JobEvidence } from "./find-violations.ts";
import { keepHookFlow } from "./hook-flow.ts";
import { makeJobBatch } from "./job-batch.ts";
import { startVictim } from "./victim.ts";
import { exchange, sendBatch } from "./volley-client.ts";

export interface EvictionResult {
  readonly jobs: readonly JobEvidence[];
  readonly runs: readonly RunEvidence[];
  /** Objects that were created again without having crashed. */
  readonly evictions: number;
}

/** workerd evicts an object that was not asked anything for 10 s. */
const EVICTED_MS = 11_500;
const LEASE_MS = 13_000;
const FIRST_N = 2_000_000;

/** Cut off in its first write, in its second one; and one that finds its object evicted. */
const WRITES_MS = [300, 60, 100] as const;

/**
 * Cut off a batch's jobs, and runs of another tenant's flow. Ask nothing until the runtime has evicted their objects: then the
 * jobs are left to the alarm, and what the runs are of is delivered again, with one event more.
 */
export async function waitForEviction(): Promise<EvictionResult> {
  await using upstream = await startChaosUpstream();
  const vars = { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: String(LEASE_MS) };
  await using victim = await startVictim({ vars });
  const { url } = victim.current;
  await knock(url, "cut?ms=200");
  const batch = makeJobBatch(FIRST_N, () => 500);
  await keepHookFlow(url);
  const told = WRITES_MS.map((d, k): Told => ({ event: { n: FIRST_N + 100 + k, d }, jobIds: [] }));
  const promised = await sendBatch(url, { actions: batch.actions, streamed: false, onInitiated() {} });
  await repeat(told.slice(0, 2), url);
  await sleep(EVICTED_MS);
  await knock(url, "cut?ms=0");
  await repeat(told, url);
  await sleep(LEASE_MS + 500 - EVICTED_MS);
  const jobs = await collectEvidence(batch, { url, upstream, promised });
  const runs = await collectRuns(told, { url, upstream });
  const answer = await exchange(`${url}/chaos/lives`, { method: "POST" });
  const { lives } = JSON.parse(answer?.text ?? '{"lives":{}}') as { lives: Record<string, number> };
  return { jobs, runs, evictions: Object.values(lives).reduce((sum, count) => sum + count - 1, 0) };
}
