import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { err, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import {
  type AnswerName,
  DONE,
  isNamed,
  isNothing,
  rewriteChunk,
  type ShownCalls,
  StreamedMessage,
  tellChunk,
  toPieces,
  toToolCalls,
  toTurn,
  wordsOf,
  writeChunk,
} from "./chat-message.ts";
import {
  type Ending,
  type IsTheirs,
  type ModelEvent,
  type ModelTurn,
  readEvent,
  type Relay,
  type RelayMode,
  type StreamFault,
  weighText,
} from "./dialect.ts";
import { toChatError, writeError } from "./provider-error.ts";

/** A chunk with a choice, and what of the calls in it the caller is shown. */
interface Chunk extends ShownCalls {
  readonly raw: string;
  readonly chunk: JsonObject;
  readonly choice: JsonObject;
}

/** A chunk that is not passed on before it is known how the answer goes on; without a choice a comment, or the usage. */
type Held = Chunk | { readonly raw: string; readonly chunk: JsonObject | null; readonly choice: null };

/**
 * Passes streams of Chat Completions on as one.
 *
 * All from the chunk with the `finish_reason` or the usage on is held back until the stream is over: only then is it known
 * whether the answer ends with it. A changed chunk differs only in the fields that have to change.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat-streaming
 */
export class ChatRelay implements Relay {
  readonly #isTheirs: IsTheirs;
  /** The fields that identify the answer: the same in all chunks, whichever stream they are of. */
  #answer: AnswerName = null;
  #hasRole = false;
  #shown = 0;
  /** Whether anything was passed on, and how many streams were over before this one. */
  #hasPassed = false;
  #before = 0;

  #mode: RelayMode = "open";
  #ids: ReadonlySet<string> = new Set();
  #message: StreamedMessage;
  #tail: Held[] = [];
  #finish: Chunk | null = null;
  #usage: JsonObject | null = null;
  #used: JsonObject | null = null;
  /** The event that ended the stream, as it came; null before. */
  #done: string | null = null;
  /** The first chunk of the stream under way that has an id. */
  #response: JsonObject | null = null;
  #kept = 0;

  constructor(isTheirs: IsTheirs) {
    this.#isTheirs = isTheirs;
    this.#message = this.#beginMessage();
  }

  begin(mode: RelayMode, ids: ReadonlySet<string> = new Set()): void {
    const wasOver = this.isOver || this.#finish !== null;
    if (!this.#hasPassed) this.#answer = null;
    else if (wasOver) this.#before += 1;
    this.#mode = mode;
    this.#ids = ids;
    this.#message = this.#beginMessage();
    this.#tail = [];
    this.#finish = null;
    this.#usage = null;
    this.#used = null;
    this.#done = null;
    this.#response = null;
    this.#kept = 0;
  }

  get kept(): number {
    return this.#kept;
  }

  get isOver(): boolean {
    return this.#done !== null;
  }

  take(event: ModelEvent): Result<string, StreamFault> {
    const taken = this.#take(event);
    this.#hasPassed ||= taken.ok && taken.value !== "";
    return taken;
  }

  #take(event: ModelEvent): Result<string, StreamFault> {
    const { data } = event;
    if (this.isOver) return ok("");
    if (data === null) return ok(this.#takeAside({ raw: event.raw, chunk: null, choice: null }));
    if (data.trim() === "[DONE]") {
      this.#done = event.raw;
      return ok("");
    }
    const sent = readEvent(event);
    if (sent === null) return err("unreadable");
    const chunk = toPieces(sent);
    const raw = chunk === sent ? event.raw : `data: ${JSON.stringify(chunk)}\n\n`;
    const { error, object, usage } = chunk;
    if ((error !== undefined && error !== null) || object === "error") return err("error");
    if (!isNamed(this.#response)) {
      const { id, created, model } = chunk;
      this.#response = { id, object: "chat.completion", created, model };
      this.#kept += weighText(this.#response);
    }
    if (!isNamed(this.#answer)) this.#answer = this.#response;
    if (isJsonObject(usage)) this.#used = usage;
    const [choice] = Array.isArray(chunk["choices"]) ? (chunk["choices"] as unknown[]) : [];
    if (!isJsonObject(choice)) return ok(this.#takeAside({ raw, chunk, choice: null }));
    const delta = isJsonObject(choice["delta"]) ? choice["delta"] : {};
    const taken: Chunk = { raw, chunk, choice, ...this.#message.take(delta) };
    this.#kept += weighText(delta);
    if (this.#message.calls > LIMITS.modelCalls) return err("too large");
    if (typeof choice["finish_reason"] === "string") this.#finish = taken;
    if (this.#finish === null && this.#tail.length === 0)
      return ok(this.#mode === "silent" ? "" : this.#pass(taken));
    this.#tail.push(taken);
    this.#kept += raw.length;
    return ok("");
  }

  turn(): ModelTurn | null {
    if (this.#finish === null && !this.isOver) return null;
    const response = { ...this.#response, ...(this.#used !== null && { usage: this.#used }) };
    const turn = toTurn(this.message(), response, { isTheirs: this.#isTheirs, ids: this.#ids });
    return { ...turn, reason: this.#finish?.choice["finish_reason"] };
  }

  /** The message of the stream as far as it was heard, as the model wrote it. */
  message(): JsonObject {
    return this.#message.toMessage();
  }

  proceed(): string {
    const said = this.#mode === "silent" ? "" : this.#tail.map((held) => this.#release(held)).join("");
    this.#tail = [];
    this.#hasPassed ||= said !== "";
    return said;
  }

  result(json: string): string {
    this.#hasPassed = true;
    return tellChunk(this.#answer, `{"result":${json}}`);
  }

  end(ending: Ending): string {
    const { calls, usage } = ending;
    const turn = this.turn();
    const isSilent = this.#mode === "silent";
    const words = isSilent
      ? (wordsOf({ text: turn?.text ?? "" }, ending) ?? turn?.text ?? "")
      : sayMore(turn?.text ?? "", ending);
    const finish = isSilent || words !== null ? null : this.#finish;
    const isMeant = !CALLS.has(finish?.choice["finish_reason"]) || calls.length > 0;
    const report = [tellChunk(this.#answer, ending.report), this.#done ?? DONE];
    if (finish !== null && isMeant && this.#isUntouched(usage))
      return [...this.#tail.map(({ raw }) => raw), ...report].join("");
    return [
      this.proceed(),
      ...(words === null || words === "" ? [] : [this.#write({ delta: this.#withRole({ content: words }) })]),
      ...(isSilent && calls.length > 0 ? [this.#writeCalls(ending)] : []),
      finish !== null && isMeant
        ? this.#endAsIs(finish)
        : this.#write({ delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }),
      // It is told to who asked for it: then the model's server was asked too.
      usage === null || this.#used === null
        ? ""
        : writeChunk(this.#answer, { ...this.#usage, choices: [], usage }),
      ...report,
    ].join("");
  }

  fail(refusal: Refusal, report: string | null = null): string {
    return `data: ${writeError(toChatError(refusal), report)}\n\n${DONE}`;
  }

  #beginMessage(): StreamedMessage {
    const isShown: IsTheirs = (call) => this.#mode === "open" && this.#isTheirs(call);
    return new StreamedMessage((call) => (isShown(call) ? this.#shown++ : null), isShown, this.#ids);
  }

  /** Take a line without a choice: a comment, the usage, or the server's words about itself. */
  #takeAside(held: Held & { readonly choice: null }): string {
    const isUsage = isJsonObject(held.chunk?.["usage"]);
    if (isUsage) this.#usage = held.chunk;
    if (isUsage || this.#tail.length > 0) {
      this.#tail.push(held);
      this.#kept += held.raw.length;
      return "";
    }
    return this.#mode === "silent" || (held.chunk !== null && this.#before > 0) ? "" : held.raw;
  }

  /** Pass a chunk on: as it came, where nothing in it has to be another. */
  #pass(taken: Chunk): string {
    if (this.#before > 0 || !taken.isSame) return this.#passChanged(taken);
    this.#hasRole ||= taken.delta["role"] !== undefined;
    return taken.raw;
  }

  #passChanged({ chunk, choice, delta, shown }: Omit<Chunk, "raw" | "isSame">): string {
    const isFirst = this.#before === 0;
    const { tool_calls: _, role, ...said } = delta;
    const rest = {
      ...(role !== undefined && !this.#hasRole && { role }),
      ...Object.fromEntries(Object.entries(said).filter(([, value]) => isFirst || !isNothing(value))),
      ...(shown.length > 0 && { tool_calls: shown }),
    };
    if (Object.values(rest).every(isNothing) && !("role" in rest)) return "";
    this.#hasRole ||= role !== undefined;
    return rewriteChunk(this.#answer, chunk, { ...choice, delta: this.#withRole(rest) });
  }

  /** Say what was held back, but not that the answer ends with it. */
  #release(held: Held): string {
    if (held.choice === null) return held.chunk === null ? held.raw : "";
    const { usage: _, ...chunk } = held.chunk;
    return this.#passChanged({ ...held, chunk, choice: { ...held.choice, finish_reason: null } });
  }

  #endAsIs({ chunk, choice }: Chunk): string {
    const { usage: _, ...rest } = chunk;
    return rewriteChunk(this.#answer, rest, { ...choice, delta: {} });
  }

  /** Whether this is the only stream, with nothing to add to what it used, and what was held back can go as it came. */
  #isUntouched(usage: JsonObject | null): boolean {
    const chunks = this.#tail.filter((held) => held.choice !== null);
    const ends = chunks.filter(({ choice }) => typeof choice["finish_reason"] === "string");
    return (
      this.#before === 0 && this.#used === usage && ends.length === 1 && chunks.every(({ isSame }) => isSame)
    );
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
    return writeChunk(this.#answer, { choices: [{ index: 0, delta, finish_reason }] });
  }
}

/** The reasons for which an answer ends that calls something. */
const CALLS: ReadonlySet<unknown> = new Set(["tool_calls", "function_call"]);

/** The words after text that was passed on already; null for nothing. */
function sayMore(said: string, { words }: Ending): string | null {
  if (words === undefined || words === "") return words ?? null;
  return said === "" ? words : `\n\n${words}`;
}
