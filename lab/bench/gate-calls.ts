import { setTimeout as sleep } from "node:timers/promises";

import { type Bundles, COUNTING, makeBatchRequest } from "./contenders.ts";
import { startContender } from "./measure.ts";
import type { Upstream } from "./start-upstream.ts";

/** When batches come: `count` of them `everyMs` apart, a pause, and again. */
interface Pattern {
  readonly label: string;
  readonly count: number;
  readonly everyMs: number;
  readonly pauseMs: number;
}

/** How often the batches of a pattern called a Durable Object. */
export interface GateCalls {
  readonly label: string;
  /** While the isolate held nothing at first, and for as long again. */
  readonly first: Counted;
  readonly later: Counted;
}

export interface Counted {
  readonly batches: number;
  readonly callsPerBatch: number;
}

const PATTERNS: readonly Pattern[] = [
  { label: "steady, 200/s", count: 200, everyMs: 5, pauseMs: 0 },
  { label: "steady, 20/s", count: 20, everyMs: 50, pauseMs: 0 },
  { label: "bursts of 100 in 0.5 s, 1 s pauses", count: 100, everyMs: 5, pauseMs: 1_000 },
  { label: "bursts of 30 at once, 1 s pauses", count: 30, everyMs: 0, pauseMs: 1_000 },
];

/**
 * Count the calls that leave for Durable Objects, over `durationMs` of each pattern from an isolate that holds nothing, and
 * over as much again.
 *
 * In a Worker of its own that counts on the way, so that what is timed elsewhere is not touched by it. The patterns run
 * side by side: none of them is a load.
 */
export function measureGateCalls(
  durationMs: number,
  options: { readonly bundles: Bundles; readonly upstream: Upstream },
): Promise<readonly GateCalls[]> {
  return Promise.all(PATTERNS.map((pattern) => countCalls(pattern, durationMs, options)));
}

async function countCalls(
  pattern: Pattern,
  durationMs: number,
  options: { readonly bundles: Bundles; readonly upstream: Upstream },
): Promise<GateCalls> {
  await using worker = await startContender(COUNTING, options);
  const { path, headers, body } = makeBatchRequest(COUNTING, 3, 0);
  const sendOne = async (): Promise<void> => {
    const response = await fetch(worker.url + path, { method: "POST", headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`Cannot count gate calls: it answered ${response.status} ${text}`);
  };
  let before = 0;
  const count = async (): Promise<Counted> => {
    const batches = await sendFor(pattern, durationMs, sendOne);
    const response = await fetch(`${worker.url}/gate-calls`);
    const { calls } = (await response.json()) as { calls: number };
    const counted = { batches, callsPerBatch: (calls - before) / batches };
    before = calls;
    return counted;
  };
  const first = await count();
  return { label: pattern.label, first, later: await count() };
}

/** Send batches in their pattern for so long, and wait for their answers; how many there were. */
async function sendFor(
  { count, everyMs, pauseMs }: Pattern,
  durationMs: number,
  sendOne: () => Promise<void>,
): Promise<number> {
  const sent: Promise<void>[] = [];
  const endsAt = performance.now() + durationMs;
  while (performance.now() < endsAt) {
    const startedAt = performance.now();
    for (let i = 0; i < count; i += 1) {
      const dueMs = startedAt + i * everyMs - performance.now();
      if (dueMs > 0) await sleep(dueMs);
      sent.push(sendOne());
    }
    await sleep(Math.max(pauseMs, startedAt + count * everyMs - performance.now()));
  }
  await Promise.all(sent);
  return sent.length;
}
