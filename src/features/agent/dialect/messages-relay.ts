import { isJsonObject, type JsonObject, parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import { attemptNow, err, ok, type Result } from "../../../core/kit/result.ts";
import type { Ending, ModelCall, ModelTurn, Relay, RelayMode, StreamFault } from "./dialect.ts";
import { toTurn, toUse } from "./messages-content.ts";
import { type ModelEvent, readEvent } from "./model-event.ts";
import { toMessagesError } from "./provider-error.ts";
import { takeId } from "./read-conversation.ts";
import { weighText } from "./weigh-text.ts";

/** A block of content as its pieces arrive. */
interface PartialBlock {
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

interface Held {
  readonly raw: string;
  readonly data: JsonObject;
}

const NO_DELTA: JsonObject = { type: "message_delta" };

/** The fields of the last event on usage. */
const USAGE = [
  "input_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "output_tokens",
  "server_tool_use",
];

/**
 * Passes streams of Messages on as one message: one `message_start`, blocks with indexes in a row, one `message_delta` and one
 * `message_stop`, which are held back until it is known that the answer ends with them.
 *
 * Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming
 */
export class MessagesRelay implements Relay {
  readonly #isTheirs: (name: string) => boolean;
  #hasBegun = false;
  #hasPassed = false;
  #before = 0;
  #shown = 0;

  #mode: RelayMode = "open";
  #message: JsonObject | null = null;
  #blocks: PartialBlock[] = [];
  #places = new Map<unknown, PartialBlock>();
  #ids = new Set<string>();
  #delta: Held | null = null;
  #stop: string | null = null;
  #kept = 0;

  constructor(isTheirs: (name: string) => boolean) {
    this.#isTheirs = isTheirs;
  }

  begin(mode: RelayMode): void {
    if (this.#hasPassed && this.#stop !== null) this.#before += 1;
    this.#mode = mode;
    this.#message = null;
    this.#blocks = [];
    this.#places = new Map();
    this.#ids = new Set();
    this.#delta = null;
    this.#stop = null;
    this.#kept = 0;
  }

  get kept(): number {
    return this.#kept;
  }

  get isOver(): boolean {
    return this.#stop !== null;
  }

  take(said: ModelEvent): Result<string, StreamFault> {
    const { raw, data } = said;
    if (this.#stop !== null) return ok("");
    if (data === null) return ok(this.#passed(raw));
    const event = readEvent(said);
    if (event === null) return err("unreadable");
    switch (event["type"]) {
      case "error":
        return err("error");
      case "message_start":
        return ok(this.#passed(this.#start(raw, event)));
      case "message_delta":
        this.#kept += raw.length;
        this.#delta = { raw, data: event };
        return ok("");
      case "message_stop":
        this.#stop = raw;
        return ok("");
      case "content_block_start":
      case "content_block_delta":
      case "content_block_stop":
        if (this.#blocks.length > LIMITS.modelCalls) return err("too large");
        return ok(this.#passed(this.#takeBlock(raw, event)));
      default:
        return ok(this.#passed(raw));
    }
  }

  turn(): ModelTurn | null {
    if (this.#message === null || (this.#stop === null && this.#delta === null)) return null;
    const content = this.#blocks.map(toBlock);
    const { delta } = this.#delta?.data ?? {};
    const usage = this.#used();
    return toTurn(content, {
      ...this.#message,
      ...(isJsonObject(delta) && delta),
      content,
      ...(usage !== null && { usage }),
    });
  }

  proceed(): string {
    return "";
  }

  result(json: string): string {
    return toPing(`{"result":${json}}`);
  }

  end(ending: Ending): string {
    const isSilent = this.#mode === "silent";
    const said = isSilent ? (ending.text ?? this.turn()?.text ?? "") : "";
    const words = [said, ending.words ?? ""].filter((part) => part !== "").join("\n\n");
    return [
      this.#hasBegun ? "" : this.#beginSilent(),
      words === "" ? "" : this.#writeText(words),
      ...(isSilent ? ending.calls.map((call) => this.#writeUse(call)) : []),
      this.#endDelta(ending),
      toPing(ending.report),
      this.#stop ?? toEvent({ type: "message_stop" }),
    ].join("");
  }

  fail(refusal: Refusal): string {
    return toEvent({ ...toMessagesError(refusal) });
  }

  #passed(text: string): string {
    if (this.#mode === "silent") return "";
    this.#hasPassed ||= text !== "";
    return text;
  }

  #start(raw: string, { message }: JsonObject): string {
    this.#message = isJsonObject(message) ? message : {};
    this.#kept += weighText(this.#message);
    const isFirst = !this.#hasBegun;
    if (this.#mode !== "silent") this.#hasBegun = true;
    return isFirst ? raw : "";
  }

  #takeBlock(raw: string, event: JsonObject): string {
    const { type, index } = event;
    const begins = type === "content_block_start";
    const sent = begins && isJsonObject(event["content_block"]) ? event["content_block"] : {};
    const block = begins ? this.#open(sent, index) : this.#places.get(index);
    if (block === undefined) return "";
    this.#kept += weighText(begins ? sent : event["delta"]);
    if (type === "content_block_delta" && isJsonObject(event["delta"])) take(block, event["delta"]);
    const { shownAs } = block;
    if (shownAs === null) return "";
    const isSame = shownAs === index && (!begins || block.block["id"] === sent["id"]);
    if (isSame) return raw;
    return toEvent({ ...event, index: shownAs, ...(begins && { content_block: block.block }) });
  }

  #open(sent: JsonObject, index: unknown): PartialBlock {
    const isCall = sent["type"] === "tool_use";
    const isShown = !isCall || (this.#mode === "open" && this.#isTheirs(String(sent["name"])));
    const shownAs = isShown && this.#mode !== "silent" ? this.#shown++ : null;
    const block = isCall ? { ...sent, id: takeId(sent["id"], this.#ids.size, this.#ids) } : sent;
    const opened: PartialBlock = {
      block,
      text: [],
      json: [],
      thinking: [],
      citations: [],
      signature: undefined,
      more: {},
      shownAs,
    };
    this.#places.set(index, opened);
    this.#blocks.push(opened);
    return opened;
  }

  /** The last word on a number counts: what comes at the end is the sum so far. */
  #used(): JsonObject | null {
    const begun = this.#message?.["usage"];
    const ended = this.#delta?.data["usage"];
    if (!isJsonObject(begun) && !isJsonObject(ended)) return null;
    const known = Object.entries(isJsonObject(ended) ? ended : {}).filter(([, value]) => value !== null);
    return { ...(isJsonObject(begun) && begun), ...Object.fromEntries(known) };
  }

  #beginSilent(): string {
    this.#hasBegun = true;
    const message = {
      ...this.#message,
      content: [],
      stop_reason: null,
      stop_sequence: null,
    };
    return toEvent({ type: "message_start", message });
  }

  #writeText(text: string): string {
    const index = this.#shown++;
    return [
      toEvent({ type: "content_block_start", index, content_block: { type: "text", text: "" } }),
      toEvent({ type: "content_block_delta", index, delta: { type: "text_delta", text } }),
      toEvent({ type: "content_block_stop", index }),
    ].join("");
  }

  #writeUse(call: ModelCall): string {
    const index = this.#shown++;
    const partial_json = call.written;
    return [
      toEvent({ type: "content_block_start", index, content_block: { ...toUse(call), input: {} } }),
      toEvent({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } }),
      toEvent({ type: "content_block_stop", index }),
    ].join("");
  }

  #endDelta({ calls, usage, text, words, report }: Ending): string {
    const { raw, data } = this.#delta ?? { raw: "", data: NO_DELTA };
    const delta = isJsonObject(data["delta"]) ? data["delta"] : {};
    const isOwn = text !== undefined || words !== undefined;
    const isMeant = !isOwn && (delta["stop_reason"] !== "tool_use" || calls.length > 0);
    const isOnly = this.#before === 0 && this.#mode !== "silent";
    const isSame = isOnly && isMeant && raw !== "" && isSameUsage(usage, this.#used());
    if (isSame) return tellIn(data, report);
    const own = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
    const total = Object.entries(usage ?? {}).filter(([key]) => USAGE.includes(key));
    return tellIn({ ...data, delta: isMeant ? delta : own, usage: Object.fromEntries(total) }, report);
  }
}

/** Told by its JSON: both were made of the same numbers, in the same order. */
function isSameUsage(total: JsonObject | null, used: JsonObject | null): boolean {
  return JSON.stringify(total) === JSON.stringify(used);
}

function take(block: PartialBlock, delta: JsonObject): void {
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
function toBlock({ block, text, json, thinking, citations, signature, more }: PartialBlock): JsonObject {
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

function toEvent(data: JsonObject): string {
  return `event: ${String(data["type"])}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Official clients give no ping to their callers, but every other event with all its fields. */
function tellIn(data: JsonObject, volley: string): string {
  const event = JSON.stringify(data);
  return `event: ${String(data["type"])}\ndata: ${event.slice(0, -1)},"volley":${volley}}\n\n`;
}

/** Clients pass over a ping, whatever it says. */
function toPing(volley: string): string {
  return `event: ping\ndata: {"type":"ping","volley":${volley}}\n\n`;
}
