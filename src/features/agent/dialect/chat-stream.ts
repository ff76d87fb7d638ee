import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import { textOf } from "./conversation.ts";
import { OLD_CALL } from "./chat-message.ts";
import type { IsTheirs } from "./dialect.ts";
import { growField, type NextShown, StreamedCalls } from "./streamed-calls.ts";

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
    const pieces = Array.isArray(sent) ? (sent as readonly unknown[]).filter(isJsonObject) : [];
    const shown = pieces.map((piece, at) => this.#calls.take(piece, at));
    const { [OLD_CALL]: old, ...rest } = delta;
    const isHidden = isJsonObject(old) && !this.#takeOld(old);
    return {
      shown: shown.filter((piece) => piece !== null),
      isSame: !isHidden && shown.every((piece, at) => piece === pieces[at]),
      delta: isHidden ? rest : delta,
    };
  }

  /** Keep a piece of the old kind of call; whether the caller is shown it. */
  #takeOld({ name, arguments: text }: JsonObject): boolean {
    this.#old ??= { name: "", args: [] };
    if (typeof name === "string" && this.#old.name === "") this.#old.name = name;
    if (typeof text === "string") this.#old.args.push(text);
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

/** Write a chunk of our own. */
export function writeChunk(answer: AnswerName, fields: JsonObject): string {
  return `data: ${nameChunk(answer, { ...CHUNK, ...fields })}\n\n`;
}

/** Write a chunk of a server with another choice. */
export function rewriteChunk(answer: AnswerName, chunk: JsonObject, choice: JsonObject): string {
  return `data: ${nameChunk(answer, { ...chunk, choices: [choice] })}\n\n`;
}

/** Tell what no server of the protocol would: clients pass over a chunk without choices. */
export function tellChunk(answer: AnswerName, volley: string): string {
  const head = nameChunk(answer, { ...CHUNK, choices: [] });
  return `data: ${head.slice(0, -1)},"volley":${volley}}\n\n`;
}

/** Whether an answer is known by its id: Azure's first chunk has an empty one, and none of the answer. */
export function isNamed(answer: AnswerName): boolean {
  return answer !== null && !isNothing(answer["id"]);
}

export function isNothing(value: unknown): boolean {
  return value === null || value === "" || value === undefined;
}

function nameChunk(answer: AnswerName, chunk: JsonObject): string {
  const { id, created, model } = answer ?? {};
  return JSON.stringify({ ...chunk, id, created, model });
}
