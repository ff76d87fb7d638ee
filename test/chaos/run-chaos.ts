import { parseArgs } from "node:util";
import { FAULTS } from "./fault.ts";
import { fillBacklog } from "./fill-backlog.ts";
import { loseRuns } from "./lose-runs.ts";
import { missClock } from "./miss-clock.ts";
import { killPairs } from "./pairs/kill-pairs.ts";
import { HOOK_FAULTS, planHookLoop } from "./plan-hook-loop.ts";
import { planLoop } from "./plan-loop.ts";
import { makeReport } from "./report.ts";
import { runHookLoops } from "./run-hook-loops.ts";
import { runLoops } from "./run-loops.ts";
import { runStorm } from "./storm.ts";
import { undoRuns } from "./undo-runs.ts";
import { waitBehind } from "./wait-behind.ts";
import { waitForEviction } from "./wait-for-eviction.ts";

// `npm run chaos`: kills the runtime with SIGKILL right after it answered `initiated`, or a webhook's 202, breaks the
// platform under it in every way we know, kills it while two features write at once, and shows that every job and every run ends and no limit is passed. `--loops N`
// (50 of each), `--quick`, `--seed N` for the batches that are undone and the pairs. Everything stays on 127.0.0.1.

const LANES = 4;
/** These mostly wait for leases. */
const HOOK_LANES = 8;
/** Each wait is bounded; this bounds all of them together. Leaving kills every runtime that was started. */
const WATCHDOG_MS = 900_000;
/** The plans of the batches that are undone, unless said. */
const SEED = 1;

const { values } = parseArgs({
  options: {
    loops: { type: "string" },
    quick: { type: "boolean", default: false },
    seed: { type: "string" },
  },
});
const loops = readNumber(values.loops ?? (values.quick ? "5" : "50"), "--loops");
await runChaos(loops, { quick: values.quick, seed: readNumber(values.seed ?? String(SEED), "--seed") });

async function runChaos(
  kills: number,
  { quick, seed }: { readonly quick: boolean; readonly seed: number },
): Promise<void> {
  const watchdog = setTimeout(() => {
    console.error(`Cannot finish: the run took longer than ${Math.round(WATCHDOG_MS / 1000)} s`);
    process.exit(1);
  }, WATCHDOG_MS);
  const startedAt = performance.now();
  const faults = Array.from({ length: quick ? 1 : 4 }, () => FAULTS).flat();
  const plans = [...Array.from({ length: kills }, (_, loop) => planLoop(loop)), ...faults];
  const loops = await runLoops({ plans, lanes: LANES });
  const hookFaults = Array.from({ length: quick ? 1 : 4 }, () => HOOK_FAULTS).flat();
  const hookPlans = [...Array.from({ length: kills }, (_, loop) => planHookLoop(loop)), ...hookFaults];
  const hooks = await runHookLoops({ plans: hookPlans, lanes: HOOK_LANES });
  const [storm, eviction, clock] = await Promise.all([
    runStorm(quick ? 2 : 9),
    waitForEviction(),
    missClock(),
  ]);
  const backlog = await fillBacklog();
  const runs = await loseRuns(quick ? 3 : 20);
  const undone = await undoRuns({ runs: 4 * kills, kills, seed });
  const behind = await waitBehind({ long: 20, elements: quick ? 100 : 250 });
  const pairs = await killPairs(quick ? 2 : 20, seed);
  const elapsedMs = performance.now() - startedAt;
  const { table, violations } = makeReport({
    loops,
    hooks,
    storm,
    backlog,
    eviction,
    clock,
    runs,
    undone,
    behind,
    pairs,
    elapsedMs,
  });
  clearTimeout(watchdog);
  console.log(table);
  for (const violation of violations) console.error(violation);
  if (violations.length > 0) process.exitCode = 1;
}

function readNumber(text: string, option: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`Cannot run chaos: '${option}' must be a positive integer, received '${text}'`);
  return number;
}
