import { isJsonObject } from "../../../core/contract/json.ts";
import { type ModelEvent, readEvent } from "./model-event.ts";

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
