/** A key that stands twice in one object of JSON text: the second time, as an offset. */
export interface RepeatedKey {
  readonly key: string;
  readonly at: number;
}

/** Strings, and the brackets that objects and lists are made of; nothing else of JSON matters here. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/g;

/**
 * Find a key that one object of some JSON has twice; null where there is none. `JSON.parse` takes the last and says nothing, and a
 * merge of two branches that added the same name makes just that.
 */
export function findRepeatedKey(json: string): RepeatedKey | null {
  const open: (Set<string> | null)[] = [];
  for (const { 0: token, index: at } of json.matchAll(TOKENS)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(null);
    else if (token === "}" || token === "]") open.pop();
    else if (isKey(json, at + token.length)) {
      const key = JSON.parse(token) as string;
      const keys = open.at(-1);
      if (keys?.has(key) === true) return { key, at };
      keys?.add(key);
    }
  }
  return null;
}

/** Whether a colon comes next, which in JSON stands behind keys only. */
function isKey(json: string, end: number): boolean {
  COLON.lastIndex = end;
  return COLON.test(json);
}

const COLON = /[ \t\n\r]*:/y;
