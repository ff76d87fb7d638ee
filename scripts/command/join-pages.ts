import { isJsonObject, type JsonObject } from "../../src/core/contract/json.ts";
import { CommandError } from "./command-error.ts";

/** Join the pages of an export as one. Throws where one is missing, or is of another export: nothing is put back of a part. */
export function joinPages(pages: readonly JsonObject[]): JsonObject {
  let joined: JsonObject = {};
  let next: unknown;
  for (const [at, page] of pages.entries()) {
    const { cursor, next_cursor: then, ...fields } = page;
    if (cursor !== next)
      throw new CommandError(
        `Page ${at + 1} is not the one that follows; write the export again, with volley export.`,
      );
    next = then;
    joined = { ...joined, ...join(joined, fields) };
  }
  if (next !== undefined)
    throw new CommandError(
      `The export goes on behind its page ${pages.length}, and the rest is missing: write it whole, with volley export.`,
    );
  return joined;
}

/** Join two values of a field: lists behind each other, objects field by field. */
function join(one: unknown, other: unknown): JsonObject {
  if (!isJsonObject(one) || !isJsonObject(other)) return other as JsonObject;
  const fields = Object.entries(other).map(([name, value]) => {
    const known = one[name];
    if (Array.isArray(known) && Array.isArray(value)) return [name, [...known, ...value]] as const;
    return [name, isJsonObject(known) ? { ...known, ...join(known, value) } : value] as const;
  });
  return Object.fromEntries(fields);
}
