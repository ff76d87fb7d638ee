import { startChaosUpstream } from "./chaos-upstream.ts";
import type { LoopPlan } from "./plan-loop.ts";
import type { Fault } from "./fault.ts";
import { runFault } from "./run-fault.ts";
import { type LoopResult, runLoop } from "./run-loop.ts";
import { startVictim } from "./victim.ts";

export interface LoopsOptions {
  /** How the runtime is killed, or what breaks under it, a loop each. */
  readonly plans: readonly (LoopPlan | Fault)[];
  /** Runtimes that live, and die, side by side. */
  readonly lanes: number;
  /**
   * The state that is gone after each restart. Without `storage` every job must be lost, a test of this test; without `alarms`
   * the jobs are on record and nothing wakes their object.
   */
  readonly forgets?: "storage" | "alarms";
}

/** Short, so that the alarm takes over soon; longer than the usual delay of the upstream, so that few attempts outlive it. */
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
    await using victim = await startVictim({
      vars: { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: String(LEASE_MS) },
      ...(forgets !== undefined && { forgets }),
    });
    for (const [loop, plan] of queue) {
      const firstN = loop * 100;
      results.push(
        "kill" in plan
          ? await runLoop(victim, upstream, plan, firstN)
          : await runFault(victim.current.url, upstream, plan, firstN),
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, plans.length) }, runLane));
  return results;
}
