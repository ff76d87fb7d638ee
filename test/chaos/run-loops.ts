import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "../support/sandbox.ts";
import { type ChaosUpstream, startChaosUpstream } from "./chaos-upstream.ts";
import type { LoopPlan } from "./plan-loop.ts";
import { type LoopResult, runLoop, type Victim } from "./run-loop.ts";

export interface LoopsOptions {
  readonly plans: readonly LoopPlan[];
  /** Runtimes that live, and die, side by side. */
  readonly lanes: number;
  /**
   * What is gone after each restart. Without `storage` every job must be lost, a test of this test; without `alarms` the
   * jobs are on record and nothing wakes their object.
   */
  readonly forgets?: "storage" | "alarms";
}

/** Short, so that the alarm takes over soon; longer than any delay of the upstream, so that no attempt outlives it. */
const LEASE_MS = 1_000;

/**
 * Run every plan, each against a runtime that is killed in it.
 *
 * Loops of one lane share a storage directory, so later ones die with an object that already has a history.
 */
export async function runLoops({ plans, lanes, forgets }: LoopsOptions): Promise<LoopResult[]> {
  await using upstream = await startChaosUpstream();
  const queue = plans.entries();
  const results: LoopResult[] = [];
  const runLane = async (): Promise<void> => {
    await using victim = await startVictim(upstream, forgets);
    for (const [loop, plan] of queue) results.push(await runLoop(victim, upstream, plan, loop * 100));
  };
  await Promise.all(Array.from({ length: Math.min(lanes, plans.length) }, runLane));
  return results;
}

async function startVictim(
  upstream: ChaosUpstream,
  forgets: LoopsOptions["forgets"],
): Promise<Victim & AsyncDisposable> {
  const storageDir = await mkdtemp(join(tmpdir(), "volley-chaos-"));
  const vars = { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: String(LEASE_MS) };
  const wipe = (): Promise<void> => rm(storageDir, { recursive: true, force: true });
  let current = await startSandbox({ storageDir, vars });
  return {
    get current() {
      return current;
    },
    kill: () => void current.kill("SIGKILL"),
    async bury() {
      await current[Symbol.asyncDispose]();
      if (forgets === "storage") await wipe();
      if (forgets === "alarms") await forgetAlarms(storageDir);
    },
    async start() {
      current = await startSandbox({ storageDir, port: current.port, vars });
    },
    async [Symbol.asyncDispose]() {
      await current[Symbol.asyncDispose]();
      await wipe();
    },
  };
}

/** workerd keeps a namespace's alarms in a database next to the objects' own. Rejects when there is none. */
async function forgetAlarms(storageDir: string): Promise<void> {
  const database = join(storageDir, "TenantGate", "metadata.sqlite");
  await rm(database);
  for (const suffix of ["-wal", "-shm"]) await rm(database + suffix, { force: true });
}
