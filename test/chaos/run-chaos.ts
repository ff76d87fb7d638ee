import { parseArgs } from "node:util";
import { planLoop } from "./plan-loop.ts";
import { makeReport } from "./report.ts";
import { runLoops } from "./run-loops.ts";

// `npm run chaos`: kills the runtime with SIGKILL right after it answered `initiated`, starts it again on the same
// storage, and shows that every job ends. `--loops N` (20), `--quick` (5). Everything stays on 127.0.0.1.

const LANES = 4;
/** Each wait is bounded; this bounds all of them together. Leaving kills every runtime that was started. */
const WATCHDOG_MS = 115_000;

const { values } = parseArgs({
  options: { loops: { type: "string" }, quick: { type: "boolean", default: false } },
});
await runChaos(readLoops(values.loops ?? (values.quick ? "5" : "20")));

async function runChaos(loops: number): Promise<void> {
  const bound = WATCHDOG_MS * Math.max(1, loops / 20);
  const watchdog = setTimeout(() => {
    console.error(`Cannot finish: ${loops} loops took longer than ${Math.round(bound / 1000)} s`);
    process.exit(1);
  }, bound);
  const startedAt = performance.now();
  const plans = Array.from({ length: loops }, (_, loop) => planLoop(loop));
  const results = await runLoops({ plans, lanes: LANES });
  const { table, violations } = makeReport(results, performance.now() - startedAt);
  clearTimeout(watchdog);
  console.log(table);
  for (const violation of violations) console.error(violation);
  if (violations.length > 0) process.exitCode = 1;
}

function readLoops(text: string): number {
  const loops = Number(text);
  if (!Number.isInteger(loops) || loops < 1)
    throw new Error(`Cannot run chaos: '--loops' must be a positive integer, received '${text}'`);
  return loops;
}
