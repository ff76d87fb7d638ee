import * as LIMITS from "../../../core/contract/limits.ts";

/** Weigh a value of a stream that is kept: the characters of its text, and as much for each value as it counts elsewhere. */
export function weighText(value: unknown): number {
  if (typeof value === "string") return LIMITS.valueBytes + value.length;
  if (typeof value !== "object" || value === null) return LIMITS.valueBytes;
  let weight: number = LIMITS.valueBytes;
  for (const [key, one] of Object.entries(value)) weight += key.length + weighText(one);
  return weight;
}
