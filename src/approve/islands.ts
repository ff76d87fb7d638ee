import type { Needs } from "../kit/layers.ts";

/**
 * Divide parked steps into islands: steps belong together when one needs the other, so two gated steps that share a
 * dependent are one question. Each island, and the list of them, is in the order of the batch.
 */
export function findIslands(parked: readonly number[], needs: Needs): number[][] {
  const islandOf = new Map(parked.map((index) => [index, [index]]));
  for (const index of parked) {
    for (const needed of needs[index]!) {
      const [own, other] = [islandOf.get(index)!, islandOf.get(needed)];
      if (other === undefined || other === own) continue;
      own.push(...other);
      for (const member of other) islandOf.set(member, own);
    }
  }
  return [...new Set(islandOf.values())]
    .map((island) => island.sort((a, b) => a - b))
    .sort(([a], [b]) => a! - b!);
}
