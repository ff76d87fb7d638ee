import { isJsonObject, type JsonObject, parseExact } from "../../../core/contract/json.ts";
import type { ServerSentEvent } from "../../../core/kit/event-splitter.ts";
import { attemptNow } from "../../../core/kit/result.ts";

/** An event of a model's stream. */
export interface ModelEvent extends ServerSentEvent {
  /** Its data, where that was read already. */
  readonly value?: JsonObject;
}

/** Read what an event says; null where that is no object. */
export function readEvent({ data, value }: Pick<ModelEvent, "data" | "value">): JsonObject | null {
  if (value !== undefined || data === null) return value ?? null;
  const parsed = attemptNow(() => parseExact(data));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}
