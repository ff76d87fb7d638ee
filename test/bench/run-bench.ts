import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { CONTENDERS } from "./contenders.ts";
import { measureCosts } from "./cost.ts";
import { measureDiamond } from "./diamond.ts";
import {
  type BenchOptions,
  measureLatency,
  measureThroughput,
  type Running,
  type Throughput,
} from "./measure.ts";
import { measurePlanning } from "./planning.ts";
import { makeReport } from "./report.ts";
import { measureStartUp } from "./start-up.ts";
import { startUpstream } from "./start-upstream.ts";

// `npm run bench`: builds what is deployed, runs it in raw workerd next to the baselines, and prints one report.
// Two minutes, or half a minute with --quick. Targets missed are printed, not failed: a shared machine decides too
// much. Everything stays on 127.0.0.1.

const FULL: BenchOptions = {
  batchSizes: [1, 3, 10, 25],
  connections: 16,
  rounds: 6,
  starts: 5,
  sliceMs: 800,
  warmupMs: 800,
  latency: { batchSize: 10, delayMs: 50, connections: 2, rounds: 6, sliceMs: 1200 },
};

const QUICK: BenchOptions = {
  ...FULL,
  batchSizes: [3, 10],
  rounds: 4,
  starts: 3,
  sliceMs: 400,
  latency: { ...FULL.latency, rounds: 3, sliceMs: 800 },
};

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
await runBench(values.quick ? QUICK : FULL);

async function runBench(options: BenchOptions): Promise<void> {
  const startedAt = performance.now();
  const load = loadavg()[0] ?? 0;
  await using resources = new AsyncDisposableStack();
  const upstream = resources.use(await startUpstream());
  const contenders: Running[] = [];
  for (const contender of CONTENDERS) {
    const started = await contender.start(upstream.url);
    resources.use(started.worker);
    contenders.push({ ...contender, ...started });
  }

  const throughput = new Map<number, Map<string, Throughput>>();
  for (const n of options.batchSizes) {
    process.stderr.write(`measuring throughput, N = ${n}\n`);
    throughput.set(n, await measureThroughput(contenders, n, options));
  }
  process.stderr.write("measuring latency\n");
  const latency = await measureLatency(contenders, options.latency);

  process.stderr.write("measuring planning and the diamond\n");
  const planning = await measurePlanning();
  const diamond = await measureDiamond();
  process.stderr.write("counting calls and rows\n");
  const costs = await measureCosts();

  process.stderr.write("measuring start-up\n");
  const startUps = await measureStartUp(options.starts);

  const { batchSize, delayMs, connections } = options.latency;
  const latencyTitle = `Latency, N = ${batchSize}, upstream ${delayMs} ms, ${connections} connections`;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(
    `${makeReport(contenders, { throughput, latency, latencyTitle, planning, diamond, costs, startUps })}\n\n` +
      `${options.rounds} interleaved rounds, ${options.connections} connections, ${seconds} s; ` +
      `load average at the start ${load.toFixed(1)}\n`,
  );
}
