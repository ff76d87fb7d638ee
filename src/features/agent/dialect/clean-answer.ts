import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { type ModelEvent, readEvent } from "./dialect.ts";

/** The text that the chosen tokens of `logprobs` are, in all of its lists. */
export function tokensIn(logprobs: unknown): string {
  const lists = Array.isArray(logprobs)
    ? [logprobs]
    : isJsonObject(logprobs)
      ? Object.values(logprobs).filter((list) => Array.isArray(list))
      : [];
  return lists
    .flat()
    .map((one: unknown) => (isJsonObject(one) && typeof one["token"] === "string" ? one["token"] : ""))
    .join("");
}

/** Take the `logprobs` out of an answer whose tokens say, one after the other, what no text of it may. */
export function withoutTokens(answer: unknown, says: (text: string) => boolean): unknown {
  if (Array.isArray(answer)) return mapSame(answer as readonly unknown[], (one) => withoutTokens(one, says));
  if (!isJsonObject(answer)) return answer;
  return mapFields(answer, (field, key) => {
    if (key !== "logprobs") return withoutTokens(field, says);
    return says(tokensIn(field)) ? null : field;
  });
}

/** The field under which this deployment speaks: a model's server has none, whatever it sends. */
const OURS = "volley";

/** Messages begin their streams with a message, which clients make their answer of. */
export function withoutOurs(said: unknown): unknown {
  if (!isJsonObject(said)) return said;
  const { [OURS]: forged, message, ...rest } = said;
  const isMessageClean = !isJsonObject(message) || !Object.hasOwn(message, OURS);
  if (forged === undefined && isMessageClean) return said;
  return { ...rest, ...(message !== undefined && { message: withoutOurs(message) }) };
}

/** An event as it came, unless it has our field, which JSON may write with escapes, or a name of ours. */
export function withoutOurVoice(event: ModelEvent): ModelEvent {
  const { data } = event;
  const name = event.name.startsWith(OURS) ? "" : event.name;
  if (data === null || !(event.raw.includes(OURS) || data.includes("\\u"))) return event;
  const value = readEvent(event);
  if (value === null || (name === event.name && withoutOurs(value) === value)) return event;
  const json = JSON.stringify(withoutOurs(value));
  return { name, data: json, raw: `${name === "" ? "" : `event: ${name}\n`}data: ${json}\n\n` };
}

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
