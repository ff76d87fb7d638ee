import { isJsonObject, type JsonObject, parseExact } from "../../contract/json.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Refusal } from "../../contract/refusal.ts";
import { attemptNow, err, ok, type Result } from "../../kit/result.ts";
import { toToolCalls, toTurn, wordsOf } from "./chat-message.ts";
import type { Ending, ModelTurn, Relay, RelayMode, StreamFault } from "./dialect.ts";
import type { ServerSentEvent } from "./event-splitter.ts";
import { toChatError } from "./provider-error.ts";
import { takeId } from "./read-conversation.ts";

/** A call as its pieces arrive. */
interface PartialCall {
  readonly id: string;
  /** The id it came with, which may be none or another's. */
  readonly sentId: unknown;
  readonly fields: JsonObject;
  /** Of a custom tool, whose input is text. */
  readonly isCustom: boolean;
  name: string;
  readonly args: string[];
  /** Which call of the caller's answer it is; null where it is not in it. */
  shownAs: number | null;
}

/** A piece of a call, and whose. */
interface Piece {
  readonly piece: JsonObject;
  readonly call: PartialCall;
  /** The call begins with it. */
  readonly isFirst: boolean;
}

/** A chunk that is not passed on before it is known how the answer goes on. */
interface Held {
  readonly raw: string;
  readonly chunk: JsonObject;
}

const DONE = "data: [DONE]\n\n";

/**
 * Passes streams of Chat Completions on as one.
 *
 * The chunk with the `finish_reason` and the one with the usage are held back until the stream is over: only then is it known
 * whether the answer ends with it. What has to change in a chunk is all that does.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat-streaming
 */
export class ChatRelay implements Relay {
  readonly #isTheirs: (name: string) => boolean;
  /** What says which answer it is: the same in all chunks, whichever stream they are of. */
  #answer: JsonObject | null = null;
  #hasRole = false;
  #shown = 0;
  /** Whether anything was passed on, and how many streams were over before this one. */
  #hasPassed = false;
  #before = 0;

  #mode: RelayMode = "open";
  #calls: PartialCall[] = [];
  #ids = new Set<string>();
  /** Of each index the call that its next piece belongs to. */
  #open = new Map<number, PartialCall>();
  #message = new Map<string, unknown>();
  #content: string[] = [];
  #hasContent = false;
  #finish: Held | null = null;
  #usage: Held | null = null;
  #used: JsonObject | null = null;
  /** The event that ended the stream, as it came; null before. */
  #done: string | null = null;
  /** Of the stream under way the first chunk's. */
  #response: JsonObject = {};

  constructor(isTheirs: (name: string) => boolean) {
    this.#isTheirs = isTheirs;
  }

  begin(mode: RelayMode): void {
    const wasOver = this.isOver || this.#finish !== null;
    if (!this.#hasPassed) this.#answer = null;
    else if (wasOver) this.#before += 1;
    this.#mode = mode;
    this.#calls = [];
    this.#ids = new Set();
    this.#open = new Map();
    this.#message = new Map();
    this.#content = [];
    this.#hasContent = false;
    this.#finish = null;
    this.#usage = null;
    this.#used = null;
    this.#done = null;
    this.#response = {};
  }

  get isOver(): boolean {
    return this.#done !== null;
  }

  take(event: ServerSentEvent): Result<string, StreamFault> {
    const taken = this.#take(event);
    this.#hasPassed ||= taken.ok && taken.value !== "";
    return taken;
  }

  #take({ raw, data }: ServerSentEvent): Result<string, StreamFault> {
    if (data === null) return ok(this.#mode === "silent" ? "" : raw);
    if (data.trim() === "[DONE]") {
      this.#done = raw;
      return ok("");
    }
    const parsed = attemptNow(() => parseExact(data));
    if (!parsed.ok || !isJsonObject(parsed.value)) return err("unreadable");
    const chunk = parsed.value;
    if (chunk["error"] !== undefined && chunk["error"] !== null) return err("error");
    if (Object.keys(this.#response).length === 0) {
      const { id, created, model } = chunk;
      this.#response = { id, object: "chat.completion", created, model };
    }
    this.#answer ??= this.#response;
    if (isJsonObject(chunk["usage"])) this.#used = chunk["usage"];
    const [choice] = Array.isArray(chunk["choices"]) ? (chunk["choices"] as unknown[]) : [];
    if (!isJsonObject(choice)) return ok(this.#takeAside({ raw, chunk }));
    const delta = isJsonObject(choice["delta"]) ? choice["delta"] : {};
    const pieces = this.#accumulate(delta);
    if (this.#calls.length > LIMITS.modelCalls) return err("too large");
    if (typeof choice["finish_reason"] === "string") {
      this.#finish = { raw, chunk };
      // It is held back, but not the calls that it may bring.
      return ok(pieces.length > 0 ? this.#passCalls(chunk, choice, pieces) : "");
    }
    if (this.#mode === "silent") return ok("");
    return ok(this.#pass({ raw, chunk }, { choice, delta, pieces }));
  }

  turn(): ModelTurn | null {
    if (this.#finish === null && !this.isOver) return null;
    const calls = this.#calls.map(toEntry);
    const message = {
      ...Object.fromEntries(this.#message),
      role: "assistant",
      content: this.#hasContent ? this.#content.join("") : null,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return toTurn(message, { ...this.#response, ...(this.#used !== null && { usage: this.#used }) });
  }

  proceed(): string {
    const last = this.#finish;
    const delta = last === null ? null : deltaOf(last.chunk);
    if (this.#mode === "silent" || delta === null || !hasText(delta)) return "";
    this.#hasPassed = true;
    return this.#write({ delta: { content: delta["content"] } });
  }

  result(json: string): string {
    return this.#tell(`{"result":${json}}`);
  }

  end(ending: Ending): string {
    const turn = this.turn();
    const isSilent = this.#mode === "silent";
    const words = isSilent
      ? (wordsOf({ text: turn?.text ?? "" }, ending) ?? turn?.text ?? "")
      : sayMore(turn?.text ?? "", ending);
    const isAsIs = !isSilent && words === null && this.#finish !== null;
    const usage = this.#endUsage(ending.usage);
    return [
      ...(words === null || words === "" ? [] : [this.#write({ delta: this.#withRole({ content: words }) })]),
      ...(isSilent && ending.calls.length > 0 ? [this.#writeCalls(ending)] : []),
      isAsIs ? this.#endAsIs(ending) : this.#endWith(ending.calls.length > 0 ? "tool_calls" : "stop"),
      usage,
      this.#tell(ending.report),
      this.#done ?? DONE,
    ].join("");
  }

  fail(refusal: Refusal): string {
    return `data: ${JSON.stringify(toChatError(refusal))}\n\n${DONE}`;
  }

  /** A chunk without a choice: the usage, or what a server says of itself. */
  #takeAside(held: Held): string {
    if (isJsonObject(held.chunk["usage"])) {
      this.#usage = held;
      return "";
    }
    return this.#mode === "silent" || this.#before > 0 ? "" : held.raw;
  }

  /** Keep what a delta says; the pieces of calls in it. */
  #accumulate(delta: JsonObject): readonly Piece[] {
    for (const [key, value] of Object.entries(delta)) {
      if (key === "role" || key === "tool_calls") continue;
      if (key === "content") this.#hear(value);
      else this.#message.set(key, grow(this.#message.get(key), value));
    }
    const { tool_calls: sent } = delta;
    const pieces = Array.isArray(sent) ? (sent as readonly unknown[]).filter(isJsonObject) : [];
    return pieces.map((piece, at) => this.#takePiece(piece, at));
  }

  #hear(content: unknown): void {
    if (typeof content !== "string") return;
    this.#hasContent = true;
    if (content !== "") this.#content.push(content);
  }

  #takePiece(piece: JsonObject, at: number): Piece {
    const { index, function: called, custom, id, ...fields } = piece;
    const place = typeof index === "number" ? index : at;
    const sent = isJsonObject(custom) ? custom : isJsonObject(called) ? called : {};
    const { name, arguments: args, input = args, ...others } = sent;
    const known = this.#open.get(place);
    const isFirst = known === undefined || beginsAnother(known, piece, name);
    const call: PartialCall = isFirst
      ? {
          id: takeId(id, this.#calls.length, this.#ids),
          sentId: id,
          fields: { ...fields, function: others },
          isCustom: isJsonObject(custom),
          name: "",
          args: [],
          shownAs: null,
        }
      : known;
    if (isFirst) {
      this.#calls.push(call);
      this.#open.set(place, call);
    }
    if (typeof name === "string" && call.name === "") {
      call.name = name;
      if (this.#mode === "open" && this.#isTheirs(name)) call.shownAs = this.#shown++;
    }
    if (typeof input === "string") call.args.push(input);
    return { piece, call, isFirst };
  }

  /** Pass a chunk on: as it came, where nothing in it has to be another. */
  #pass(
    { raw, chunk }: Held,
    { choice, delta, pieces }: { choice: JsonObject; delta: JsonObject; pieces: readonly Piece[] },
  ): string {
    const isFirst = this.#before === 0;
    const shown = this.#toShown(pieces);
    const isSame = shown.length === pieces.length && shown.every((piece, at) => piece === pieces[at]!.piece);
    if (isFirst && isSame) {
      this.#hasRole ||= delta["role"] !== undefined;
      return raw;
    }
    const { tool_calls: _, role, ...said } = delta;
    const rest = {
      ...(role !== undefined && !this.#hasRole && { role }),
      ...Object.fromEntries(Object.entries(said).filter(([, value]) => isFirst || !isNothing(value))),
      ...(shown.length > 0 && { tool_calls: shown }),
    };
    this.#hasRole ||= role !== undefined;
    const isEmpty = Object.values(rest).every(isNothing) && !("role" in rest);
    return isEmpty ? "" : this.#rewrite(chunk, { ...choice, delta: rest });
  }

  #passCalls(chunk: JsonObject, choice: JsonObject, pieces: readonly Piece[]): string {
    const shown = this.#mode === "silent" ? [] : this.#toShown(pieces);
    if (shown.length === 0) return "";
    return this.#rewrite(chunk, {
      ...choice,
      delta: this.#withRole({ tool_calls: shown }),
      finish_reason: null,
    });
  }

  /** The pieces of calls that are in the caller's answer, under their indexes there. */
  #toShown(pieces: readonly Piece[]): JsonObject[] {
    return pieces.flatMap(({ piece, call: { id, shownAs }, isFirst }): readonly JsonObject[] => {
      if (shownAs === null) return [];
      const isSame = shownAs === piece["index"] && (!isFirst || id === piece["id"]);
      return [isSame ? piece : { ...piece, index: shownAs, ...(isFirst && { id }) }];
    });
  }

  #endAsIs({ calls, usage }: Ending): string {
    const { raw, chunk } = this.#finish!;
    const [choice] = chunk["choices"] as [JsonObject];
    const { tool_calls: sent, role: _, ...delta } = deltaOf(chunk) ?? {};
    const isMeant = choice["finish_reason"] !== "tool_calls" || calls.length > 0;
    if (this.#isUntouched(usage) && isMeant && sent === undefined) return raw;
    const { usage: __, ...rest } = chunk;
    return this.#rewrite(rest, { ...choice, delta, ...(!isMeant && { finish_reason: "stop" }) });
  }

  #endWith(finish_reason: string): string {
    return this.#write({ delta: {}, finish_reason });
  }

  /** Usage is told to who asked for it: then the model's server was asked too. */
  #endUsage(usage: JsonObject | null): string {
    if (usage === null || this.#used === null) return "";
    if (this.#usage === null) {
      const isSaid = this.#isUntouched(usage) && isJsonObject(this.#finish?.chunk["usage"]);
      return isSaid ? "" : this.#chunk([], { usage });
    }
    const { raw, chunk } = this.#usage;
    return this.#isUntouched(usage) ? raw : `data: ${this.#named({ ...chunk, usage })}\n\n`;
  }

  /** Whether this is the only stream, with nothing to add to what it used. */
  #isUntouched(usage: JsonObject | null): boolean {
    return this.#before === 0 && this.#used === usage && this.#mode !== "silent";
  }

  #writeCalls({ calls }: Ending): string {
    const tool_calls = toToolCalls({ message: {} }, calls).map((call, index) => ({ index, ...call }));
    return this.#write({ delta: this.#withRole({ content: null, tool_calls }) });
  }

  #withRole(delta: JsonObject): JsonObject {
    const begun = this.#hasRole;
    this.#hasRole = true;
    return begun ? delta : { role: "assistant", ...delta };
  }

  #write({ delta, finish_reason = null }: { delta: JsonObject; finish_reason?: string | null }): string {
    return this.#chunk([{ index: 0, delta, finish_reason }]);
  }

  /** Tell what no server of the protocol would: clients pass over a chunk without choices. */
  #tell(volley: string): string {
    const { object: _, ...answer } = this.#answer ?? {};
    const head = JSON.stringify({ ...answer, object: "chat.completion.chunk", choices: [] });
    return `data: ${head.slice(0, -1)},"volley":${volley}}\n\n`;
  }

  #chunk(choices: readonly JsonObject[], more: JsonObject = {}): string {
    return `data: ${this.#named({ object: "chat.completion.chunk", choices, ...more })}\n\n`;
  }

  #rewrite(chunk: JsonObject, choice: JsonObject): string {
    return `data: ${this.#named({ ...chunk, choices: [choice] })}\n\n`;
  }

  #named(chunk: JsonObject): string {
    const { id, created, model } = this.#answer ?? {};
    return JSON.stringify({ ...chunk, id, created, model });
  }
}

/** What is said after text that was passed on already; null for nothing. */
function sayMore(said: string, { words }: Ending): string | null {
  if (words === undefined || words === "") return words ?? null;
  return said === "" ? words : `\n\n${words}`;
}

function deltaOf(chunk: JsonObject): JsonObject | null {
  const [choice] = chunk["choices"] as [JsonObject];
  return isJsonObject(choice["delta"]) ? choice["delta"] : null;
}

function hasText({ content }: JsonObject): boolean {
  return typeof content === "string" && content !== "";
}

function isNothing(value: unknown): boolean {
  return value === null || value === "" || value === undefined;
}

/** Put what a field of a message came in together: text and lists grow, of anything else the last counts. */
function grow(sofar: unknown, value: unknown): unknown {
  if (value === null || value === undefined) return sofar;
  if (typeof sofar === "string" && typeof value === "string") return sofar + value;
  if (Array.isArray(value)) {
    // One list for all pieces: copied each time, many small ones would cost their square.
    const list = Array.isArray(sofar) ? (sofar as unknown[]) : [];
    for (const one of value as unknown[]) list.push(one);
    return list;
  }
  return isJsonObject(sofar) && isJsonObject(value) ? { ...sofar, ...value } : value;
}

/**
 * Whether a piece belongs to another call than the one under way at its place. Some servers number no call, or all of them 0,
 * and send each whole: another id and another name begin another call.
 */
function beginsAnother({ sentId: known }: PartialCall, { index, id }: JsonObject, name: unknown): boolean {
  if (typeof name !== "string" || name === "") return false;
  return typeof id === "string" && id !== "" ? id !== known : typeof index !== "number";
}

function toEntry({ id, fields, isCustom, name, args }: PartialCall): JsonObject {
  const { function: others, ...rest } = fields;
  const text = args.join("");
  if (isCustom) return { id, ...rest, type: "custom", custom: { name, input: text } };
  return { id, ...rest, function: { ...(others as JsonObject), name, arguments: text } };
}
