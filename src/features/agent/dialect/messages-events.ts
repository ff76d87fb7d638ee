import type { JsonObject } from "../../../core/contract/json.ts";
import type { ModelCall } from "./dialect.ts";
import { toUse } from "./messages-content.ts";

/** Write an event of a stream of Messages. */
export function toEvent(data: JsonObject): string {
  return `event: ${String(data["type"])}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The same with a report of ours. Official clients give no ping to their callers, but every other event with all its fields. */
export function tellIn(data: JsonObject, volley: string): string {
  const event = JSON.stringify(data);
  return `event: ${String(data["type"])}\ndata: ${event.slice(0, -1)},"volley":${volley}}\n\n`;
}

/** Tell what no server of the protocol would: clients pass over a ping, whatever it says. */
export function toPing(volley: string): string {
  return `event: ping\ndata: {"type":"ping","volley":${volley}}\n\n`;
}

/** Write a text of ours as a block of its own. */
export function writeText(text: string, index: number): string {
  return [
    toEvent({ type: "content_block_start", index, content_block: { type: "text", text: "" } }),
    toEvent({ type: "content_block_delta", index, delta: { type: "text_delta", text } }),
    toEvent({ type: "content_block_stop", index }),
  ].join("");
}

/** Write a call that a model wrote as text as a block of its own. */
export function writeUse(call: ModelCall, index: number): string {
  const partial_json = call.written;
  return [
    toEvent({ type: "content_block_start", index, content_block: { ...toUse(call), input: {} } }),
    toEvent({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } }),
    toEvent({ type: "content_block_stop", index }),
  ].join("");
}
