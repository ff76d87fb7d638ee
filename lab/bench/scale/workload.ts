/**
 * The assumptions of the simulation. Nothing here is the product's: what the product decides (leases, marks, backlogs, timeouts,
 * rows) is its own code. Every figure says whether it is documented, measured or chosen.
 */

/** Chosen: where callers are. The first region has the most of them, after Zipf. */
export const REGIONS = 30;

/** Chosen: Zipf with exponent 1, so that the first of 10,000 tenants sends a tenth of everything. */
export const TENANTS = 10_000;

/** Chosen: one way between a region and an object, for the nearest region and the farthest. */
export const ONE_WAY_MS = { least: 5, most: 75 } as const;

/**
 * How many batches an isolate takes a second, and how many isolates a region has at least. A batch of three reads takes 1.2 ms
 * of CPU (measured, docs/operate.md), so 400 are half of a processor; which isolate a request meets is chance. Chosen: the half,
 * and the two. The platform says neither.
 */
export const ISOLATES = { batchesPerSecond: 400, least: 2 } as const;

/** Documented: the cautious ends of 500 to 750 small calls a second of one object, and of 200 to 500 that write. */
export const CEILING = { calls: 500, writes: 200 } as const;

/** Chosen: of a hundred batches so many are something else than reads only. */
export const MIX = { job: 0.08, wide: 0.002, keyed: 0.01, flow: 0.01 } as const;

/** Chosen: jobs of a wide batch. The first six stay at home, the others are spread over seven more objects. */
export const WIDE_JOBS = 20;

/** Chosen: a webhook's flow has reads and this many writes, which are written down before they are sent. */
export const FLOW_WRITES = 1;

/** Chosen: how long an attempt takes, and how many of the attempts fail and are repeated. */
export const ATTEMPT = { ms: 400, fails: 0.02 } as const;

/** Chosen: what a key may send a minute, as a multiple of what its tenant sends; never below the product's default of 120. */
export const QUOTA = { headroom: 2, least: 120, windowS: 60 } as const;

/** Chosen: after so long without calls an object is put away, and reads its rows again when it is next called. */
export const IDLE_MS = 10_000;

/** The product's, in \`src/cloudflare/deployment.ts\`: an isolate holds leases of so many tenants. */
export const TENANTS_LEASED = 1_000;

/** Documented, in dollars a million: what docs/operate.md reckons with. */
export const PRICES = { calls: 0.15, rows: 1 } as const;

/** How large each size is, and how long it is run: the larger, the shorter, so
 * that each comes to some hundred thousand batches at most. */
export const SIZES = [
  { rate: 1, warmUpS: 600, seconds: 14_400 },
  { rate: 100, warmUpS: 60, seconds: 600 },
  { rate: 10_000, warmUpS: 8, seconds: 12 },
] as const;

/** Chosen: what an operator lets one tenant send at most, once it is known where an object ends. */
export const LARGEST_TENANT = 250;

/** The shares of a Zipf law with exponent 1, summed up; the last is 1. */
export function zipf(count: number): Float64Array {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank += 1) sums[rank] = sum += 1 / (rank + 1);
  return sums.map((share) => share / sum);
}

/** Divide each share that is above `most` into equal parts that are not. */
export function split(sums: Float64Array, most: number): Float64Array {
  const parts: number[] = [];
  for (const [at, sum] of sums.entries()) {
    const before = sums[at - 1] ?? 0;
    const count = Math.max(1, Math.ceil((sum - before) / most));
    for (let part = 1; part <= count; part += 1) parts.push(before + ((sum - before) * part) / count);
  }
  return Float64Array.from(parts);
}

/** Which of the shares a number in [0, 1) falls into. */
export function pick(sums: Float64Array, random: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! > random) high = middle;
    else low = middle + 1;
  }
  return low;
}
