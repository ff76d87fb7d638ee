import type { Needs } from "../kit/layers.ts";

/** Why a step does not run in this batch: it needs a person's yes itself, or another that does. */
export type Parking = "gated" | "waits";

/**
 * Find the steps that wait for a person: those that are gated, and everything that needs one of them, however far away.
 *
 * @param needs an acyclic graph
 */
export function findParking(gated: readonly boolean[], needs: Needs): (Parking | null)[] {
  if (!gated.includes(true)) return gated.map(() => null);
  const parking: (Parking | null | undefined)[] = gated.map((own) => (own ? "gated" : undefined));
  const visit = (index: number): Parking | null => {
    const known = parking[index];
    if (known !== undefined) return known;
    const found = needs[index]!.some((needed) => visit(needed) !== null) ? "waits" : null;
    parking[index] = found;
    return found;
  };
  return gated.map((_, index) => visit(index));
}
