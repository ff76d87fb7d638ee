import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";

/**
 * Put the pieces of a message's field together: text and lists grow, and other values are replaced by the last one. A growing
 * list is a copy made once: made for each piece, many small ones would cost their square.
 */
export function growField(sofar: unknown, value: unknown): unknown {
  if (value === null || value === undefined) return sofar;
  if (typeof sofar === "string" && typeof value === "string") return sofar + value;
  if (Array.isArray(value)) {
    const list = Array.isArray(sofar) ? (sofar as unknown[]) : [];
    for (const one of value as unknown[]) growList(list, one);
    return list;
  }
  return isJsonObject(value) ? growObject(isJsonObject(sofar) ? sofar : null, value) : value;
}

/** Pieces of one entry follow each other under its index, as those of OpenRouter's `reasoning_details`. */
function growList(list: unknown[], one: unknown): void {
  const last = list.at(-1);
  if (!isJsonObject(one)) list.push(one);
  else if (!isJsonObject(last) || typeof one["index"] !== "number" || !isSameEntry(last, one))
    list.push(growObject(null, one));
  else growObject(last, one, ENTRY_TEXT);
}

function isSameEntry(last: JsonObject, one: JsonObject): boolean {
  return last["index"] === one["index"] && last["type"] === one["type"];
}

/** The fields of an entry that come in pieces; its other fields come whole, maybe again and again. */
const ENTRY_TEXT: ReadonlySet<string> = new Set(["text", "summary"]);

/** Without a prototype, so that every key is one. */
function growObject(sofar: JsonObject | null, value: JsonObject, texts?: ReadonlySet<string>): JsonObject {
  const own = (sofar ?? Object.create(null)) as Record<string, unknown>;
  for (const [key, field] of Object.entries(value)) {
    const before = own[key];
    if (texts?.has(key) === true && typeof before === "string" && typeof field === "string")
      own[key] = before + field;
    else if (field !== null || before === undefined) own[key] = field;
  }
  return own;
}
