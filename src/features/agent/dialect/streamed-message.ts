import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import { growField } from "./grow-field.ts";
import { textOf } from "./read-conversation.ts";
import { StreamedCalls } from "./streamed-calls.ts";

/** The pieces of calls in a delta as the caller is shown them. */
export interface ShownCalls {
  readonly shown: readonly JsonObject[];
  /** None is hidden or has to be another. */
  readonly isSame: boolean;
}

/** The message that one stream of Chat Completions says, put together from its deltas. */
export class StreamedMessage {
  readonly #calls: StreamedCalls;
  readonly #fields = new Map<string, unknown>();
  readonly #content: string[] = [];
  #hasContent = false;

  /** @param nextShown gives a call of this name its place in the caller's answer; null where it has none */
  constructor(nextShown: (name: string) => number | null) {
    this.#calls = new StreamedCalls(nextShown);
  }

  get calls(): number {
    return this.#calls.count;
  }

  /** Keep what a delta says. */
  take(delta: JsonObject): ShownCalls {
    for (const [key, value] of Object.entries(delta)) {
      if (key === "role" || key === "tool_calls") continue;
      if (key === "content") this.#hear(value);
      else this.#fields.set(key, growField(this.#fields.get(key), value));
    }
    const { tool_calls: sent } = delta;
    const pieces = Array.isArray(sent) ? (sent as readonly unknown[]).filter(isJsonObject) : [];
    const shown = pieces.map((piece, at) => this.#calls.take(piece, at));
    return {
      shown: shown.filter((piece) => piece !== null),
      isSame: shown.every((piece, at) => piece === pieces[at]),
    };
  }

  toMessage(): JsonObject {
    const calls = this.#calls.toEntries();
    return {
      ...Object.fromEntries(this.#fields),
      role: "assistant",
      content: this.#hasContent ? this.#content.join("") : null,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  }

  #hear(content: unknown): void {
    if (typeof content !== "string" && !Array.isArray(content)) return;
    this.#hasContent = true;
    const text = textOf(content);
    if (text !== "") this.#content.push(text);
  }
}
