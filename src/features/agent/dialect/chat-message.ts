import { makeFailure } from "../../../core/contract/failure.ts";
import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { err, ok } from "../../../feature/refuse.ts";
import {
  type Ending,
  type IsTheirs,
  joinWords,
  type Message,
  type ModelCall,
  type ModelTurn,
  type Reading,
  withReport,
} from "./dialect.ts";
import { makeUnique, textOf } from "./conversation.ts";
import { readArguments } from "./repair-arguments.ts";
import { legalName, whatIsDone } from "../../../turns/turn-table.ts";
import { CUSTOM } from "../../../turns/parse-call-arguments.ts";
import { growField, type NextShown, StreamedCalls, toText } from "./streamed-calls.ts";

/**
 * Read a model's message, and make of it what goes back into the conversation: what is only ever said by the server is left
 * out, arguments are JSON, because some servers parse those of earlier turns, and names and ids are such as every server takes.
 */
export function toTurn(message: JsonObject, response: JsonObject, { isTheirs, ids }: Reading): ModelTurn {
  const { content, annotations: _, audio, tool_calls: __, function_call: old, ...fields } = message;
  const sent = sentCalls(message);
  const unique = makeUnique(
    sent.map(({ id }) => id),
    ids,
  );
  const read = sent.map((call, at) => readCall(call, unique[at]!, isTheirs));
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const entries = read.flatMap(({ entry }) => entry ?? []);
  return {
    calls: read.map(({ call }) => call),
    text: textOf(content),
    message: {
      ...Object.fromEntries(kept),
      role: "assistant",
      ...((content !== undefined || read.length === 0) && { content: content ?? null }),
      ...(entries.length > 0 && { tool_calls: entries }),
      ...(entries.length < read.length && { function_call: old }),
      ...(isJsonObject(audio) && { audio: { id: audio["id"] } }),
    },
    usage: isJsonObject(response["usage"]) ? response["usage"] : null,
    response,
  };
}

/** The calls that a model's message makes; one that stands where calls stood once has the mark of that for an id. */
export function sentCalls(message: JsonObject): readonly JsonObject[] {
  const { function_call: old } = message;
  const calls = callsIn(message);
  // Some servers write one call in both places, for old clients and new ones.
  const isNew = isJsonObject(old) && !calls.some(({ function: called }) => isSameCall(called, old));
  return isNew ? [...calls, { type: OLD_CALL, id: OLD_CALL, function: old }] : calls;
}

function isSameCall(called: unknown, { name, arguments: text }: JsonObject): boolean {
  if (!isJsonObject(called) || called["name"] !== name) return false;
  const [one, other] = [called["arguments"], text].map((sent) => {
    const { args } = readArguments(String(name), sent);
    return args.ok ? canonicalJson(args.value) : sent;
  });
  return one === other;
}

/** The type and the id of the one call of a message that stands in `function_call`, which has a place for neither. */
export const OLD_CALL = "function_call";

interface ReadCall {
  readonly call: ModelCall;
  /** As it stands in the message that goes back; null where it stays in `function_call`. */
  readonly entry: JsonObject | null;
}

function readCall(call: JsonObject, id: string, isTheirs: IsTheirs): ReadCall {
  const { index: _, ...sent } = call;
  const { function: called, custom, type } = sent;
  if (isJsonObject(custom)) {
    const args = err(makeFailure("INVALID_ACTION", { hint: CUSTOM }));
    const name = String(custom["name"] ?? "");
    const own = { id, name, args, closed: false, written: "{}" };
    return {
      call: own,
      entry: { ...sent, id, custom: { ...custom, name: isTheirs(own) ? name : legalName(name) } },
    };
  }
  if (!isJsonObject(called) && whatIsDone("chat", type ?? "function") === "handed over") {
    const own = { id: String(sent["id"] ?? id), name: String(type), args: ok({}), written: "{}" };
    return { call: { ...own, closed: false, foreign: true }, entry: sent };
  }
  // A few models write a call as the Responses API has it.
  const { name: beside, arguments: besides, ...entry } = sent;
  const { name: named, arguments: text } = isJsonObject(called)
    ? called
    : { name: beside, arguments: besides };
  const name = typeof named === "string" ? named : "";
  const own = { id, name, ...readArguments(name, text) };
  const isOwn = isTheirs(own);
  if (type === OLD_CALL && isOwn) return { call: { ...own, id: OLD_CALL }, entry: null };
  const said = { ...(called as JsonObject), name: isOwn ? name : legalName(name), arguments: own.written };
  return {
    call: own,
    entry: { ...(isJsonObject(called) ? sent : entry), id, type: "function", function: said },
  };
}

/** The calls in a message, as they are written there. Some servers write one call without a list around it. */
export function callsIn({ tool_calls: calls }: Message): readonly JsonObject[] {
  return (Array.isArray(calls) ? (calls as readonly unknown[]) : [calls]).filter(isJsonObject);
}

/** The words of an answer where they are not the model's own; null where they are. */
export function wordsOf(
  { text: said }: Pick<ModelTurn, "text">,
  { text = said, words }: Ending,
): string | null {
  if (words === undefined && text === said) return null;
  return joinWords(text, words);
}

/** Calls as they stand in a message: as the model wrote them, or, where it wrote them as text, as it would have. */
export function toToolCalls(
  { message }: Pick<ModelTurn, "message">,
  calls: readonly ModelCall[],
): JsonObject[] {
  const entries = new Map(callsIn(message).map((entry) => [entry["id"], entry]));
  return calls.map(
    ({ id, name, written }) =>
      entries.get(id) ?? { id, type: "function", function: { name, arguments: written } },
  );
}

/** The pieces of calls in a delta as the caller is shown them. */
export interface ShownCalls {
  readonly shown: readonly JsonObject[];
  /** None is hidden or has to be another. */
  readonly isSame: boolean;
  /** The rest of the delta as the caller is shown it. */
  readonly delta: JsonObject;
}

/** The message that one stream of Chat Completions says, put together from its deltas. */
export class StreamedMessage {
  readonly #calls: StreamedCalls;
  readonly #fields = new Map<string, unknown>();
  readonly #content: string[] = [];
  #hasContent = false;
  readonly #isTheirs: IsTheirs;
  /** The one call that stands in `function_call`, as servers wrote calls once. */
  #old: { name: string; readonly args: string[] } | null = null;

  /** @param ids those of earlier calls of the conversation */
  constructor(nextShown: NextShown, isTheirs: IsTheirs, ids: ReadonlySet<string>) {
    this.#calls = new StreamedCalls(nextShown, ids);
    this.#isTheirs = isTheirs;
  }

  get calls(): number {
    return this.#calls.count;
  }

  /** Keep what a delta says. */
  take(delta: JsonObject): ShownCalls {
    for (const [key, value] of Object.entries(delta)) {
      if (key === "role" || key === "tool_calls" || key === OLD_CALL) continue;
      if (key === "content") this.#hear(value);
      else this.#fields.set(key, growField(this.#fields.get(key), value));
    }
    const { tool_calls: sent } = delta;
    const pieces = callsIn(delta);
    const shown = pieces.map((piece, at) => this.#calls.take(piece, at));
    const { [OLD_CALL]: old, ...rest } = delta;
    const isHidden = isJsonObject(old) && !this.#takeOld(old);
    return {
      shown: shown.filter((piece) => piece !== null),
      isSame: !isHidden && !isJsonObject(sent) && shown.every((piece, at) => piece === pieces[at]),
      delta: isHidden ? rest : delta,
    };
  }

  /** Keep a piece of the old kind of call; whether the caller is shown it. */
  #takeOld({ name, arguments: text }: JsonObject): boolean {
    this.#old ??= { name: "", args: [] };
    if (typeof name === "string" && this.#old.name === "") this.#old.name = name;
    this.#old.args.push(toText(text));
    return this.#isTheirs(this.#old);
  }

  toMessage(): JsonObject {
    const calls = this.#calls.toEntries();
    const old = this.#old;
    return {
      ...Object.fromEntries(this.#fields),
      role: "assistant",
      content: this.#hasContent ? this.#content.join("") : null,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(old !== null && { [OLD_CALL]: { name: old.name, arguments: old.args.join("") } }),
    };
  }

  #hear(content: unknown): void {
    if (typeof content !== "string" && !Array.isArray(content)) return;
    this.#hasContent = true;
    const text = textOf(content);
    if (text !== "") this.#content.push(text);
  }
}

/** The last event of a stream of Chat Completions. */
export const DONE = "data: [DONE]\n\n";

/** How a chunk of ours begins; the fields that are null here say which answer it is of. */
const CHUNK: JsonObject = { id: null, object: "chat.completion.chunk", created: null, model: null };

/** The fields that identify an answer: the same in all of its chunks. */
export type AnswerName = JsonObject | null;

export function writeChunk(answer: AnswerName, fields: JsonObject): string {
  return `data: ${JSON.stringify(nameChunk(answer, { ...CHUNK, ...fields }))}\n\n`;
}

/** Read a chunk as pieces where its server wrote a whole message in their place: some say an answer so that calls. */
export function toPieces(chunk: JsonObject): JsonObject {
  const [choice] = Array.isArray(chunk["choices"]) ? (chunk["choices"] as unknown[]) : [];
  if (!isJsonObject(choice) || isJsonObject(choice["delta"]) || !isJsonObject(choice["message"]))
    return chunk;
  const { message: delta, ...rest } = choice;
  return { ...chunk, choices: [{ ...rest, delta }] };
}

/** Write a chunk of a server with another choice. */
export function rewriteChunk(answer: AnswerName, chunk: JsonObject, choice: JsonObject): string {
  return `data: ${JSON.stringify(nameChunk(answer, { ...chunk, choices: [choice] }))}\n\n`;
}

/** Tell what no server of the protocol would: clients pass over a chunk without choices. */
export function tellChunk(answer: AnswerName, volley: string): string {
  return `data: ${withReport(nameChunk(answer, { ...CHUNK, choices: [] }), volley)}\n\n`;
}

/** Whether an answer is known by its id: Azure's first chunk has an empty one, and none of the answer. */
export function isNamed(answer: AnswerName): boolean {
  return answer !== null && !isNothing(answer["id"]);
}

export function isNothing(value: unknown): boolean {
  return value === null || value === "" || value === undefined;
}

function nameChunk(answer: AnswerName, chunk: JsonObject): JsonObject {
  const { id, created, model } = answer ?? {};
  return { ...chunk, id, created, model };
}
