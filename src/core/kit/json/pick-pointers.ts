import { follow } from "./json-pointer.ts";

/**
 * Keep of some data only what these pointers lead to, at the places where they lead: following any of them gives the same
 * value as before. An array of which a part is kept becomes an object with its indexes as keys.
 */
export function pickPointers(data: unknown, pointers: readonly (readonly string[])[]): unknown {
  const isContainer = typeof data === "object" && data !== null && !JSON.isRawJSON(data);
  if (!isContainer || pointers.some((tokens) => tokens.length === 0)) return data;
  const byKey = Map.groupBy(pointers, ([key]) => key!);
  return Object.fromEntries(
    [...byKey].flatMap(([key, within]) => {
      const found = follow(data, [key]);
      const rest = within.map((tokens) => tokens.slice(1));
      return found.found ? [[key, pickPointers(found.value, rest)]] : [];
    }),
  );
}
