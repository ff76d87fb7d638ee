import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";

/**
 * Add up what two calls of a model used: numbers are added wherever they stand, what only one has is kept, and of anything
 * else the later counts. Null where a call did not say.
 */
export function sumUsage(first: JsonObject | null, second: JsonObject | null): JsonObject | null {
  if (first === null || second === null) return second ?? first;
  const sum = new Map(Object.entries(first));
  for (const [key, value] of Object.entries(second)) {
    const other = Object.hasOwn(first, key) ? first[key] : undefined;
    if (typeof value === "number" && typeof other === "number") sum.set(key, other + value);
    else if (isJsonObject(value) && isJsonObject(other)) sum.set(key, sumUsage(other, value));
    else if (value !== null && value !== undefined) sum.set(key, value);
  }
  return Object.fromEntries(sum);
}
