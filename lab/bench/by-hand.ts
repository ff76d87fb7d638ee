/**
 * Core, and every feature, beside the Worker that one writes by hand.
 *
 * Two processes of one build differ by up to 14 %, so a figure is the median of ratios, each of two processes that were started beside
 * each other and took turns. A pair in which the bare Worker is not as dear as itself tells nothing of the others.
 */
import { BY_HAND, type Bundles } from "./contenders.ts";
import { table } from "./report.ts";
import { Rig, type RigOptions } from "./rig.ts";
import { intervalOfMedian, median } from "./statistics.ts";
import type { Upstream } from "./start-upstream.ts";

/** Ratios of each pair of processes. */
interface Ratios {
  readonly bare: number[];
  readonly core: number[];
  readonly all: number[];
  /** µs of a call above the bare Worker's: by hand, of core, and with every feature. */
  readonly above: { readonly byHand: number[]; readonly core: number[]; readonly all: number[] };
}

export type HandRatios = ReadonlyMap<number, Ratios>;

/** How far the bare Worker may be from itself. */
const EQUAL = { from: 0.95, to: 1.05 };

export async function measureByHand(
  { pairs, batchSizes, cpu }: { pairs: number; batchSizes: readonly number[]; cpu: RigOptions },
  bench: { readonly bundles: Bundles; readonly upstream: Upstream },
): Promise<HandRatios> {
  const found = new Map<number, Ratios>(
    batchSizes.map((n) => [n, { bare: [], core: [], all: [], above: { byHand: [], core: [], all: [] } }]),
  );
  for (let pair = 0; pair < pairs; pair += 1) {
    await using rig = await Rig.start({ all: BY_HAND }, { ...cpu, processes: 1 }, bench);
    for (const n of batchSizes) {
      const { all } = await rig.measure(n);
      const [bare = 0, again = 0, byHand = 0, core = 0, volley = 0] = all.map(({ micros }) => micros[0]!);
      const ratios = found.get(n)!;
      ratios.bare.push(again / bare);
      ratios.core.push(core / byHand);
      ratios.all.push(volley / byHand);
      const floor = (bare + again) / 2;
      ratios.above.byHand.push((byHand - floor) / n);
      ratios.above.core.push((core - floor) / n);
      ratios.above.all.push((volley - floor) / n);
    }
  }
  return found;
}

export function makeByHandTable(measured: HandRatios): string[] {
  const rows = [...measured].map(([n, { bare, core, all, above }]) => {
    const isEqual = median(bare) >= EQUAL.from && median(bare) <= EQUAL.to;
    return [
      String(n),
      sayRatio(bare) + (isEqual ? "" : " does not count"),
      sayRatio(core),
      sayRatio(all),
      [above.byHand, above.core, above.all].map((micros) => median(micros).toFixed(1)).join(", "),
    ];
  });
  const header = ["N", "bare / bare", "core / by hand", "all features / by hand", "µs a call above bare"];
  return table([header, ...rows]);
}

function sayRatio(ratios: readonly number[]): string {
  const [low, high] = intervalOfMedian(ratios);
  return `${median(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}
