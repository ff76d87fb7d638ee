import { makeFailure } from "../../../core/contract/failure.ts";
import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { err, ok } from "../../../feature/refuse.ts";
import { isCalled, legalName, whatIsDone } from "../../../turns/turn-table.ts";
import { CUSTOM } from "../../../turns/parse-call-arguments.ts";
import {
  type IsTheirs,
  type Message,
  type ModelCall,
  type ModelTurn,
  type Reading,
  weighText,
} from "../../agent/dialect/dialect.ts";
import { makeUnique, takeId, textOf } from "../../agent/dialect/conversation.ts";
import { readArguments } from "../../agent/dialect/repair-arguments.ts";

/** One thing of a conversation or an answer: a message, a call, the output of one, a thought. */
export type Item = JsonObject;

/**
 * Put the items that one answer of a model consists of into one message. Responses knows items only; the loop knows messages, of
 * which a model's has all of its calls.
 */
export function groupItems(items: readonly Item[]): readonly Message[] {
  const messages: Message[] = [];
  let turn: Item[] = [];
  for (const item of items) {
    if (isOfModel(item)) {
      if (turn.length === 0) messages.push(toTurnMessage(turn));
      turn.push(item);
    } else {
      turn = [];
      messages.push(item);
    }
  }
  return messages;
}

/** Take the messages apart again. */
export function toItems(messages: readonly Message[]): readonly Item[] {
  return messages.flatMap((message) => outputOf(message) ?? message);
}

/** The items of a model's message; null where a message is none of a model's. */
export function outputOf({ type, output }: Message): readonly Item[] | null {
  return type === TURN && Array.isArray(output) ? (output as readonly unknown[]).filter(isJsonObject) : null;
}

/** Make a message of the items of a model's answer. */
export function toTurnMessage(output: readonly Item[]): Message {
  return { type: TURN, output };
}

/** The API has no item of this type. */
const TURN = "volley.turn";

/** The types of a model's items that are neither a message nor named after a call. */
const THOUGHTS = new Set(["reasoning", "mcp_list_tools", "mcp_approval_request", "compaction"]);

function isOfModel({ type, role }: Item): boolean {
  return role === "assistant" || (typeof type === "string" && (type.endsWith("_call") || THOUGHTS.has(type)));
}

/** The text of a model's items. */
export function textIn(output: readonly Item[]): string {
  return output.map(({ role, content }) => (role === "assistant" ? textOf(content) : "")).join("");
}

/** The calls among a model's items, and what else of them waits for somebody. */
export function callsIn(output: readonly Item[]): readonly Item[] {
  const answered = new Set(output.filter(isOutputItem).map(({ call_id }) => call_id));
  return output.filter(({ type, execution, call_id }) => {
    const done = whatIsDone("responses", type);
    if (done !== "handed over") return isCalled("responses", type);
    return execution !== "server" && (call_id === undefined || !answered.has(call_id));
  });
}

/** The calls by name among a model's items. */
export function namedCallsIn(output: readonly Item[]): readonly Item[] {
  return output.filter(({ type }) => isCalled("responses", type));
}

function isOutputItem({ type }: Item): boolean {
  return typeof type === "string" && type.endsWith("_output");
}

/** The id by which a call is answered. */
export function idOf({ call_id, id }: Item): unknown {
  return call_id ?? id;
}

/** Read the items of an answer, and make of them what goes back into the conversation; null where there are more calls than an answer may have. */
export function toTurn(
  output: readonly Item[],
  response: JsonObject,
  { isTheirs, ids: earlier }: Reading,
): ModelTurn | null {
  const sent = callsIn(output);
  if (sent.length > LIMITS.modelCalls) return null;
  const unique = makeUnique(
    sent.map(({ call_id }) => call_id),
    earlier,
  );
  const ids = new Map(unique.map((id, at) => [sent[at]!, id]));
  const calls: ModelCall[] = [];
  const items = output.flatMap((item): readonly Item[] => {
    const id = ids.get(item);
    if (id === undefined) return isForgotten(item) ? [] : [withoutPlace(item)];
    const { call, entry } = readCall(item, id, isTheirs);
    calls.push(call);
    return [entry];
  });
  return {
    calls,
    text: textIn(output),
    message: toTurnMessage(items),
    usage: isJsonObject(response["usage"]) ? response["usage"] : null,
    response,
    reason: isJsonObject(response["incomplete_details"])
      ? response["incomplete_details"]["reason"]
      : undefined,
  };
}

/** A thought whose server does not keep it means nothing to that server, unless it comes with its encrypted text. */
function isForgotten({ type, encrypted_content: text }: Item): boolean {
  return type === "reasoning" && typeof text !== "string";
}

/**
 * Ids name what the server keeps, which is nothing: `store` is false. A thought and a call of another kind are not complete without,
 * and such a call not without its status.
 */
function withoutPlace(item: Item): Item {
  const { id, status, ...rest } = item;
  const { type, role } = rest;
  const isOwn = type !== "message" && role !== "assistant";
  const isCall = typeof type === "string" && type.endsWith("_call");
  return {
    ...rest,
    ...(isOwn && id !== undefined && { id }),
    ...(isCall && status !== undefined && { status }),
  };
}

interface ReadCall {
  readonly call: ModelCall;
  /** As it stands in the conversation. */
  readonly entry: Item;
}

function readCall(item: Item, id: string, isTheirs: IsTheirs): ReadCall {
  const { id: _, status, name: sent, arguments: text, namespace, ...rest } = item;
  const { type } = item;
  if (!isCalled("responses", type)) {
    const own = { id: String(idOf(item)), name: String(type), args: ok({}), closed: false, written: "{}" };
    return { call: { ...own, foreign: true }, entry: withoutPlace(item) };
  }
  const name = typeof sent === "string" ? sent : "";
  const isText = type === "custom_tool_call";
  const read = isText ? IN_TEXT : readArguments(name, text);
  // The rest of it is not known to be empty, even where what is there is JSON.
  const closed = read.closed || status === "incomplete";
  const own = { id, name, ...read, closed, ...(typeof namespace === "string" && { space: namespace }) };
  const isOwn = isTheirs(own);
  const entry = {
    ...rest,
    call_id: id,
    name: isOwn ? name : legalName(name),
    ...(!isText && { arguments: own.written }),
    ...(isOwn && namespace !== undefined && { namespace }),
  };
  // A name among the caller's tools that is none of theirs is looked for among ours.
  const { space: _space, ...call } = own;
  return { call: isOwn ? own : call, entry };
}

const IN_TEXT = {
  args: err(makeFailure("INVALID_ACTION", { hint: CUSTOM })),
  closed: false,
  written: "{}",
};

/** A call that a model wrote as text, as it would stand among its items. */
export function toCallItem({ id, name, written }: ModelCall): Item {
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: written,
    status: "completed",
  };
}

/** A text of ours, as an item of an answer. */
export function toTextItem(id: string, text: string): Item {
  return {
    type: "message",
    id,
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  };
}

/** An event of a stream. */
type ItemEvent = JsonObject & { readonly type: string };

/** The events before the pieces of a text. */
export function beginText(item: JsonObject, index = 0): readonly ItemEvent[] {
  const [part] = item["content"] as [JsonObject];
  const begun = { ...item, status: "in_progress", content: [] };
  return [
    { type: "response.output_item.added", output_index: index, item: begun },
    { type: "response.content_part.added", ...placeOf(item["id"], index), part: { ...part, text: "" } },
  ];
}

/** The event of a piece of a text. @param id that of the text's item */
export function toTextPiece(id: unknown, delta: string, index = 0): ItemEvent {
  return { type: "response.output_text.delta", ...placeOf(id, index), delta, logprobs: [] };
}

/** The events after the pieces of a text. */
export function endText(item: JsonObject, index = 0): readonly ItemEvent[] {
  const [part] = item["content"] as [JsonObject];
  const at = placeOf(item["id"], index);
  return [
    { type: "response.output_text.done", ...at, text: part["text"], logprobs: [] },
    { type: "response.content_part.done", ...at, part },
    { type: "response.output_item.done", output_index: index, item },
  ];
}

const placeOf = (id: unknown, index: number) => ({ item_id: id, output_index: index, content_index: 0 });

/** The events of a call that is told whole. */
export function toCallEvents(item: JsonObject, index: number): readonly ItemEvent[] {
  const at = { item_id: item["id"], output_index: index };
  const isCustom = item["type"] === "custom_tool_call";
  const field = isCustom ? "input" : "arguments";
  const name = isCustom ? "response.custom_tool_call_input" : "response.function_call_arguments";
  const begun = { ...item, status: "in_progress", [field]: "" };
  return [
    { type: "response.output_item.added", output_index: index, item: begun },
    { type: `${name}.delta`, ...at, delta: item[field] },
    { type: `${name}.done`, ...at, ...(!isCustom && { name: item["name"] }), [field]: item[field] },
    { type: "response.output_item.done", output_index: index, item },
  ];
}

/** The items of one stream of Responses, as its events tell of them. */
export class StreamedItems {
  readonly #items = new Map<unknown, Item>();
  /** The arguments of calls whose end was not told yet, in their pieces. */
  readonly #pieces = new Map<unknown, string[]>();
  /** The ids that calls have by the places of their items. */
  readonly #ids = new Map<unknown, string>();
  readonly #taken: Set<string>;
  #calls = 0;

  /** @param earlier the ids of earlier calls of the conversation */
  constructor(earlier: ReadonlySet<string> = new Set()) {
    this.#taken = new Set(earlier);
  }

  /** Keep what an event tells of an item; its weight. */
  take({ type, output_index: index, item, delta, arguments: whole }: JsonObject): number {
    switch (type) {
      case "response.output_item.added":
      case "response.output_item.done":
        if (!isJsonObject(item)) return 0;
        this.#items.set(index, item);
        if (type === "response.output_item.done") this.#pieces.delete(index);
        return weighText(item);
      case "response.function_call_arguments.delta":
        if (typeof delta !== "string") return 0;
        this.#piecesOf(index).push(delta);
        return delta.length;
      case "response.function_call_arguments.done":
        if (typeof whole !== "string") return 0;
        this.#pieces.set(index, [whole]);
        return whole.length;
      default:
        return 0;
    }
  }

  /** The item at a place, under an id that no other call of the conversation has. */
  withId(index: unknown, item: Item): Item {
    if (namedCallsIn([item]).length === 0) return item;
    const id = this.#ids.get(index) ?? takeId(item["call_id"], this.#calls++, this.#taken);
    this.#ids.set(index, id);
    return item["call_id"] === id ? item : { ...item, call_id: id };
  }

  /**
   * The items of an answer: those that the last event has, and the calls of the stream that it left out. A call that has another id
   * there is known by what it says, and keeps the id that the caller was told.
   */
  join(last: readonly Item[]): readonly Item[] {
    const streamed = [...this.#items].map(([index, item]) => this.#whole(index, item));
    if (last.length === 0) return streamed;
    const joined = [...last];
    const open = new Set(joined.keys());
    const takeLike = (isLike: (item: Item) => boolean): number | undefined => {
      const at = [...open].find((one) => isLike(joined[one]!));
      if (at !== undefined) open.delete(at);
      return at;
    };
    const calls = callsIn(streamed);
    const rest = calls.filter((call) => takeLike((item) => isSameId(item, call)) === undefined);
    for (const call of rest) {
      const at = takeLike((item) => isSameCall(item, call));
      if (at === undefined) joined.push(call);
      else joined[at] = call;
    }
    return joined;
  }

  #piecesOf(index: unknown): string[] {
    const pieces = this.#pieces.get(index) ?? [];
    this.#pieces.set(index, pieces);
    return pieces;
  }

  #whole(index: unknown, item: Item): Item {
    const pieces = this.#pieces.get(index);
    return pieces === undefined || item["type"] !== "function_call"
      ? item
      : { ...item, arguments: pieces.join("") };
  }
}

function isSameId(item: Item, call: Item): boolean {
  const id = idOf(call);
  return item["type"] === call["type"] && id !== undefined && id !== "" && idOf(item) === id;
}

function isSameCall(item: Item, call: Item): boolean {
  return ["type", "name", "arguments", "input", "action"].every(
    (field) => JSON.stringify(item[field]) === JSON.stringify(call[field]),
  );
}
