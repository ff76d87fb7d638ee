import { setTimeout as sleep } from "node:timers/promises";
import { startChaosUpstream } from "./chaos-upstream.ts";
import { collectEvidence } from "./collect-evidence.ts";
import { knock } from "./fault.ts";
import type { JobEvidence } from "./find-violations.ts";
import { makeJobBatch } from "./job-batch.ts";
import { startVictim } from "./victim.ts";
import { exchange, sendBatch } from "./volley-client.ts";

export interface EvictionResult {
  readonly jobs: readonly JobEvidence[];
  /** Objects that were created again without having crashed. */
  readonly evictions: number;
}

/** workerd evicts an object that nobody has asked anything for 10 s. */
const LEASE_MS = 13_000;
const FIRST_N = 2_000_000;

/** Cut a batch's jobs off, ask nothing until the runtime has evicted their objects, and see the alarms bring them back. */
export async function waitForEviction(): Promise<EvictionResult> {
  await using upstream = await startChaosUpstream();
  const vars = { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: String(LEASE_MS) };
  await using victim = await startVictim({ vars });
  const { url } = victim.current;
  await knock(url, "cut?ms=200");
  const batch = makeJobBatch(FIRST_N, () => 500);
  const promised = await sendBatch(url, { actions: batch.actions, streamed: false, onInitiated() {} });
  await sleep(LEASE_MS + 500);
  const jobs = await collectEvidence(batch, { url, upstream, promised });
  const answer = await exchange(`${url}/chaos/lives`, { method: "POST" });
  const { lives } = JSON.parse(answer?.text ?? '{"lives":{}}') as { lives: Record<string, number> };
  return { jobs, evictions: Object.values(lives).reduce((sum, count) => sum + count - 1, 0) };
}
