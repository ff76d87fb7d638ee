import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import { growField } from "./grow-field.ts";
import { textOf } from "./read-conversation.ts";
import { OLD_CALL } from "./chat-message.ts";
import type { IsTheirs } from "./dialect.ts";
import { type NextShown, StreamedCalls } from "./streamed-calls.ts";

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
