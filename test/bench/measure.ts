import type { Contender, Started } from "./contenders.ts";
import { readCpuMicros } from "./cpu-time.ts";
import { type LoadResult, runLoad } from "./load.ts";
import { quantile } from "./statistics.ts";

export interface Running extends Contender, Started {}

export interface BenchOptions {
  readonly batchSizes: readonly number[];
  readonly connections: number;
  readonly rounds: number;
  readonly sliceMs: number;
  readonly warmupMs: number;
  /** How often each Worker is started for the start-up figure. */
  readonly starts: number;
  readonly latency: {
    readonly batchSize: number;
    readonly delayMs: number;
    readonly connections: number;
    readonly rounds: number;
    readonly sliceMs: number;
  };
}

/** One contender's throughput at one batch size: a value per round. */
export interface Throughput {
  readonly requestsPerSecond: number[];
  readonly cpuMicros: number[];
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly samples: number;
  /** The p50 of each round. */
  readonly p50sMs: readonly number[];
}

/** Send one batch and throw unless every call was really made and answered in its place. */
export async function verify(contender: Running, n: number): Promise<void> {
  const { path, headers, body } = contender.request(n, 0);
  const response = await fetch(contender.worker.url + path, { method: "POST", headers, body });
  const text = await response.text();
  const results = response.ok ? (JSON.parse(text) as { results?: unknown[] }).results : undefined;
  const complete = results?.length === n && results.every((result, i) => contender.readNumber(result) === i);
  if (!complete) {
    const output = contender.worker.output().slice(-2000);
    throw new Error(`Cannot measure ${contender.name}: it answered ${response.status} ${text}\n${output}`);
  }
}

/**
 * Measure throughput of all contenders at one batch size.
 *
 * Slices are short and interleaved, and every round starts with another contender, so what the machine does over time
 * hits all of them alike and a ratio within a round is trustworthy where a number by itself is not.
 */
export async function measureThroughput(
  contenders: readonly Running[],
  n: number,
  options: BenchOptions,
): Promise<Map<string, Throughput>> {
  const found = new Map<string, Throughput>();
  const { connections } = options;
  for (const contender of contenders) {
    found.set(contender.name, { requestsPerSecond: [], cpuMicros: [] });
    await verify(contender, n);
    await load(contender, { n, connections, durationMs: options.warmupMs });
  }
  for (let round = 0; round < options.rounds; round += 1) {
    for (const contender of rotate(contenders, round)) {
      const cpuBefore = readCpuMicros(contender.worker.pid);
      const result = await load(contender, { n, connections, durationMs: options.sliceMs });
      const cpu = readCpuMicros(contender.worker.pid) - cpuBefore;
      const series = found.get(contender.name);
      series?.requestsPerSecond.push(result.requestsPerSecond);
      series?.cpuMicros.push(cpu / result.latenciesMs.length);
    }
  }
  return found;
}

/**
 * Measure latency against a slow upstream at low concurrency, where nothing queues: what is left is our own time.
 *
 * The p50 is kept per round as well, because the difference to the baseline is only meant within one.
 */
export async function measureLatency(
  contenders: readonly Running[],
  options: BenchOptions["latency"],
): Promise<Map<string, Latency>> {
  const { batchSize: n, delayMs, connections, sliceMs: durationMs } = options;
  const found = new Map<string, { all: number[]; p50s: number[] }>();
  for (const contender of contenders) {
    found.set(contender.name, { all: [], p50s: [] });
    await load(contender, { n, delayMs, connections, durationMs: durationMs / 2 });
  }
  for (let round = 0; round < options.rounds; round += 1) {
    for (const contender of rotate(contenders, round)) {
      const { latenciesMs } = await load(contender, { n, delayMs, connections, durationMs });
      found.get(contender.name)?.all.push(...latenciesMs);
      found.get(contender.name)?.p50s.push(quantile(latenciesMs, 0.5));
    }
  }
  return new Map(
    [...found].map(([name, { all, p50s }]) => {
      const sorted = all.toSorted((a, b) => a - b);
      const [p50Ms, p99Ms] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
      return [name, { p50Ms, p99Ms, samples: sorted.length, p50sMs: p50s }];
    }),
  );
}

async function load(
  contender: Running,
  options: { n: number; delayMs?: number; connections: number; durationMs: number },
): Promise<LoadResult> {
  const { n, delayMs = 0, connections, durationMs } = options;
  const request = contender.request(n, delayMs);
  const result = await runLoad({ url: contender.worker.url, request, connections, durationMs });
  if (result.failed > 0)
    throw new Error(`Cannot measure ${contender.name}: ${result.failed} requests failed`);
  return result;
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
