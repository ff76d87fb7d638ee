import type { Needs } from "../../core/kit/layers.ts";

/**
 * Divide parked steps into groups: steps belong together when one needs the other, so two gated steps that share a
 * dependent are one question. Each group, and the list of them, is in the order of the batch.
 */
export function findGroups(parked: readonly number[], needs: Needs): number[][] {
  const groupOf = new Map(parked.map((index) => [index, [index]]));
  for (const index of parked) {
    for (const needed of needs[index]!) {
      const [own, other] = [groupOf.get(index)!, groupOf.get(needed)];
      if (other === undefined || other === own) continue;
      own.push(...other);
      for (const member of other) groupOf.set(member, own);
    }
  }
  return [...new Set(groupOf.values())]
    .map((group) => group.sort((a, b) => a - b))
    .sort(([a], [b]) => a! - b!);
}
