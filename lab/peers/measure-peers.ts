import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { Bundles } from "../bench/contenders.ts";
import { readCpuMicros, readMachineMicros } from "../bench/cpu-time.ts";
import { Confounders } from "../bench/measure.ts";
import { batchesOfSlice, PAUSE_MS } from "../bench/rig.ts";
import { startUpstream, type Upstream } from "../bench/start-upstream.ts";
import type { Fault } from "./check-answer.ts";
import type { Contestant } from "./contestant.ts";
import { countLost } from "./count-lost.ts";
import type { LoadReport } from "./load-and-check.ts";
import type { LoadOrder } from "./load-process.ts";
import { type RunningServer, startContestant } from "./start-contestant.ts";

export interface PeerOptions {
  readonly sizes: readonly number[];
  /** Processes of each contestant. */
  readonly processes: number;
  readonly connections: number;
  readonly rounds: number;
  /** Slices before the first that counts: until a server's code is compiled, and at each later size. */
  readonly compileRounds: number;
  readonly warmUpRounds: number;
}

/** One process of a contestant at one size of batch: a value for each round. */
export interface Series {
  readonly name: string;
  readonly n: number;
  readonly perSecond: number[];
  readonly cpuMicros: number[];
  readonly latenciesMs: number[];
  /** Resident after each slice. */
  readonly rssMiB: number[];
  /** Batches whose answers were looked at, those of the warm-up and of before included. */
  checked: number;
  readonly faults: Partial<Record<Fault, number>>;
  /** The first answer that was not what it should have been, or why nothing could be measured. */
  example: string | null;
}

export interface Measured {
  readonly series: readonly Series[];
  /** CPUs busy on average while somebody was loaded: of the load and the upstream, and of everything else. */
  readonly benchCpus: number;
  readonly otherCpus: number;
}

/** After a load: for an answer that hangs. */
const PATIENCE_MS = 10_000;
/** And for calls in the background: longer than a lease, after which a job whose first attempt was lost is tried again. */
const CALLS_PATIENCE_MS = 60_000;
/**
 * Measure contestants at each size of batch, one at a time, in short slices of which each round has one of each in another
 * order, so what the machine does over time hits all alike.
 *
 * Server, load and upstream are processes of their own; CPU and memory are the server's alone. Every answer is checked, and
 * none of what is wrong ends the run: it is counted.
 */
export async function measurePeers(
  contestants: readonly Contestant[],
  options: PeerOptions,
  tell: (text: string) => void,
): Promise<Measured> {
  await using resources = new AsyncDisposableStack();
  const upstream = resources.use(await startUpstream());
  const bundles = resources.use(new Bundles());
  const loader = resources.use(new Loader());
  const confounders = new Confounders();
  const servers: { readonly contestant: Contestant; readonly server: RunningServer | Error }[] = [];
  for (const contestant of contestants) {
    tell(`starting ${contestant.name}`);
    for (let one = 0; one < options.processes; one += 1) {
      const server = await startContestant(contestant, { bundles, upstream }).catch(toError);
      servers.push({ contestant, server: server instanceof Error ? server : resources.use(server) });
    }
  }
  const series: Series[] = [];
  for (const n of options.sizes) {
    const runs: Run[] = [];
    const { connections, rounds } = options;
    const warmUps = n === options.sizes[0] ? options.compileRounds : options.warmUpRounds;
    for (const { contestant, server } of servers) {
      const run = new Run(contestant, n, { loader, upstream, confounders, connections });
      series.push(run.series);
      tell(`N = ${n}: ${contestant.name} begins`);
      if (await run.begin(server, warmUps)) runs.push(run);
    }
    for (let round = 1; round <= rounds; round += 1) {
      tell(`N = ${n}: round ${round} of ${rounds}`);
      for (const run of shuffle(runs)) await run.measure();
    }
  }
  return { series, benchCpus: confounders.benchCpus, otherCpus: confounders.otherCpus };
}

interface Around {
  readonly loader: Loader;
  readonly upstream: Upstream;
  readonly confounders: Confounders;
  readonly connections: number;
}

/** One contestant at one size of batch. */
class Run {
  readonly series: Series;
  readonly #contestant: Contestant;
  readonly #around: Around;
  #server: RunningServer | null = null;
  #cpuBefore = 0;

  constructor(contestant: Contestant, n: number, around: Around) {
    const { name } = contestant;
    const figures = { perSecond: [], cpuMicros: [], latenciesMs: [], rssMiB: [] };
    this.series = { name, n, ...figures, checked: 0, faults: {}, example: null };
    this.#contestant = contestant;
    this.#around = around;
  }

  /** Prepare it, look whether it answers as it should, one batch at a time, and warm it up; false where it does not. */
  async begin(server: RunningServer | Error, warmUps: number): Promise<boolean> {
    if (server instanceof Error) return this.#refuse(server.message);
    this.#server = server;
    try {
      await this.#contestant.prepare?.(server.url, this.#around.upstream.url, this.series.n);
    } catch (error) {
      return this.#refuse(toError(error).message);
    }
    await this.#load({ connections: 1, batches: 10 });
    if (Object.keys(this.series.faults).length > 0) return false;
    for (let round = 0; round < warmUps; round += 1) await this.#load({});
    this.#cpuBefore = readCpuMicros(server.pid);
    return true;
  }

  /** Measure one slice. Its CPU is that of the process since its last slice, so that work after the answers counts. */
  async measure(): Promise<void> {
    const { upstream, loader, confounders } = this.#around;
    const { pid } = this.#server!;
    const readBench = (): number => readCpuMicros(upstream.pid) + readCpuMicros(loader.pid);
    const before = { machine: readMachineMicros(), bench: readBench(), at: performance.now() };
    const { latenciesMs, seconds } = await this.#load({});
    await sleep(PAUSE_MS);
    const cpu = readCpuMicros(pid);
    const worker = cpu - this.#cpuBefore;
    this.#cpuBefore = cpu;
    confounders.add({
      worker,
      machine: readMachineMicros() - before.machine,
      bench: readBench() - before.bench,
      wallMs: performance.now() - before.at,
    });
    const answered = latenciesMs.length;
    if (answered === 0) return;
    this.series.perSecond.push(answered / seconds);
    this.series.cpuMicros.push(worker / answered);
    this.series.latenciesMs.push(...latenciesMs);
    this.series.rssMiB.push(readRssMiB(pid));
  }

  /** Load it, and where its calls are made after its answers wait for them: their time is the batches' too. */
  async #load(how: { readonly connections?: number; readonly batches?: number }): Promise<LoadReport> {
    const { loader, upstream, connections } = this.#around;
    const { name, inBackground } = this.#contestant;
    const { n } = this.series;
    const jobsBefore = inBackground ? await readJobs(upstream) : 0;
    const order = {
      contestant: name,
      n,
      url: this.#server!.url,
      patienceMs: PATIENCE_MS,
      connections,
      batches: batchesOfSlice(n, connections),
      ...how,
    };
    const report = await loader.load(order);
    const answered = report.latenciesMs.length;
    this.series.checked += answered;
    this.#count(report.faults, report.example);
    if (!inBackground) return report;
    const startedAt = performance.now();
    const promised = answered * n;
    const readMade = async (): Promise<number> => (await readJobs(upstream)) - jobsBefore;
    const lost = await countLost(promised, readMade, CALLS_PATIENCE_MS);
    if (lost > 0) this.#count({ lost }, `lost: ${lost} calls of ${promised}`);
    return { ...report, seconds: report.seconds + (performance.now() - startedAt) / 1_000 };
  }

  #count(faults: LoadReport["faults"], example: string | null): void {
    for (const [fault, times] of Object.entries(faults) as [Fault, number][])
      this.series.faults[fault] = (this.series.faults[fault] ?? 0) + times;
    this.series.example ??= example;
  }

  #refuse(why: string): false {
    this.#count({ missing: 1 }, why);
    return false;
  }
}

/** The process that makes the load. */
class Loader implements Disposable {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL("load-process.ts", import.meta.url)));
  readonly #gone = once(this.#child, "exit").then(() => {
    throw new Error("The load's process has ended");
  });

  constructor() {
    this.#gone.catch(() => {});
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async load(order: LoadOrder): Promise<LoadReport> {
    const answered = once(this.#child, "message");
    this.#child.send(order);
    const [report] = (await Promise.race([answered, this.#gone])) as [LoadReport];
    return report;
  }

  [Symbol.dispose](): void {
    this.#child.disconnect();
  }
}

/** Calls in the background that the upstream has had, each counted once. */
async function readJobs({ url }: Upstream): Promise<number> {
  const response = await fetch(`${url}/jobs`);
  return ((await response.json()) as { readonly n: number }).n;
}

function readRssMiB(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1_024;
  } catch {
    return Number.NaN;
  }
}

function shuffle<T>(items: readonly T[]): T[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0]!);
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
