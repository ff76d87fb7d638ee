/** Write a path of keys as an RFC 6901 JSON Pointer. */
export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Where following a pointer ended: at a value, or at the deepest value that was there. */
export type Found =
  | { readonly found: true; readonly value: unknown }
  | { readonly found: false; readonly depth: number; readonly at: unknown };

const ARRAY_INDEX = /^(?:0|[1-9][0-9]*)$/;

/** Read an RFC 6901 JSON Pointer; null if the text is not one (it must be empty or start with `/`, `~` only as `~0`, `~1`). */
export function parsePointer(text: string): string[] | null {
  if (text === "") return [];
  if (!text.startsWith("/")) return null;
  const tokens = text.slice(1).split("/");
  if (!text.includes("~")) return tokens;
  if (/~(?![01])/.test(text)) return null;
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * Follow a pointer into a value. Only own properties count, so no pointer reaches a prototype; `-` names the element
 * after the last, which is never there.
 */
export function follow(value: unknown, tokens: readonly string[]): Found {
  let at = value;
  for (const [depth, token] of tokens.entries()) {
    if (Array.isArray(at)) {
      if (!ARRAY_INDEX.test(token) || Number(token) >= at.length) return { found: false, depth, at };
      at = at[Number(token)];
    } else {
      const inner = ownValue(at, token);
      if (inner === undefined) return { found: false, depth, at };
      at = inner;
    }
  }
  return { found: true, value: at };
}

/** A field that is undefined is not there: that is what JSON makes of it. */
function ownValue(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && !JSON.isRawJSON(value) && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

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
