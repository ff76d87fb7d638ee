import { startWorkerd, type Workerd } from "../../test/support/workerd.ts";
import { type Bundles, type Contender, makeBatchRequest } from "./contenders.ts";
import { type LoadResult, runLoad } from "./load.ts";
import type { Upstream } from "./start-upstream.ts";
import { quantile } from "./statistics.ts";

export interface Running extends Contender {
  readonly worker: Workerd;
}

export interface Slices {
  readonly connections: number;
  readonly rounds: number;
  readonly sliceMs: number;
  readonly warmupMs: number;
}

export interface Latency {
  readonly label: string;
  /** One of each per round: the difference to a baseline is only meant within one. */
  readonly p50sMs: number[];
  readonly p99sMs: number[];
  readonly all: number[];
}

/** The users of the machine while a contender was loaded, as CPUs busy on average: the contender, the bench, others. */
export class Confounders {
  #wallMs = 0;
  #bench = 0;
  #others = 0;

  add(of: {
    readonly wallMs: number;
    readonly machine: number;
    readonly worker: number;
    bench: number;
  }): void {
    this.#wallMs += of.wallMs;
    this.#bench += of.bench;
    this.#others += of.machine - of.worker - of.bench;
  }

  get benchCpus(): number {
    return this.#bench / this.#wallMs / 1000;
  }

  get otherCpus(): number {
    // Ticks of the whole machine against nanoseconds of processes: nothing can come out a little below nothing.
    return Math.max(0, this.#others / this.#wallMs / 1000);
  }
}

/** Start contenders, each in a process of its own, all before one upstream. */
export async function startAll(
  contenders: readonly Contender[],
  { bundles, upstream, resources }: { bundles: Bundles; upstream: Upstream; resources: AsyncDisposableStack },
): Promise<readonly Running[]> {
  const running: Running[] = [];
  for (const contender of contenders) {
    const worker = resources.use(await startContender(contender, { bundles, upstream }));
    running.push({ ...contender, worker });
  }
  return running;
}

export async function startContender(
  { source, setup }: Contender,
  { bundles, upstream }: { readonly bundles: Bundles; readonly upstream: Upstream },
): Promise<Workerd> {
  const { path: script } = await bundles.get(source);
  return startWorkerd({ ...setup, script, vars: { ...setup?.vars, UPSTREAM_ORIGIN: upstream.url } });
}

/** Send one batch and throw unless every call was really made and answered in its place. */
export async function verify(contender: Running, n: number): Promise<void> {
  const { path, headers, body } = makeBatchRequest(contender, n, 0);
  const response = await fetch(contender.worker.url + path, { method: "POST", headers, body });
  const text = await response.text();
  const results = response.ok ? (JSON.parse(text) as { results?: unknown[] }).results : undefined;
  const complete = results?.length === n && results.every((result, i) => contender.readNumber(result) === i);
  if (complete) return;
  const output = contender.worker.output().slice(-2000);
  throw new Error(`Cannot measure ${contender.name}: it answered ${response.status} ${text}\n${output}`);
}

/**
 * Look whether each contender does its work, and load it for a while, one after the other.
 *
 * V8 compiles what is hot for the first ten thousand batches or so, beside it. That CPU would be the batches' that happen to
 * be measured meanwhile, so the first load of a process takes seconds.
 */
export async function warmUp(
  contenders: readonly Running[],
  how: { readonly n: number; readonly connections: number; readonly durationMs: number },
): Promise<void> {
  for (const contender of contenders) {
    await verify(contender, how.n);
    await load(contender, how);
  }
}

/** Measure latency before a slow upstream at low concurrency, where nothing queues: the rest is our own time. */
export async function measureLatency(
  contenders: readonly Running[],
  { slices, n, delayMs }: { readonly slices: Slices; readonly n: number; readonly delayMs: number },
): Promise<readonly Latency[]> {
  const { connections, sliceMs: durationMs } = slices;
  const found = new Map<Running, Latency>();
  for (const contender of contenders) {
    const { label } = contender;
    found.set(contender, { label, p50sMs: [], p99sMs: [], all: [] });
  }
  // Without a delay, so that the code is as warm as under load.
  await warmUp(contenders, { n, connections, durationMs: slices.warmupMs });
  for (let round = 0; round < slices.rounds; round += 1) {
    for (const contender of rotate(contenders, round)) {
      const { latenciesMs } = await load(contender, { n, delayMs, connections, durationMs });
      const series = found.get(contender);
      series?.p50sMs.push(quantile(latenciesMs, 0.5));
      series?.p99sMs.push(quantile(latenciesMs, 0.99));
      series?.all.push(...latenciesMs);
    }
  }
  return [...found.values()];
}

async function load(
  contender: Running,
  options: { n: number; delayMs?: number; connections: number; durationMs: number },
): Promise<LoadResult> {
  const { n, delayMs = 0, connections, durationMs } = options;
  const request = makeBatchRequest(contender, n, delayMs);
  const result = await runLoad({ url: contender.worker.url, request, connections, durationMs });
  if (result.failed > 0)
    throw new Error(`Cannot measure ${contender.name}: ${result.failed} requests failed`);
  return result;
}

/** The same items, beginning with another one. */
export function rotate<T>(items: readonly T[], by: number): T[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
