/**
 * Core, and every feature, beside the Worker that one writes by hand; and core beside that of another checkout, which shows a step.
 *
 * Two processes of one build differ by up to 14 %, so a figure is the median of ratios, each of two processes that were started beside
 * each other and took turns. A row in which the bare Worker is not as dear as itself tells nothing of the others.
 */
import { BY_HAND, type Bundles, type Contender, IN_BACKGROUND, VOLLEY, VOLLEY_CORE } from "./contenders.ts";
import { table } from "./report.ts";
import { Rig, type RigOptions } from "./rig.ts";
import { intervalOfMedian, median } from "./statistics.ts";
import type { Upstream } from "./start-upstream.ts";

export interface PairOptions {
  readonly pairs: number;
  readonly batchSizes: readonly number[];
  readonly cpu: RigOptions;
}

interface Bench {
  readonly bundles: Bundles;
  readonly upstream: Upstream;
}

/** How far the bare Worker may be from itself. */
const EQUAL = { from: 0.95, to: 1.05 };

/** The most that core and every feature may cost, as a median and as the end of its interval, by the size of a batch. */
const AIMS = { core: () => [1.1, 1.15], all: (n: number) => [n < 10 ? 1.15 : 1.2, 1.25] } as const;

/** Compare core and every feature with the Worker written by hand. */
export async function compareWithHand(options: PairOptions, bench: Bench): Promise<string[]> {
  const measured = await measurePairs([...BY_HAND, VOLLEY_CORE, VOLLEY], options, bench);
  const rows = [...measured].map(([n, [bare, again, hand, core, all]]) => [
    String(n),
    sayBare(ratios(again!, bare!)),
    sayRatio(ratios(core!, hand!), AIMS.core()),
    sayRatio(ratios(all!, hand!), AIMS.all(n)),
    [hand!, core!, all!].map((micros) => sayAbove(micros, [bare!, again!], n)).join(", "),
  ]);
  const header = ["N", "bare / bare", "core / by hand", "all features / by hand", "µs a call above bare"];
  return table([header, ...rows]);
}

/** The most that one background action may cost. */
const BACKGROUND_AIM = [2.2, 2.3] as const;

/** Compare a batch of one background action with the Worker written by hand for that. */
export async function compareInBackground(options: PairOptions, bench: Bench): Promise<string[]> {
  const measured = await measurePairs(IN_BACKGROUND, { ...options, batchSizes: [1] }, bench);
  const [hand, again, volley] = measured.get(1)!;
  const row = [
    "one background action",
    sayBare(ratios(again!, hand!)),
    sayRatio(ratios(volley!, hand!), BACKGROUND_AIM),
    sayAbove(volley!, [hand!, again!], 1),
  ];
  return table([["", "by hand / by hand", "all features / by hand", "µs above by hand"], row]);
}

/** Compare core with that of another checkout, or the Worker written by hand with another one. */
export async function compareWithOther(
  other: Contender,
  options: PairOptions,
  bench: Bench,
): Promise<string[]> {
  const measured = await measurePairs([...BY_HAND, VOLLEY_CORE, other], options, bench);
  const rows = [...measured].map(([n, [bare, again, hand, core, theirs]]) => [
    String(n),
    sayBare(ratios(again!, bare!)),
    sayRatio(ratios(core!, hand!)),
    sayRatio(ratios(theirs!, hand!)),
    sayRatio(ratios(core!, theirs!)),
    sayAbove(core!, [theirs!], n),
  ]);
  const header = [
    "N",
    "bare / bare",
    "core / by hand",
    "other / by hand",
    "core / other",
    "core − other, µs a call",
  ];
  return table([header, ...rows]);
}

/** The CPU of a batch in each pair, by the size of a batch and the contender's place. */
async function measurePairs(
  contenders: readonly Contender[],
  { pairs, batchSizes, cpu }: PairOptions,
  bench: Bench,
): Promise<ReadonlyMap<number, readonly number[][]>> {
  const found = new Map(batchSizes.map((n) => [n, contenders.map((): number[] => [])]));
  for (let pair = 0; pair < pairs; pair += 1) {
    await using rig = await Rig.start({ all: contenders }, { ...cpu, processes: 1 }, bench);
    // The largest first: while it is warmed up V8 compiles what wide batches do as well, and there is more of that in Volley.
    for (const n of batchSizes.toSorted((a, b) => b - a)) {
      const { all } = await rig.measure(n);
      for (const [at, { micros }] of all.entries()) found.get(n)![at]!.push(micros[0]!);
    }
    process.stderr.write(`pair ${pair + 1} of ${pairs}; ${rig.sayOthers()}\n`);
  }
  return found;
}

function ratios(some: readonly number[], others: readonly number[]): readonly number[] {
  return some.map((micros, pair) => micros / others[pair]!);
}

function sayBare(bare: readonly number[]): string {
  const isEqual = median(bare) >= EQUAL.from && median(bare) <= EQUAL.to;
  return sayRatio(bare) + (isEqual ? "" : ": does not count");
}

function sayRatio(found: readonly number[], aim?: readonly number[]): string {
  const [low, high] = intervalOfMedian(found);
  const said = `${median(found).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  if (aim === undefined) return said;
  const [most, end] = aim as readonly [number, number];
  return `${said} ≤ ${most}, ${end} ${median(found) <= most && high < end ? "met" : "MISSED"}`;
}

function sayAbove(micros: readonly number[], floors: readonly (readonly number[])[], n: number): string {
  const above = micros.map(
    (cost, pair) => (cost - floors.reduce((sum, floor) => sum + floor[pair]!, 0) / floors.length) / n,
  );
  return median(above).toFixed(1);
}
