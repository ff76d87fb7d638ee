import type { Needs } from "../kit/layers.ts";

/**
 * For every step, count the steps on the longest path that starts with it, itself included.
 *
 * Steps count alike: what a call will take is not known before it ran, and how many calls wait behind it is.
 *
 * @param before an acyclic graph: for every step, what must be over before it
 */
export function remainingPaths(before: Needs): number[] {
  if (before.every((earlier) => earlier.length === 0)) return before.map(() => 1);
  const behind: number[][] = before.map(() => []);
  for (const [index, earlier] of before.entries()) for (const at of earlier) behind[at]!.push(index);

  // Taken from the ends backwards: a step is done once everything behind it is.
  const open = behind.map((steps) => steps.length);
  const remaining = before.map(() => 1);
  const ends = open.flatMap((count, index) => (count === 0 ? [index] : []));
  for (let index = ends.pop(); index !== undefined; index = ends.pop()) {
    for (const at of before[index]!) {
      remaining[at] = Math.max(remaining[at]!, remaining[index]! + 1);
      open[at]! -= 1;
      if (open[at] === 0) ends.push(at);
    }
  }
  return remaining;
}
