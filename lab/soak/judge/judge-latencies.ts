import { type Latency, MACHINE } from "../load/ledger.ts";
import { median, quantile, toThirds, type Verdict } from "./verdict.ts";

/** How much slower a median may be in the last third than in the first, where nothing adds up: others use the machine too. */
const FACTOR = 1.5;
/** A few milliseconds are the machine's. */
const SLACK_MS = 8;
/** Fewer in a third are no statistics. */
const LEAST = 30;

/** The latencies of a kind of request. */
export interface LatencyRow {
  readonly kind: string;
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** When something was broken, in milliseconds since the epoch. */
export interface Broken {
  readonly from: number;
  readonly to: number;
}

/** Leave out what was asked while something was broken: that is slow because it has to be. */
export function whileNothingBroke(latencies: readonly Latency[], broken: readonly Broken[]): Latency[] {
  return latencies.filter(({ at }) => !broken.some(({ from, to }) => at >= from && at < to));
}

/**
 * Judge that nothing became slower: the median of each kind of request, last third against first. When the way without Volley
 * became slower too, the machine did, and as much more is allowed.
 */
export function judgeLatencies(latencies: readonly Latency[]): Verdict[] {
  const kinds = byKind(latencies);
  const machine = compare(kinds.get(MACHINE) ?? []);
  const slower = machine === null ? 1 : Math.max(1, machine.after / machine.before);
  kinds.delete(MACHINE);
  return [...kinds].flatMap(([kind, some]) => {
    const compared = compare(some);
    if (compared === null) return [];
    const { before, after } = compared;
    const most = before * FACTOR * slower + SLACK_MS;
    return {
      what: `median of ${kind}`,
      found: `${before.toFixed(1)} ms in the first third, ${after.toFixed(1)} ms in the last`,
      bound: `${most.toFixed(1)} ms`,
      isFine: after <= most,
    };
  });
}

/** Say what each kind of request took. */
export function describeLatencies(latencies: readonly Latency[]): LatencyRow[] {
  return Array.from(byKind(latencies), ([kind, some]) => {
    const all = some.map(({ ms }) => ms);
    return { kind, count: all.length, p50: median(all), p95: quantile(all, 0.95), p99: quantile(all, 0.99) };
  });
}

/** The median of the first third and of the last; null where there are too few to say. */
function compare(some: readonly Latency[]): { readonly before: number; readonly after: number } | null {
  const [first, , last] = toThirds(some, ({ at }) => at);
  if (first.length < LEAST || last.length < LEAST) return null;
  return { before: median(first.map(({ ms }) => ms)), after: median(last.map(({ ms }) => ms)) };
}

function byKind(latencies: readonly Latency[]): Map<string, Latency[]> {
  const kinds = new Map<string, Latency[]>();
  for (const latency of latencies) {
    const some = kinds.get(latency.kind);
    if (some === undefined) kinds.set(latency.kind, [latency]);
    else some.push(latency);
  }
  return kinds;
}
