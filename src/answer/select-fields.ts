import { isJsonObject } from "../contract/json.ts";
import { toPointer } from "../kit/json-pointer.ts";

/** What is wanted below a value: all of it, or these keys of it. */
type Wanted = "whole" | Map<string, Wanted>;

const ARRAY_INDEX = /^(?:0|[1-9][0-9]*)$/;

/**
 * Keep only what the pointers name, in the output's own shape: objects keep the selected fields, arrays the selected
 * elements, both in their own order, arrays without gaps. A selected container is kept whole; overlapping pointers
 * merge.
 *
 * What does not exist is named in `missing`, once each and in the order asked, and costs the others nothing. When
 * nothing exists an object leaves `{}`, an array `[]`, anything else null. The input is never changed; what is kept
 * whole is shared with it. Only own fields count, so no pointer reads or writes a prototype.
 *
 * @example
 * selectFields({ places: [{ id: 1, name: "A" }, { id: 2, name: "B" }] }, [["places", "1", "name"]]);
 * // { data: { places: [{ name: "B" }] }, missing: [] }
 */
export function selectFields(
  data: unknown,
  pointers: readonly (readonly string[])[],
): { data: unknown; missing: string[] } {
  const missing = new Set<string>();
  const root: Map<string, Wanted> = new Map();
  let whole = false;
  for (const tokens of pointers) {
    if (!exists(data, tokens)) missing.add(toPointer(tokens));
    else if (tokens.length === 0) whole = true;
    else want(root, tokens);
  }
  return { data: keep(data, whole ? "whole" : root), missing: [...missing] };
}

function exists(data: unknown, tokens: readonly string[]): boolean {
  let at = data;
  for (const token of tokens) {
    if (!has(at, token)) return false;
    at = at[token];
    // JSON has no undefined: such a field will not be in the answer.
    if (at === undefined) return false;
  }
  return true;
}

function has(value: unknown, token: string): value is Readonly<Record<string, unknown>> {
  if (Array.isArray(value)) return ARRAY_INDEX.test(token) && Number(token) < value.length;
  return isJsonObject(value) && Object.hasOwn(value, token);
}

function want(root: Map<string, Wanted>, tokens: readonly string[]): void {
  let at = root;
  for (const token of tokens.slice(0, -1)) {
    let next = at.get(token);
    if (next === "whole") return;
    if (next === undefined) at.set(token, (next = new Map<string, Wanted>()));
    at = next;
  }
  at.set(tokens.at(-1)!, "whole");
}

function keep(value: unknown, wanted: Wanted): unknown {
  if (wanted === "whole") return value;
  if (Array.isArray(value)) {
    const indexes = [...wanted.keys()].map(Number).sort((a, b) => a - b);
    return indexes.map((index) => keep(value[index], wanted.get(String(index))!));
  }
  if (!isJsonObject(value)) return null;
  // Entries, not assignments: `__proto__` becomes a field like any other.
  const fields = Object.entries(value).filter(([key]) => wanted.has(key));
  return Object.fromEntries(fields.map(([key, field]) => [key, keep(field, wanted.get(key)!)]));
}
