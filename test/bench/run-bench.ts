import { loadavg } from "node:os";
import { parseArgs } from "node:util";

import { type AgentSlices, measureAgent } from "./agent.ts";
import { makeAgentTables } from "./agent-report.ts";
import { Bundles, CONTENDERS, FOR_LATENCY, WITH_JOB } from "./contenders.ts";
import { measureCosts } from "./cost.ts";
import { measureDiamond } from "./diamond.ts";
import { measureGateCalls } from "./gate-calls.ts";
import { Confounders, measureLatency, measureThroughput, type Slices, startAll, warmUp } from "./measure.ts";
import { measurePlanning } from "./planning.ts";
import {
  makeBundleLine,
  makeCostTable,
  makeDiamondTable,
  makeGateCallsTable,
  makeLatencyTable,
  makePlanningLine,
  makeStartUpTable,
  makeThroughputTable,
  makeWebhookTable,
} from "./report.ts";
import { measureStartUp } from "./start-up.ts";
import { startUpstream, type Upstream } from "./start-upstream.ts";
import { TARGETS } from "./targets.ts";
import { measureWebhooks } from "./webhooks.ts";

// `npm run bench` builds Volley as it is deployed, runs it in raw workerd next to the baselines, and prints one report. Eight
// minutes, or two with --quick; `npm run bench -- cpu gate` measures only that. Targets missed are printed, not failed: a shared
// machine decides too much. Everything stays on 127.0.0.1. The loaded Worker, its upstream and this process, which makes the
// load, are processes of their own.

interface Options {
  readonly batchSizes: readonly number[];
  /** How long each contender is loaded before its CPU is looked at. */
  readonly compileMs: number;
  readonly cpu: Slices;
  readonly latency: Slices;
  readonly agent: AgentSlices;
  readonly gateMs: number;
  readonly starts: number;
}

interface Bench {
  readonly bundles: Bundles;
  readonly upstream: Upstream;
  readonly options: Options;
}

const FULL: Options = {
  batchSizes: [1, 3, 10, 25],
  compileMs: 8_000,
  cpu: { connections: 16, rounds: 11, sliceMs: 400, warmupMs: 1_000 },
  latency: { connections: 4, rounds: 6, sliceMs: 1_500, warmupMs: 1_000 },
  agent: { warmupMs: 1_000, rounds: 5, sliceMs: 400, aloneMs: 1_200, streamRounds: 3, streamMs: 1_500 },
  gateMs: 12_000,
  starts: 10,
};

const QUICK: Options = {
  batchSizes: [3, 10],
  compileMs: 4_000,
  cpu: { connections: 16, rounds: 4, sliceMs: 300, warmupMs: 600 },
  latency: { connections: 4, rounds: 2, sliceMs: 800, warmupMs: 600 },
  agent: { warmupMs: 600, rounds: 2, sliceMs: 250, aloneMs: 500, streamRounds: 1, streamMs: 1_000 },
  gateMs: 6_000,
  starts: 4,
};

const SECTIONS: Readonly<Record<string, (bench: Bench) => Promise<readonly string[]>>> = {
  cpu: measureCpu,
  job: measureJob,
  latency: measureDelays,
  gate: async ({ options, ...bench }) => makeGateCallsTable(await measureGateCalls(options.gateMs, bench)),
  start: async ({ options, bundles, upstream }) => [
    ...makeStartUpTable(await measureStartUp(options.starts, { bundles, upstream })),
    makeBundleLine((await bundles.get({ config: "wrangler.toml" })).gzipBytes),
  ],
  rows: async () => makeCostTable(await measureCosts()),
  planning: async () => [makePlanningLine(await measurePlanning())],
  diamond: async () => makeDiamondTable(await measureDiamond()),
  webhooks: async ({ upstream }) => makeWebhookTable(await measureWebhooks(upstream.url)),
  agent: async ({ options, ...bench }) => makeAgentTables(await measureAgent(options.agent, bench)),
};

const QUICK_SECTIONS: readonly string[] = ["cpu", "job", "latency", "gate", "start", "agent"];

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { quick: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown !== undefined)
    throw new Error(
      `Cannot run the bench: there is no '${unknown}', only ${Object.keys(SECTIONS).join(", ")}`,
    );

  const all = Object.keys(SECTIONS);
  const asked = positionals.length > 0 ? positionals : values.quick ? QUICK_SECTIONS : all;
  const startedAt = performance.now();
  const busyBefore = loadavg()[0] ?? 0;
  await using upstream = await startUpstream();
  await using bundles = new Bundles();
  const bench: Bench = { bundles, upstream, options: values.quick ? QUICK : FULL };
  for (const [name, measure] of Object.entries(SECTIONS)) {
    if (!asked.includes(name)) continue;
    process.stderr.write(`measuring ${name}\n`);
    process.stdout.write(`${(await measure(bench)).join("\n")}\n\n`);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(`${seconds} s; load average at the start ${busyBefore.toFixed(1)}\n`);
}

async function measureCpu({ options, bundles, upstream }: Bench): Promise<string[]> {
  await using resources = new AsyncDisposableStack();
  const running = await startAll(CONTENDERS, { bundles, upstream, resources });
  const { connections } = options.cpu;
  await warmUp(running, { n: 3, connections, durationMs: options.compileMs });
  const confounders = new Confounders();
  const lines: string[] = [];
  for (const n of options.batchSizes) {
    const all = await measureThroughput(running, n, { slices: options.cpu, upstream, confounders });
    lines.push(...makeThroughputTable(`N = ${n}`, all, TARGETS.cpuRatio.get(n)), "");
  }
  return [...lines, sayConfounders(confounders, options)];
}

async function measureJob({ options, bundles, upstream }: Bench): Promise<string[]> {
  await using resources = new AsyncDisposableStack();
  const running = await startAll(WITH_JOB, { bundles, upstream, resources });
  const confounders = new Confounders();
  const all = await measureThroughput(running, 3, { slices: options.cpu, upstream, confounders });
  return [
    ...makeThroughputTable("N = 3, one of them in the background", all, TARGETS.jobCpuRatio),
    sayConfounders(confounders, options),
  ];
}

async function measureDelays({ options, bundles, upstream }: Bench): Promise<string[]> {
  await using resources = new AsyncDisposableStack();
  const running = await startAll(FOR_LATENCY, { bundles, upstream, resources });
  const { connections } = options.cpu;
  await warmUp(running, { n: 10, connections, durationMs: options.compileMs });
  const measured = await measureLatency(running, { slices: options.latency, n: 10, delayMs: 50 });
  const title = `Latency, N = 10, upstream 50 ms, ${options.latency.connections} connections`;
  return makeLatencyTable(title, measured);
}

/** Say the other users of the machine meanwhile; above a fifth of a CPU of others, only ratios mean much. */
function sayConfounders({ benchCpus, otherCpus }: Confounders, { cpu }: Options): string {
  return (
    `${cpu.rounds} interleaved rounds of ${cpu.sliceMs} ms, ${cpu.connections} connections. CPUs used meanwhile by the ` +
    `upstream and the load: ${benchCpus.toFixed(2)}; by everything else on this machine: ${otherCpus.toFixed(2)}`
  );
}
