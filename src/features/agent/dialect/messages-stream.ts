import { type JsonObject, parseExact } from "../../../core/contract/json.ts";
import { attemptNow } from "../../../core/kit/result.ts";
import type { ModelCall } from "./dialect.ts";
import { toUse } from "./messages-content.ts";

/** A block of content as its pieces arrive. */
export interface StreamedBlock {
  readonly block: JsonObject;
  readonly text: string[];
  readonly json: string[];
  readonly thinking: string[];
  readonly citations: unknown[];
  signature: unknown;
  /** Fields that came at once for a block of another type. */
  more: JsonObject;
  /** Which block of the caller's answer it is; null where it is not in it. */
  readonly shownAs: number | null;
}

/** Begin a block. @param shownAs which block of the caller's answer it is; null where it is not in it */
export function beginBlock(block: JsonObject, shownAs: number | null): StreamedBlock {
  return { block, text: [], json: [], thinking: [], citations: [], signature: undefined, more: {}, shownAs };
}

/** Keep a piece of a block. */
export function takePiece(block: StreamedBlock, delta: JsonObject): void {
  const { type, text, partial_json, thinking, signature, citation } = delta;
  if (type === "text_delta" && typeof text === "string") block.text.push(text);
  else if (type === "input_json_delta" && typeof partial_json === "string") block.json.push(partial_json);
  else if (type === "thinking_delta" && typeof thinking === "string") block.thinking.push(thinking);
  else if (type === "signature_delta") block.signature = signature;
  else if (type === "citations_delta") block.citations.push(citation);
  else if (type === "compaction_delta") {
    const { type: _, ...more } = delta;
    block.more = more;
  }
}

/** A block with all its pieces. Arguments stay the text that they came as where that is no JSON: it may be repaired. */
export function toBlock({
  block,
  text,
  json,
  thinking,
  citations,
  signature,
  more,
}: StreamedBlock): JsonObject {
  switch (block["type"]) {
    case "text": {
      const said = [String(block["text"] ?? ""), ...text].join("");
      return { ...block, text: said, ...(citations.length > 0 && { citations }) };
    }
    case "thinking": {
      const thought = [String(block["thinking"] ?? ""), ...thinking].join("");
      return { ...block, thinking: thought, ...(signature !== undefined && { signature }) };
    }
    default: {
      const written = json.join("");
      // A call without arguments has a piece of nothing.
      if (written.trim() === "") return { ...block, ...more };
      const parsed = attemptNow(() => parseExact(written));
      return { ...block, input: parsed.ok ? parsed.value : written };
    }
  }
}

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
