import type { ToolDescriptor } from "../../discovery/batch-tool.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../../core/contract/json.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { attemptNow, type Result } from "../../../core/kit/result.ts";
import type { ToolReply } from "../../../core/run/turns/provider-turn.ts";
import type {
  Asked,
  Conversation,
  Dialect,
  Ending,
  Message,
  ModelTurn,
} from "../../agent/dialect/dialect.ts";
import { joinReplies } from "../../agent/dialect/join-replies.ts";
import { listTools } from "../../agent/dialect/list-tools.ts";
import { toPlainMessages } from "../../agent/dialect/plain-messages.ts";
import { readConversation, refuseField, textOf } from "../../agent/dialect/read-conversation.ts";
import {
  callsIn,
  groupItems,
  type Item,
  outputOf,
  textIn,
  toCallItem,
  toItems,
  toTextItem,
  toTurn,
  toTurnMessage,
} from "./responses-items.ts";
import { ResponsesRelay } from "./responses-relay.ts";

/**
 * OpenAI's Responses, for clients that send the whole conversation each time. Nothing is kept under an id: `store` is always sent as
 * false, because the model's server would keep turns that the caller never saw.
 *
 * Source: https://platform.openai.com/docs/api-reference/responses
 */
export const RESPONSES: Dialect = {
  path: "/responses",
  read,
  createRequests,
  readTurn(response) {
    if (!isJsonObject(response) || response["status"] === "failed") return null;
    const { output } = response;
    return Array.isArray(output)
      ? toTurn((output as readonly unknown[]).filter(isJsonObject), response)
      : null;
  },
  join: (turn, replies, rest) =>
    joinReplies(
      { turn, replies, rest },
      {
        ids: callsIn(outputOf(turn) ?? []).map(({ call_id: id }) => String(id)),
        repliedTo: (message) => (isOutput(message) ? String(message["call_id"]) : null),
        toReply: toOutput,
      },
    ),
  tell: (messages, text) => [...messages, { role: "user", content: text }],
  say: (text) => toTurnMessage([{ role: "assistant", content: text }]),
  findAnchors: (messages) =>
    messages.flatMap((message, at) => {
      const output = outputOf(message);
      return output === null ? [] : { at, calls: callsIn(output).map(toNamedCall), text: textIn(output) };
    }),
  digestOf(message) {
    const output = outputOf(message);
    if (output !== null) return ["assistant", textIn(output), callsIn(output).map(({ call_id }) => call_id)];
    const { role, content, type, call_id } = message;
    if (role === "system" || role === "developer") return null;
    return isOutput(message) ? [type, textOf(message["output"]), call_id ?? null] : [role, textOf(content)];
  },
  toPlain: (messages) =>
    toPlainMessages(messages, {
      observationOf: (message) => (isOutput(message) ? textOf(message["output"]) : null),
      actionsOf(message) {
        const output = outputOf(message) ?? [];
        const calls = callsIn(output).map(({ name, arguments: args }) => ({ name, args }));
        return calls.length === 0 ? null : { text: textIn(output), calls };
      },
    }),
  writeAnswer(turn, ending) {
    const { response } = turn;
    const answer = {
      ...response,
      ...endOutput(turn, ending),
      ...(ending.usage !== null && { usage: ending.usage }),
      store: false,
    };
    return `${JSON.stringify(answer).slice(0, -1)},"volley":${ending.report}}`;
  },
  createRelay: (isTheirs) => new ResponsesRelay(isTheirs),
};

/** The fields that ask for something to be kept, and the only values that ask for nothing. */
const KEPT: readonly (readonly [field: string, expected: string, isNothing: (value: unknown) => boolean])[] =
  [
    ["previous_response_id", "nothing: send the whole conversation in `input`", isAbsent],
    ["conversation", "nothing: send the whole conversation in `input`", isAbsent],
    ["background", "false or nothing", (value) => isAbsent(value) || value === false],
    ["store", "false or nothing: answers are not kept here", (value) => isAbsent(value) || value === false],
  ];

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function read(body: JsonObject): Result<Conversation, Refusal> {
  for (const [field, expected, isNothing] of KEPT)
    if (!isNothing(body[field])) return refuseField(`/${field}`, expected, body[field]);
  const { input } = body;
  const items = typeof input === "string" && input !== "" ? [{ role: "user", content: input }] : input;
  if (!Array.isArray(items) || items.length === 0 || !items.every(isJsonObject))
    return refuseField("/input", "a text, or an array of items, at least one", input);
  const reference = items.findIndex(({ type }) => type === "item_reference");
  if (reference !== -1) {
    const expected =
      "the item itself, because answers are not kept here: let your client send `store: false`";
    return refuseField(`/input/${reference}`, expected, items[reference]);
  }
  const messages = groupItems(items);
  const conversation = readConversation({ ...body, messages }, ({ name }) => name);
  return conversation.ok ? { ...conversation, value: { ...conversation.value, body } } : conversation;
}

function createRequests(
  { body }: Conversation,
  tools: readonly ToolDescriptor[],
): (asked: Asked) => JsonObject {
  const { tools: theirs, ...rest } = body;
  const { tool_choice: _, parallel_tool_calls: __, ...bare } = rest;
  const offered = [...listTools(tools, "openai-responses"), ...((theirs ?? []) as readonly object[])];
  return ({ messages, tools: mode, system }) => ({
    ...(mode === "ours" ? rest : bare),
    ...(system !== undefined && { instructions: join(system, rest["instructions"]) }),
    input: toItems(messages),
    // Servers keep every answer unless told not to.
    store: false,
    ...(mode === "ours" && offered.length > 0 && { tools: offered }),
  });
}

function join(system: string, instructions: unknown): string {
  return typeof instructions === "string" && instructions !== "" ? `${system}\n\n${instructions}` : system;
}

function isOutput(message: Message): boolean {
  return typeof message["type"] === "string" && message["type"].endsWith("_call_output");
}

function toOutput(id: string, { json }: ToolReply): Item {
  return { type: "function_call_output", call_id: id, output: json };
}

function toNamedCall({ call_id, arguments: sent }: Item): { id: string; args: string } {
  const parsed = typeof sent === "string" ? attemptNow(() => parseExact(sent)) : null;
  return { id: String(call_id), args: parsed?.ok === true ? canonicalJson(parsed.value) : "" };
}

/** The items that the caller is told of: no call but its own, and our words in place of the model's or behind them. */
function endOutput(turn: ModelTurn, { calls, text, words }: Ending): JsonObject {
  const kept = new Set(calls.map(({ id }) => id));
  const sent = (turn.response["output"] as readonly unknown[]).filter(isJsonObject);
  let at = 0;
  const said = sent.flatMap((item): readonly Item[] => {
    if (callsIn([item]).length === 0) return [item];
    // Under the id that it has in the conversation, where it had none or another's.
    const { id } = turn.calls[at++]!;
    return kept.has(id) ? [{ ...item, call_id: id }] : [];
  });
  if (text === undefined && words === undefined) return { output: said };
  const parts = [text ?? "", words ?? ""].filter((part) => part !== "");
  const id = `msg_${String(turn.response["id"])}_0`;
  return {
    status: "completed",
    incomplete_details: null,
    output: [
      ...(text === undefined ? said : []),
      ...(parts.length > 0 ? [toTextItem(id, parts.join("\n\n"))] : []),
      ...(text === undefined ? [] : calls.map(toCallItem)),
    ],
  };
}
