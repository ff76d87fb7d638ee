import type { ToolDescriptor } from "../../discovery/batch-tool.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../../feature/schema.ts";
import { attemptNow, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import type { ToolReply } from "../../../turns/read-turn.ts";
import { isCalled } from "../../../turns/turn-table.ts";
import {
  type Anchor,
  AS_WRITTEN,
  type Asked,
  type Conversation,
  type Dialect,
  type Ending,
  joinWords,
  type Message,
  type ModelTurn,
  withReport,
} from "../../agent/dialect/dialect.ts";
import {
  joinReplies,
  readConversation,
  refuseField,
  textOf,
  toPlainMessages,
} from "../../agent/dialect/conversation.ts";
import { listTools } from "../../agent/offer-tools.ts";
import {
  callsIn,
  groupItems,
  idOf,
  type Item,
  namedCallsIn,
  outputOf,
  textIn,
  toCallItem,
  toItems,
  toTextItem,
  toTurn,
  toTurnMessage,
} from "./responses-items.ts";
import { ResponsesRelay } from "./responses-relay.ts";
import type { Bridge } from "../../agent/ask-model.ts";
import { CHAT } from "../../agent/dialect/chat-dialect.ts";
import { BridgedRelay, fromChatTurn } from "../chat-bridge/from-chat-answer.ts";
import { toChatRequest, toResponsesPath } from "../chat-bridge/to-chat-request.ts";
import { type ModelRoute, readServer } from "../../agent/http/find-server.ts";

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
  readTurn(response, reading = AS_WRITTEN) {
    if (!isJsonObject(response) || response["status"] === "failed") return null;
    const { output } = response;
    return Array.isArray(output)
      ? toTurn((output as readonly unknown[]).filter(isJsonObject), response, reading)
      : null;
  },
  join(turn, replies, rest) {
    const calls = new Map(callsIn(outputOf(turn) ?? []).map((item) => [String(idOf(item)), item]));
    const toReply = (id: string, { json }: ToolReply): Item => ({
      type: `${calls.get(id)?.["type"] === "custom_tool_call" ? "custom_tool" : "function"}_call_output`,
      call_id: id,
      output: json,
    });
    return joinReplies({ turn, replies, rest }, { ids: [...calls.keys()], repliedTo, toReply });
  },
  tell: (messages, text) => [...messages, { role: "user", content: text }],
  say: (text) => toTurnMessage([{ role: "assistant", content: text }]),
  findAnchors: (messages) =>
    messages.flatMap((message, at) => {
      const output = outputOf(message);
      return output === null ? [] : { at, calls: callsIn(output).map(toNamedCall), text: textIn(output) };
    }),
  digestOf(message) {
    const output = outputOf(message);
    if (output !== null) return ["assistant", textIn(output), callsIn(output).map(idOf)];
    const { role, content, type, call_id } = message;
    if (role === "system" || role === "developer") return null;
    return isOutput(message) ? [type, textOf(message["output"]), call_id ?? null] : [role, textOf(content)];
  },
  toPlain: (messages) =>
    toPlainMessages(messages, {
      observationOf: (message) => (isOutput(message) ? textOf(message["output"]) : null),
      actionsOf(message) {
        const output = outputOf(message) ?? [];
        const calls = namedCallsIn(output).map(({ name, arguments: args }) => ({ name, args }));
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
    return withReport(answer, ending.report);
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
  const { tools } = body;
  const listed = Array.isArray(tools) ? (tools as readonly unknown[]).filter(isJsonObject) : [];
  const spaces = listed.flatMap(({ type, name }) =>
    type === "namespace" && typeof name === "string" ? [name] : [],
  );
  const nameOf = ({ type, name }: JsonObject): unknown => (type === "namespace" ? undefined : name);
  const conversation = readConversation({ ...body, messages }, nameOf, { spaces });
  return conversation.ok ? { ...conversation, value: { ...conversation.value, body } } : conversation;
}

function createRequests(
  { body }: Conversation,
  tools: readonly ToolDescriptor[],
): (asked: Asked) => JsonObject {
  const { tools: theirs, ...rest } = body;
  const { tool_choice: _, parallel_tool_calls: __, ...bare } = rest;
  const offered = [...listTools(tools, "openai-responses"), ...((theirs ?? []) as readonly object[])];
  const { tool_choice: choice } = rest;
  const later = choice === undefined ? rest : { ...rest, tool_choice: freeChoice(choice) };
  return ({ messages, tools: mode, system, isLater }) => ({
    ...(mode !== "ours" ? bare : isLater === true ? later : rest),
    ...(system !== undefined && { instructions: join(system, rest["instructions"]) }),
    input: toItems(messages),
    // Servers keep every answer unless told not to.
    store: false,
    ...(mode === "ours" && offered.length > 0 && { tools: offered }),
  });
}

/** The choice of tools for rounds after one that was forced: one among some tools stays one among them. */
function freeChoice(choice: unknown): unknown {
  if (choice === "required") return "auto";
  if (!isJsonObject(choice)) return choice;
  return choice["type"] === "allowed_tools" ? { ...choice, mode: "auto" } : "auto";
}

function join(system: string, instructions: unknown): string {
  return typeof instructions === "string" && instructions !== "" ? `${system}\n\n${instructions}` : system;
}

function isOutput(message: Message): boolean {
  return typeof message["type"] === "string" && message["type"].endsWith("_call_output");
}

/** The id of the call that an item of the caller's answers; null where it answers none. */
function repliedTo(message: Message): string | null {
  if (isOutput(message)) return String(message["call_id"]);
  const { type, approval_request_id: asked } = message;
  return type === "mcp_approval_response" ? String(asked) : null;
}

function toNamedCall(item: Item): Anchor["calls"][number] {
  const { type, name = type, arguments: written } = item;
  const sent = isCalled("responses", type) ? written : undefined;
  const parsed = typeof sent === "string" ? attemptNow(() => parseExact(sent)) : null;
  return {
    id: String(idOf(item)),
    name: String(name),
    args: parsed?.ok === true ? canonicalJson(parsed.value) : "",
  };
}

/** The items that the caller is told of: no call but its own, and our words in place of the model's or behind them. */
function endOutput(turn: ModelTurn, { calls, text, words }: Ending): JsonObject {
  const kept = new Set(calls.map(({ id }) => id));
  const sent = (turn.response["output"] as readonly unknown[]).filter(isJsonObject);
  const read = new Map(callsIn(sent).map((item, at) => [item, turn.calls[at]!]));
  const said = sent.flatMap((item): readonly Item[] => {
    const call = read.get(item);
    if (call === undefined) return [item];
    // Under the id that it has in the conversation, where it had none or another's.
    if (!kept.has(call.id)) return [];
    return [call.foreign === true ? item : { ...item, call_id: call.id }];
  });
  if (text === undefined && words === undefined) return { output: said };
  const own = joinWords(text, words);
  const id = `msg_${String(turn.response["id"])}_0`;
  return {
    status: "completed",
    incomplete_details: null,
    output: [
      ...(text === undefined ? said : []),
      ...(own === "" ? [] : [toTextItem(id, own)]),
      ...(text === undefined ? [] : calls.map(toCallItem)),
    ],
  };
}

/** Responses over Chat Completions. */
export const CHAT_BRIDGE: Bridge = {
  path: CHAT.path,
  toRequest: toChatRequest,
  toOwnPath: toResponsesPath,
  toAnswer(answer) {
    const turn = CHAT.readTurn(answer);
    if (turn === null) return null;
    const [choice] = turn.response["choices"] as readonly unknown[];
    const { message, finish_reason } = choice as JsonObject;
    return fromChatTurn(turn, message as JsonObject, finish_reason);
  },
  toHearer: (relay) => new BridgedRelay(relay),
};

/** Asks a server for its Responses and, if it has none, for its Chat Completions. */
export const RESPONSES_ROUTE: ModelRoute = {
  dialect: RESPONSES,
  field: "input",
  hasDefaultModel: true,
  addressOf(request, ports) {
    const own = readServer("openai", RESPONSES.path, { request, ports });
    const other = readServer("openai", CHAT_BRIDGE.path, { request, ports });
    return own.ok && other.ok
      ? ok({ ...own.value, instead: { url: other.value.url, bridge: CHAT_BRIDGE } })
      : own;
  },
};
