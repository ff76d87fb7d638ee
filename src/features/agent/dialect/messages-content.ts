import { isJsonObject, type JsonObject, parseExact } from "../../../feature/schema.ts";
import { attemptNow, ok } from "../../../feature/refuse.ts";
import { isCalled, legalName, whatIsDone } from "../../../turns/turn-table.ts";
import { type ModelCall, type ModelTurn, type Reading, withReport } from "./dialect.ts";
import { makeUnique, textOf } from "./conversation.ts";
import { readArguments } from "./repair-arguments.ts";

/** A block of a message's content. */
export type Block = JsonObject;

/**
 * Read a model's content, and make of it what goes back into the conversation, with names and ids that the API takes. Blocks of
 * thinking go back as they came: they are signed.
 */
export function toTurn(
  content: readonly Block[],
  response: JsonObject,
  { isTheirs, ids: earlier }: Reading,
): ModelTurn {
  const uses = usesIn(content);
  const unique = makeUnique(
    uses.map(({ id }) => toLegalId(id)),
    earlier,
  );
  const ids = new Map(unique.map((id, at) => [uses[at]!, id]));
  const calls: ModelCall[] = [];
  const blocks = content.flatMap((block): Block[] => {
    const id = ids.get(block);
    if (id === undefined) return isBlank(block) ? [] : [withoutNulls(block)];
    if (!isCalled("messages", block["type"])) {
      calls.push(toForeign(block));
      return [withoutNulls(block)];
    }
    const name = typeof block["name"] === "string" ? block["name"] : "";
    const own = { id, name, ...readArguments(name, block["input"]) };
    calls.push(own);
    const legal = isTheirs(own) ? name : legalName(name);
    return [{ ...withoutNulls(block), id, name: legal, input: own.args.ok ? own.args.value : {} }];
  });
  return {
    calls,
    text: textOf(content),
    message: { role: "assistant", content: blocks },
    usage: isJsonObject(response["usage"]) ? response["usage"] : null,
    response,
    reason: response["stop_reason"],
    ...(whatIsDone("messages", response["stop_reason"]) === "asked again" && { paused: true }),
  };
}

/** The blocks of a content that call a tool, or wait for another answer than ours. */
export function usesIn(content: readonly Block[]): readonly Block[] {
  return content.filter(({ type, id }) => {
    const done = whatIsDone("messages", type);
    return done === "runs" || (done === "handed over" && !isAnswered(id, content));
  });
}

/** Leave out the provider's own calls that it has not answered: what a person says next would not be taken behind them. */
export function endPause(content: readonly Block[]): readonly Block[] {
  return content.filter(
    ({ type, id }) =>
      !(typeof type === "string" && type.endsWith("_use") && type !== "tool_use") || isAnswered(id, content),
  );
}

function isAnswered(id: unknown, content: readonly Block[]): boolean {
  return content.some(({ tool_use_id }) => tool_use_id !== undefined && tool_use_id === id);
}

function toForeign(block: Block): ModelCall {
  const { id, type } = block;
  return { id: String(id), name: String(type), args: ok({}), closed: false, written: "{}", foreign: true };
}

/** An id as the API takes one: letters, digits, `_` and `-`. */
export function toLegalId(id: unknown): unknown {
  return typeof id === "string" ? id.replaceAll(/[^A-Za-z0-9_-]/g, "_") : id;
}

/** The API refuses a text of nothing, and of nothing but space, which its models write all the same. */
function isBlank({ type, text }: Block): boolean {
  return type === "text" && typeof text === "string" && text.trim() === "";
}

function withoutNulls(block: Block): Block {
  return Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null));
}

/** A call that a model wrote as text, as it would stand in a message. */
export function toUse({ id, name, args }: ModelCall): Block {
  return { type: "tool_use", id, name, input: args.ok ? args.value : {} };
}

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
export function toBlock(streamed: StreamedBlock): JsonObject {
  const { block, text, json, thinking, citations, signature, more } = streamed;
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
  return `event: ${String(data["type"])}\ndata: ${withReport(data, volley)}\n\n`;
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
