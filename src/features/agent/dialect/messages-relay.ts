import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { err, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import {
  type Ending,
  type IsTheirs,
  joinWords,
  type ModelEvent,
  type ModelTurn,
  readEvent,
  type Relay,
  type RelayMode,
  type StreamFault,
  weighText,
} from "./dialect.ts";
import { isCalled } from "../../../turns/turn-table.ts";
import {
  beginBlock,
  type StreamedBlock,
  takePiece,
  tellIn,
  toBlock,
  toEvent,
  toLegalId,
  toPing,
  toTurn,
  writeText,
  writeUse,
} from "./messages-content.ts";
import { toMessagesError, writeError } from "./provider-error.ts";
import { takeId } from "./conversation.ts";

const NO_DELTA: JsonObject = { type: "message_delta" };

/** The fields of the last event on usage. */
const USAGE =
  "input_tokens cache_creation_input_tokens cache_read_input_tokens output_tokens server_tool_use".split(" ");

/**
 * Passes streams of Messages on as one message: one `message_start`, blocks with indexes in a row, one `message_delta` and one
 * `message_stop`, which are held back until it is known that the answer ends with them.
 *
 * Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming
 */
export class MessagesRelay implements Relay {
  readonly #isTheirs: IsTheirs;
  #hasBegun = false;
  #hasPassed = false;
  #before = 0;
  #shown = 0;

  #mode: RelayMode = "open";
  #message: JsonObject | null = null;
  #blocks: StreamedBlock[] = [];
  #places = new Map<unknown, StreamedBlock>();
  #earlier: ReadonlySet<string> = new Set();
  #ids = new Set<string>();
  #calls = 0;
  #delta: { readonly raw: string; readonly data: JsonObject } | null = null;
  #stop: string | null = null;
  #kept = 0;

  constructor(isTheirs: IsTheirs) {
    this.#isTheirs = isTheirs;
  }

  begin(mode: RelayMode, ids: ReadonlySet<string> = new Set()): void {
    if (this.#hasPassed && this.#stop !== null) this.#before += 1;
    this.#mode = mode;
    this.#message = null;
    this.#blocks = [];
    this.#places = new Map();
    this.#earlier = ids;
    this.#ids = new Set(ids);
    this.#calls = 0;
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
    const response = {
      ...this.#message,
      ...(isJsonObject(delta) && delta),
      content,
      ...(usage !== null && { usage }),
    };
    return toTurn(content, response, { isTheirs: this.#isTheirs, ids: this.#earlier });
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
    const words = joinWords(said, ending.words);
    return [
      this.#hasBegun ? "" : this.#beginSilent(),
      words === "" ? "" : writeText(words, this.#shown++),
      ...(isSilent ? ending.calls.map((call) => writeUse(call, this.#shown++)) : []),
      this.#endDelta(ending),
      toPing(ending.report),
      this.#stop ?? toEvent({ type: "message_stop" }),
    ].join("");
  }

  fail(refusal: Refusal, report: string | null = null): string {
    return `event: error\ndata: ${writeError(toMessagesError(refusal), report)}\n\n`;
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
    if (type === "content_block_delta" && isJsonObject(event["delta"])) takePiece(block, event["delta"]);
    const { shownAs } = block;
    if (shownAs === null) return "";
    const isSame = shownAs === index && (!begins || block.block["id"] === sent["id"]);
    if (isSame) return raw;
    return toEvent({ ...event, index: shownAs, ...(begins && { content_block: block.block }) });
  }

  #open(sent: JsonObject, index: unknown): StreamedBlock {
    const isCall = isCalled("messages", sent["type"]);
    const isShown = !isCall || (this.#mode === "open" && this.#isTheirs({ name: String(sent["name"]) }));
    const shownAs = isShown && this.#mode !== "silent" ? this.#shown++ : null;
    const block = isCall ? { ...sent, id: takeId(toLegalId(sent["id"]), this.#calls++, this.#ids) } : sent;
    const opened = beginBlock(block, shownAs);
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
    const message = { ...this.#message, content: [], stop_reason: null, stop_sequence: null };
    return toEvent({ type: "message_start", message });
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
