import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import { ok, type Result } from "../../../core/kit/result.ts";
import { ChatRelay } from "../../agent/dialect/chat-relay.ts";
import {
  type ModelEvent,
  type ModelTurn,
  readEvent,
  type RelayMode,
  type StreamFault,
  type StreamHearer,
} from "../../agent/dialect/dialect.ts";
import { toTextItem } from "../dialect/responses-items.ts";
import { beginResponse, fromChatTurn, textIdOf } from "./from-chat-answer.ts";

/**
 * Hears a stream of Chat Completions and tells a relay of Responses of it: text as it comes, and calls whole, when the model has said why
 * it ends, because only then it is certain which piece belongs to which.
 */
export class BridgedRelay implements StreamHearer {
  readonly #relay: StreamHearer;
  readonly #chat = new ChatRelay(() => false);
  /** The first chunk, which says which answer it is. */
  #begun: JsonObject | null = null;
  #hasText = false;
  #finish: unknown = null;
  /** Whether everything but the last event was told. */
  #isSaid = false;
  #number = 0;

  constructor(relay: StreamHearer) {
    this.#relay = relay;
  }

  begin(mode: RelayMode, ids?: ReadonlySet<string>): void {
    this.#chat.begin("silent", ids);
    this.#begun = null;
    this.#hasText = false;
    this.#finish = null;
    this.#isSaid = false;
    this.#number = 0;
    this.#relay.begin(mode, ids);
  }

  get kept(): number {
    return this.#chat.kept + this.#relay.kept;
  }

  get isOver(): boolean {
    return this.#chat.isOver;
  }

  take(event: ModelEvent): Result<string, StreamFault> {
    const chunk = readEvent(event);
    const taken = this.#chat.take(chunk === null ? event : { ...event, value: chunk });
    if (!taken.ok) return taken;
    const said = chunk === null ? [] : this.#hear(chunk);
    return this.#tell([...said, ...this.#endItems()]);
  }

  turn(): ModelTurn | null {
    const response = this.#response();
    if (response === null) return null;
    const type = response["status"] === "incomplete" ? "response.incomplete" : "response.completed";
    this.#tell([{ type, response }]);
    return this.#relay.turn();
  }

  #response(): JsonObject | null {
    const turn = this.#chat.turn();
    return turn === null || this.#begun === null
      ? null
      : fromChatTurn({ ...turn, response: this.#begun }, this.#chat.message(), this.#finish);
  }

  /** The events of a chunk. */
  #hear(chunk: JsonObject): readonly JsonObject[] {
    const [choice] = Array.isArray(chunk["choices"]) ? (chunk["choices"] as readonly unknown[]) : [];
    if (!isJsonObject(choice)) return [];
    this.#finish = choice["finish_reason"] ?? this.#finish;
    const { content } = isJsonObject(choice["delta"]) ? choice["delta"] : {};
    const events: JsonObject[] = [];
    if (this.#begun === null) {
      this.#begun = chunk;
      const response = beginResponse(chunk);
      events.push({ type: "response.created", response }, { type: "response.in_progress", response });
    }
    if (typeof content !== "string" || content === "") return events;
    if (!this.#hasText) events.push(...this.#beginText());
    this.#hasText = true;
    return [...events, { type: "response.output_text.delta", ...this.#at(), delta: content, logprobs: [] }];
  }

  /** The events after all pieces: the text as a whole, and each call. */
  #endItems(): readonly JsonObject[] {
    const response = this.#isSaid ? null : this.#response();
    if (response === null) return [];
    this.#isSaid = true;
    const output = response["output"] as readonly JsonObject[];
    return output.flatMap((item, index) =>
      item["type"] === "message" ? this.#endText(item) : toCallEvents(item, index),
    );
  }

  #beginText(): readonly JsonObject[] {
    const item = toTextItem(textIdOf(this.#begun!), "");
    const [part] = item["content"] as readonly unknown[];
    return [
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...item, status: "in_progress", content: [] },
      },
      { type: "response.content_part.added", ...this.#at(), part },
    ];
  }

  #endText(item: JsonObject): readonly JsonObject[] {
    const [part] = item["content"] as readonly JsonObject[];
    return [
      ...(this.#hasText ? [] : this.#beginText()),
      { type: "response.output_text.done", ...this.#at(), text: part!["text"], logprobs: [] },
      { type: "response.content_part.done", ...this.#at(), part },
      { type: "response.output_item.done", output_index: 0, item },
    ];
  }

  #at(): JsonObject {
    return { item_id: textIdOf(this.#begun!), output_index: 0, content_index: 0 };
  }

  #tell(events: readonly JsonObject[]): Result<string, StreamFault> {
    const said: string[] = [];
    for (const event of events) {
      const type = String(event["type"]);
      const value = { ...event, sequence_number: this.#number++ };
      const data = JSON.stringify(value);
      const taken = this.#relay.take({ name: type, data, raw: `event: ${type}\ndata: ${data}\n\n`, value });
      if (!taken.ok) return taken;
      said.push(taken.value);
    }
    return ok(said.join(""));
  }
}

function toCallEvents(item: JsonObject, index: number): readonly JsonObject[] {
  const at = { item_id: item["id"], output_index: index };
  const isCustom = item["type"] === "custom_tool_call";
  const field = isCustom ? "input" : "arguments";
  const name = isCustom ? "response.custom_tool_call_input" : "response.function_call_arguments";
  return [
    {
      type: "response.output_item.added",
      output_index: index,
      item: { ...item, status: "in_progress", [field]: "" },
    },
    { type: `${name}.delta`, ...at, delta: item[field] },
    { type: `${name}.done`, ...at, ...(!isCustom && { name: item["name"] }), [field]: item[field] },
    { type: "response.output_item.done", output_index: index, item },
  ];
}
