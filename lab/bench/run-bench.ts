import { loadavg } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { type AgentSlices, measureAgent } from "./agent.ts";
import { makeAgentTables } from "./agent-report.ts";
import { compareInBackground, compareWithHand, compareWithOther } from "./by-hand.ts";
import {
  BEHIND_SLOTS,
  Bundles,
  FOR_LATENCY,
  otherAt,
  WITH_JOB_BEHIND_SLOTS,
  WITHOUT_SLOTS,
} from "./contenders.ts";
import { measureCosts } from "./cost.ts";
import { measureDiamond } from "./diamond.ts";
import {
  type EventStream,
  type EventStreamOptions,
  makeEventStreamTable,
  measureEventStream,
} from "./event-stream.ts";
import { SENDERS } from "./endpoint-rig.ts";
import { type FanOut, makeFanOutTable, measureFanOut } from "./fan-out.ts";
import { measureGateCalls } from "./gate-calls.ts";
import { measureLatency, type Slices, startAll, warmUp } from "./measure.ts";
import { measurePlanning } from "./planning.ts";
import {
  makeBundleLine,
  makeCostTable,
  makeCpuTable,
  makeDiamondTable,
  makeGateCallsTable,
  makeLatencyTable,
  makePlanningLine,
  makeStartUpTable,
  makeWebhookTable,
} from "./report.ts";
import { makeSlowEndpointTable, measureSlowEndpoint, type SlowEndpointOptions } from "./slow-endpoint.ts";
import { measureStartUp } from "./start-up.ts";
import { Rig, type RigOptions } from "./rig.ts";
import { startUpstream, type Upstream } from "./start-upstream.ts";
import { TARGETS } from "./targets.ts";
import { measureWebhooks } from "./webhooks.ts";

// `npm run bench` builds Volley as it is deployed, runs it in raw workerd next to the baselines, and prints one report. Eight
// minutes, or two with --quick; `npm run bench -- cpu gate` measures only that, and `npm run bench -- hand --beside=PATH --n=25 --pairs=5`
// compares core with that of another checkout. Targets missed are printed, not failed: a shared
// machine decides too much. Everything stays on 127.0.0.1. The loaded Worker, its upstream and this process, which makes the
// load, are processes of their own.

interface Options {
  readonly batchSizes: readonly number[];
  /** Pairs of processes that are compared with the Worker written by hand. */
  readonly pairs: number;
  /** Another checkout, or another Worker's file, that is compared with core instead of every feature. */
  readonly beside?: string | undefined;
  /** How long each contender is loaded before its CPU is looked at. */
  readonly compileMs: number;
  readonly cpu: RigOptions;
  readonly latency: Slices;
  readonly agent: AgentSlices;
  readonly gateMs: number;
  /** So many endpoints an event goes to. */
  readonly fanOut: readonly number[];
  /** Events in a stream, to the same endpoints. */
  readonly streams: readonly EventStreamOptions[];
  readonly slowEndpoint: SlowEndpointOptions;
  readonly starts: number;
}

interface Bench {
  readonly bundles: Bundles;
  readonly upstream: Upstream;
  readonly options: Options;
}

const FULL: Options = {
  batchSizes: [1, 3, 10, 25],
  pairs: 9,
  compileMs: 8_000,
  cpu: { processes: 2, connections: 12, rounds: 40, compileRounds: 80, warmUpRounds: 10 },
  latency: { connections: 4, rounds: 6, sliceMs: 1_500, warmupMs: 1_000 },
  agent: { warmupMs: 1_000, rounds: 5, sliceMs: 400, aloneMs: 1_200, streamRounds: 3, streamMs: 1_500 },
  gateMs: 12_000,
  fanOut: [1_000, 10_000],
  streams: [
    { endpoints: 20, perSecond: 25, seconds: 60 },
    { endpoints: 20, perSecond: 100, seconds: 60 },
  ],
  slowEndpoint: { pairs: 3, seconds: 30 },
  starts: 10,
};

const QUICK: Options = {
  batchSizes: [3, 10],
  pairs: 3,
  compileMs: 4_000,
  cpu: { processes: 2, connections: 12, rounds: 16, compileRounds: 40, warmUpRounds: 5 },
  latency: { connections: 4, rounds: 2, sliceMs: 800, warmupMs: 600 },
  agent: { warmupMs: 600, rounds: 2, sliceMs: 250, aloneMs: 500, streamRounds: 1, streamMs: 1_000 },
  gateMs: 6_000,
  fanOut: [1_000],
  streams: [{ endpoints: 20, perSecond: 25, seconds: 10 }],
  slowEndpoint: { pairs: 1, seconds: 20 },
  starts: 4,
};

const SECTIONS: Readonly<Record<string, (bench: Bench) => Promise<readonly string[]>>> = {
  cpu: measureCpu,
  hand: ({ options, ...bench }) =>
    options.beside === undefined
      ? compareWithHand(options, bench)
      : compareWithOther(otherAt(resolve(options.beside)), options, bench),
  background: ({ options, ...bench }) => compareInBackground(options, bench),
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
  "fan-out": async ({ options }) => {
    const measured: FanOut[] = [];
    for (const endpoints of options.fanOut)
      for (const sender of SENDERS) measured.push(await measureFanOut(sender, endpoints));
    const streams: EventStream[] = [];
    for (const stream of options.streams)
      for (const sender of SENDERS) streams.push(await measureEventStream(sender, stream));
    return [...makeFanOutTable(measured), "", ...makeEventStreamTable(streams)];
  },
  "slow-endpoint": async ({ options }) =>
    makeSlowEndpointTable(await measureSlowEndpoint(options.slowEndpoint)),
  agent: async ({ options, ...bench }) => makeAgentTables(await measureAgent(options.agent, bench)),
};

const QUICK_SECTIONS: readonly string[] = ["cpu", "job", "latency", "gate", "start", "agent"];

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      n: { type: "string" },
      pairs: { type: "string" },
      beside: { type: "string" },
    },
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
  const preset = values.quick ? QUICK : FULL;
  const options: Options = {
    ...preset,
    batchSizes: values.n?.split(",").map(Number) ?? preset.batchSizes,
    pairs: Number(values.pairs ?? preset.pairs),
    beside: values.beside,
  };
  const bench: Bench = { bundles, upstream, options };
  for (const [name, measure] of Object.entries(SECTIONS)) {
    if (!asked.includes(name)) continue;
    process.stderr.write(`measuring ${name}\n`);
    process.stdout.write(`${(await measure(bench)).join("\n")}\n\n`);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(`${seconds} s; load average at the start ${busyBefore.toFixed(1)}\n`);
}

async function measureCpu(bench: Bench): Promise<string[]> {
  const lines: string[] = [];
  const kinds = { slots: BEHIND_SLOTS, plain: WITHOUT_SLOTS };
  await using rig = await Rig.start(kinds, bench.options.cpu, bench);
  for (const n of bench.options.batchSizes) {
    const { slots, plain } = await rig.measure(n);
    lines.push(...makeCpuTable(`N = ${n}`, { slots, plain }, TARGETS.cpuRatio.get(n)), "");
  }
  return [...lines, rig.sayOthers()];
}

async function measureJob(bench: Bench): Promise<string[]> {
  await using rig = await Rig.start({ slots: WITH_JOB_BEHIND_SLOTS }, bench.options.cpu, bench);
  const { slots } = await rig.measure(3);
  return [
    ...makeCpuTable("N = 3, one of them in the background", { slots }, TARGETS.jobCpuRatio),
    rig.sayOthers(),
  ];
}

async function measureDelays({ options, bundles, upstream }: Bench): Promise<string[]> {
  await using resources = new AsyncDisposableStack();
  const running = await startAll(FOR_LATENCY, { bundles, upstream, resources });
  await warmUp(running, { n: 10, connections: options.latency.connections, durationMs: options.compileMs });
  const measured = await measureLatency(running, { slices: options.latency, n: 10, delayMs: 50 });
  const title = `Latency, N = 10, upstream 50 ms, ${options.latency.connections} connections`;
  return makeLatencyTable(title, measured);
}
