import { makeFailure } from "../../../core/contract/failure.ts";
import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { err } from "../../../core/kit/result.ts";
import { CUSTOM } from "../../../core/run/turns/parse-call-arguments.ts";
import type { Message, ModelCall, ModelTurn } from "../../agent/dialect/dialect.ts";
import { makeUnique, textOf } from "../../agent/dialect/read-conversation.ts";
import { repairArguments } from "../../agent/dialect/repair-arguments.ts";

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

/** The calls among a model's items. */
export function callsIn(output: readonly Item[]): readonly Item[] {
  return output.filter(({ type }) => type === "function_call" || type === "custom_tool_call");
}

/** Read the items of an answer, and make of them what goes back into the conversation; null where there are more calls than an answer may have. */
export function toTurn(output: readonly Item[], response: JsonObject): ModelTurn | null {
  const sent = callsIn(output);
  if (sent.length > LIMITS.modelCalls) return null;
  const ids = new Map(makeUnique(sent.map(({ call_id }) => call_id)).map((id, at) => [sent[at]!, id]));
  const calls: ModelCall[] = [];
  const items = output.flatMap((item): readonly Item[] => {
    const id = ids.get(item);
    if (id === undefined) return isForgotten(item) ? [] : [withoutPlace(item)];
    const { call, entry } = readCall(item, id);
    calls.push(call);
    return [entry];
  });
  return {
    calls,
    text: textIn(output),
    message: toTurnMessage(items),
    usage: isJsonObject(response["usage"]) ? response["usage"] : null,
    response,
  };
}

/** A thought whose server does not keep it means nothing to that server, unless it comes with its encrypted text. */
function isForgotten({ type, encrypted_content: text }: Item): boolean {
  return type === "reasoning" && typeof text !== "string";
}

/** Ids name what the server keeps, which is nothing: `store` is false. A thought and a server's own call are not complete without. */
function withoutPlace(item: Item): Item {
  const { id, status: _, ...rest } = item;
  const isOwn = rest["type"] !== "message" && rest["role"] !== "assistant";
  return isOwn && id !== undefined ? { ...rest, id } : rest;
}

function readCall(item: Item, id: string): { readonly call: ModelCall; readonly entry: Item } {
  const { id: _, status: __, name: sent, arguments: text, ...rest } = item;
  const name = typeof sent === "string" ? sent : "";
  if (item["type"] === "custom_tool_call") {
    const failure = err(makeFailure("INVALID_ACTION", { hint: CUSTOM }));
    const call = { id, name, args: failure, closed: false, written: "{}" };
    return { call, entry: { ...rest, call_id: id, name } };
  }
  const repaired = repairArguments(text);
  return {
    call: { id, name, ...repaired },
    entry: { ...rest, call_id: id, name, arguments: repaired.written },
  };
}

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
