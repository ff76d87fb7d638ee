import type { JsonObject } from "../../../core/contract/json.ts";

/** Map a list; the list itself where nothing of it becomes another. */
export function mapSame(
  list: readonly unknown[],
  map: (one: unknown, at: number) => unknown,
): readonly unknown[] {
  let mapped: unknown[] | null = null;
  for (const [at, one] of list.entries()) {
    const own = map(one, at);
    if (own !== one) (mapped ??= [...list])[at] = own;
  }
  return mapped ?? list;
}

/** Map the fields of an object; the object itself where nothing of it becomes another. */
export function mapFields(value: JsonObject, map: (field: unknown, key: string) => unknown): JsonObject {
  let mapped: Record<string, unknown> | null = null;
  for (const key of Object.keys(value)) {
    const own = map(value[key], key);
    if (own !== value[key]) (mapped ??= { ...value })[key] = own;
  }
  return mapped ?? value;
}
