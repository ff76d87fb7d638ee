import { utf8Length } from "../../core/contract/json.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { ok, type Result } from "../../core/kit/result.ts";
import type { Refusal } from "../../core/contract/refusal.ts";
import { respondJson } from "./respond.ts";

/** A page of a list, as it was asked for and as it is written. */
export interface PageOptions<Item> {
  /** The most entries. */
  readonly limit: number;
  readonly toJson: (item: Item) => string;
  /** The cursor of what stands behind an entry. */
  readonly toCursor: (item: Item) => string;
  /** The cursor of what stands behind everything that was found; null where nothing does. */
  readonly next?: string | null;
  /** Others stand behind the last one that was found. */
  readonly hasMore?: boolean;
  /** Fields beside the list. */
  readonly beside?: object;
}

/**
 * Answer with a page of a list: so many of the entries that were found as it may have, and as fit, but never none of some.
 *
 * @param name of the field that has the entries
 * @param found the entries in their order. Those beyond the limit are not shown, and tell that there is another page.
 */
export function respondList<Item>(
  name: string,
  found: readonly Item[],
  { limit, toJson, toCursor, next = null, hasMore = false, beside = {} }: PageOptions<Item>,
): Result<Response, Refusal> {
  const more = Object.entries(beside).map(
    ([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  const rest = more.join("");
  const texts: string[] = [];
  let bytes = ENVELOPE_BYTES + utf8Length(rest);
  for (const item of found.slice(0, limit)) {
    const text = toJson(item);
    bytes += utf8Length(text) + 1;
    if (texts.length > 0 && bytes > LIMITS.pageBytes) break;
    texts.push(text);
  }
  const last = found[texts.length - 1];
  const isCut = texts.length < found.length || hasMore;
  const cursor = isCut && last !== undefined ? toCursor(last) : next;
  const list = `{${JSON.stringify(name)}:[${texts.join(",")}],"next_cursor":${JSON.stringify(cursor)}${rest}}`;
  return ok(respondJson(list));
}

/** Room for the names of the fields and the cursor. */
const ENVELOPE_BYTES = 1024;
