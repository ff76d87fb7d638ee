import { startChaosUpstream } from "./chaos-upstream.ts";
import type { Fault } from "./fault.ts";
import { keepHookFlow, readRunIds } from "./hook-flow.ts";
import type { HookLoopPlan } from "./plan-hook-loop.ts";
import { type HookLoopResult, runHookLoop } from "./run-hook-loop.ts";
import { startVictim } from "./victim.ts";

export interface HookLoopsOptions {
  /** How the runtime is killed, or what breaks under it, a loop each. */
  readonly plans: readonly (HookLoopPlan | Fault)[];
  /** Runtimes that live, and die, side by side. */
  readonly lanes: number;
  /**
   * The table that is gone after each restart, a test of this test: without the causes of the runs a repeated delivery runs
   * twice, and without their steps a write is repeated.
   */
  readonly forgets?: "run_causes" | "run_steps";
}

export interface HookLoops {
  readonly loops: readonly HookLoopResult[];
  /** Runs on record that no sender was ever told of. */
  readonly strangers: readonly string[];
}

/** Short: a run that is interrupted is taken over after this and its flow's own time. */
const LEASE_MS = 500;
const FIRST_N = 3_000_000;

/** Run every plan, each against a runtime that is killed in it, or breaks, while runs of a flow with a webhook go on. */
export async function runHookLoops({ plans, lanes, forgets }: HookLoopsOptions): Promise<HookLoops> {
  await using upstream = await startChaosUpstream();
  const queue = plans.entries();
  const loops: HookLoopResult[] = [];
  const strangers: string[] = [];
  const runLane = async (): Promise<void> => {
    const vars = { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: String(LEASE_MS) };
    await using victim = await startVictim({ vars, ...(forgets !== undefined && { forgets }) });
    await keepHookFlow(victim.current.url);
    const told = new Set<string>();
    for (const [loop, plan] of queue) {
      const result = await runHookLoop(victim, upstream, plan, FIRST_N + loop * 10);
      loops.push(result);
      for (const { jobIds } of result.runs) for (const jobId of jobIds) told.add(jobId);
    }
    strangers.push(...(await readRunIds(victim.current.url)).filter((id) => !told.has(id)));
  };
  await Promise.all(Array.from({ length: Math.min(lanes, plans.length) }, runLane));
  return { loops, strangers };
}
