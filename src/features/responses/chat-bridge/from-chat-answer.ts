import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { ok, type Result } from "../../../feature/refuse.ts";
import { ChatRelay } from "../../agent/dialect/chat-relay.ts";
import {
  type ModelEvent,
  type ModelTurn,
  readEvent,
  type RelayMode,
  type StreamFault,
  type StreamHearer,
} from "../../agent/dialect/dialect.ts";
import {
  beginText,
  endText,
  type Item,
  toCallEvents,
  toTextItem,
  toTextPiece,
} from "../dialect/responses-items.ts";
import { sentCalls } from "../../agent/dialect/chat-message.ts";

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
    if (!this.#hasText) events.push(...beginText(toTextItem(textIdOf(this.#begun), "")));
    this.#hasText = true;
    return [...events, toTextPiece(textIdOf(this.#begun), content)];
  }

  /** The events after all pieces: the text as a whole, and each call. */
  #endItems(): readonly JsonObject[] {
    const response = this.#isSaid ? null : this.#response();
    if (response === null) return [];
    this.#isSaid = true;
    const output = response["output"] as readonly JsonObject[];
    return output.flatMap((item, index) => {
      if (item["type"] !== "message") return toCallEvents(item, index);
      return [...(this.#hasText ? [] : beginText(item)), ...endText(item)];
    });
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

/**
 * Write an answer of Chat Completions as one of Responses: its calls as the model wrote them, under ids that can be answered.
 *
 * @param message the message as it came
 * @param finish why it ended
 */
export function fromChatTurn(
  { calls, text, usage, response }: ModelTurn,
  message: JsonObject,
  finish: unknown,
): JsonObject {
  const isCut = finish === "length" || finish === "content_filter";
  return {
    ...beginResponse(response),
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut
      ? { reason: finish === "length" ? "max_output_tokens" : "content_filter" }
      : null,
    output: [
      ...(text === "" ? [] : [toTextItem(textIdOf(response), text)]),
      ...sentCalls(message).map((call, at) => toCallItem({ ...call, id: calls[at]!.id })),
    ],
    usage: usage === null ? null : toUsage(usage),
  };
}

/** Write the beginning of an answer, which says that nothing is there yet. */
function beginResponse({ id, created, model }: JsonObject): JsonObject {
  return {
    id: `resp_${String(id)}`,
    object: "response",
    created_at: created,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    tool_choice: "auto",
    tools: [],
    usage: null,
  };
}

/** The id that the text of an answer has. */
function textIdOf({ id }: JsonObject): string {
  return `msg_${String(id)}`;
}

/** A call of Chat Completions as an item. */
function toCallItem(call: JsonObject): Item {
  const { id, function: called, custom } = call;
  const status = "completed";
  if (isJsonObject(custom)) {
    const { name, input } = custom;
    return { type: "custom_tool_call", id: `ctc_${String(id)}`, call_id: id, name, input, status };
  }
  const { name, arguments: args } = isJsonObject(called) ? called : {};
  return { type: "function_call", id: `fc_${String(id)}`, call_id: id, name, arguments: args, status };
}

function toUsage(usage: JsonObject): JsonObject {
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  const input = isJsonObject(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {};
  const output = isJsonObject(usage["completion_tokens_details"]) ? usage["completion_tokens_details"] : {};
  return {
    input_tokens: prompt_tokens ?? 0,
    input_tokens_details: { cached_tokens: input["cached_tokens"] ?? 0 },
    output_tokens: completion_tokens ?? 0,
    output_tokens_details: { reasoning_tokens: output["reasoning_tokens"] ?? 0 },
    total_tokens: total_tokens ?? 0,
  };
}
