import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import type { Workerd } from "../../test/support/workerd.ts";
import { readCpuMicros } from "../bench/cpu-time.ts";
import { readHeap } from "../soak/read-heap.ts";
import { ask, type Ask } from "./caller.ts";
import { MOST, type Sum } from "./judge.ts";
import type { Read } from "./reads.ts";

export const CALLERS = 40;
const MIB = 1024 * 1024;
/** The memory is back, or not, within so long. */
const LATER_MS = 10_000;
/** A stranger calls so often, whether its last call was answered or not, and for so long at least. */
const EVERY_MS = 20;
const WATCHED_MS = 2_000;
const STRANGER: Ask = {
  method: "POST",
  path: "/v1/execute_actions",
  key: "stranger",
  body: JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 1 } }] }),
};

/** The memory of a process that is resident, in MiB. */
export function readRssMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024;
}

/**
 * Read one thing alone, then by 40 callers at once beside a stranger of another tenant.
 *
 * @param isQuick without a stranger, and without waiting for memory to be given back
 */
export async function measure(
  { url, pid, inspectorUrl }: Workerd,
  { name, ask: asked, isEndless = false }: Read,
  isQuick: boolean,
): Promise<Sum> {
  // Code that compiles on first use, and what an object reads from disk once, are no part of it.
  await ask(url, asked);
  await ask(url, { path: "/sums/held" });
  const before = readCpuMicros(pid);
  const { status, bytes } = await ask(url, asked);
  const cpuMs = (readCpuMicros(pid) - before) / 1_000;
  const aloneMs = isQuick ? null : await watch(url, Promise.resolve());

  const heapAtFirst = (await readHeap(inspectorUrl!)) ?? 0;
  const restMib = readRssMib(pid);
  let peakMib = restMib;
  const look = setInterval(() => (peakMib = Math.max(peakMib, readRssMib(pid))), EVERY_MS);
  const beganAt = performance.now();
  let tookMs = 0;
  const all = Promise.all(Array.from({ length: CALLERS }, () => ask(url, asked)));
  const over = all.then(() => (tookMs = performance.now() - beganAt));
  const besideMs = isQuick ? null : await watch(url, over);
  await over;
  clearInterval(look);
  const statuses: Record<string, number> = {};
  for (const one of await all) statuses[one.status] = (statuses[one.status] ?? 0) + 1;
  const held = await ask(url, { path: "/sums/held" });
  const until = performance.now() + (isQuick ? 0 : LATER_MS);
  while (readRssMib(pid) - restMib > MOST.keptMib && performance.now() < until) await sleep(EVERY_MS);
  const laterMib = readRssMib(pid) - restMib;
  const heap = (await readHeap(inspectorUrl!)) ?? 0;
  return {
    name,
    status,
    statuses,
    bytes,
    isEndless,
    cpuMs,
    tookMs,
    heldMib: Number(held.text) / MIB,
    peakMib: peakMib - restMib,
    laterMib,
    collectedMib: readRssMib(pid) - restMib,
    heapMib: heap - heapAtFirst,
    stranger: aloneMs === null || besideMs === null ? null : { aloneMs, besideMs },
  };
}

/** Let a stranger call until something is over: the 95th percentile of how long its calls took, in ms. */
async function watch(url: string, over: Promise<unknown>): Promise<number> {
  const calls: Promise<number>[] = [];
  const watched = { isOver: false };
  void over.then(() => (watched.isOver = true));
  const beganAt = performance.now();
  for (let n = 0; !watched.isOver || n * EVERY_MS < WATCHED_MS; n += 1) {
    const dueAt = beganAt + n * EVERY_MS;
    await sleep(Math.max(0, dueAt - performance.now()));
    calls.push(ask(url, STRANGER).then(() => performance.now() - dueAt));
  }
  const took = (await Promise.all(calls)).toSorted((a, b) => a - b);
  return took[Math.ceil(took.length * 0.95) - 1]!;
}
