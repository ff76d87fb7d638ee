import { DAY_MS, MINUTE_MS, type Place, type WallTime, wallTimeAt } from "../../../core/kit/time-zone.ts";

/** When the clocks of a place show a time: once, twice where they went back, never where they went forward over it. */
export type Shown =
  | { readonly kind: "once"; readonly atMs: number }
  | { readonly kind: "twice"; readonly firstMs: number; readonly secondMs: number; readonly changeMs: number }
  | { readonly kind: "never"; readonly changeMs: number; readonly skippedMs: number };

/** Find when the clocks of a place show a time of whole minutes; `changeMs` is when they were set, where they were. */
export function shownAt(wall: WallTime, place: Place): Shown {
  // No zone changes twice in two days, so these are by the clocks before a change that is near, and after it.
  const before = wall - place.offsetAt(wall - DAY_MS) * MINUTE_MS;
  const after = wall - place.offsetAt(wall + DAY_MS) * MINUTE_MS;
  if (before === after) return { kind: "once", atMs: before };
  const isBefore = wallTimeAt(before, place) === wall;
  const isAfter = wallTimeAt(after, place) === wall;
  if (isBefore && isAfter)
    return {
      kind: "twice",
      firstMs: before,
      secondMs: after,
      changeMs: findChange(before, after, place),
    };
  if (isBefore || isAfter) return { kind: "once", atMs: isBefore ? before : after };
  return { kind: "never", changeMs: findChange(after, before, place), skippedMs: before - after };
}

/** The minute in which the clocks of a place are set, after the first of two times and not after the second. */
function findChange(fromMs: number, toMs: number, place: Place): number {
  const offset = place.offsetAt(fromMs);
  let [same, other] = [fromMs, toMs];
  while (other - same > MINUTE_MS) {
    const middle = same + Math.floor((other - same) / 2 / MINUTE_MS) * MINUTE_MS;
    if (place.offsetAt(middle) === offset) same = middle;
    else other = middle;
  }
  return other;
}
