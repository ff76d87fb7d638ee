import type { ToolDescriptor } from "../../discovery/batch-tool.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { attemptNow } from "../../../feature/refuse.ts";
import { callsIn, OLD_CALL, sentCalls, toToolCalls, toTurn, wordsOf } from "./chat-message.ts";
import { ChatRelay } from "./chat-relay.ts";
import {
  type Anchor,
  AS_WRITTEN,
  type Asked,
  type Conversation,
  type Dialect,
  type Ending,
  type ModelTurn,
  withReport,
} from "./dialect.ts";
import { joinReplies, readConversation, refuseField, textOf, toPlainMessages } from "./conversation.ts";
import { listTools } from "../offer-tools.ts";

/**
 * OpenAI's Chat Completions, as any server that is compatible with them speaks them.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat
 */
export const CHAT: Dialect = {
  path: "/chat/completions",
  read(body) {
    const { n } = body;
    // Several answers would be several conversations from there on.
    if (n !== undefined && n !== null && n !== 1) return refuseField("/n", "1 or nothing", n);
    const { functions } = body;
    const old = Array.isArray(functions) ? (functions as readonly unknown[]).filter(isJsonObject) : [];
    const more = old.map(({ name }) => name).filter((name) => typeof name === "string");
    return readConversation(body, toolName, { more });
  },
  createRequests,
  readTurn(response, reading = AS_WRITTEN) {
    const choices = isJsonObject(response) ? response["choices"] : undefined;
    const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
    const message = isJsonObject(choice) ? choice["message"] : undefined;
    if (!isJsonObject(message) || callsIn(message).length > LIMITS.modelCalls) return null;
    const { finish_reason: reason } = choice as JsonObject;
    return { ...toTurn(message, response as JsonObject, reading), reason };
  },
  join: (turn, replies, rest) =>
    joinReplies(
      { turn, replies, rest },
      {
        ids: callsIn(turn).map(({ id }) => String(id)),
        repliedTo: ({ role, tool_call_id: id }) => (role === "tool" ? String(id) : null),
        toReply: (id, { json }) => ({ role: "tool", tool_call_id: id, content: json }),
      },
    ),
  tell: (messages, text) => [...messages, { role: "user", content: text }],
  say: (text) => ({ role: "assistant", content: text }),
  findAnchors: (messages) =>
    messages.flatMap((message, at) =>
      message["role"] === "assistant"
        ? { at, calls: sentCalls(message).map(toNamedCall), text: textOf(message["content"]) }
        : [],
    ),
  digestOf({ role, content, tool_calls: _, ...message }) {
    if (role === "system" || role === "developer") return null;
    const ids = callsIn({ tool_calls: _ }).map(({ id }) => id);
    return [role, textOf(content), ids, message["tool_call_id"] ?? null];
  },
  toPlain: (messages) =>
    toPlainMessages(messages, {
      observationOf: ({ role, content }) => (role === "tool" || role === "function" ? textOf(content) : null),
      actionsOf(message) {
        const calls = sentCalls(message).map(({ function: called }) => {
          const { name, arguments: args } = isJsonObject(called) ? called : {};
          return { name, args };
        });
        return calls.length === 0 ? null : { text: textOf(message["content"]), calls };
      },
    }),
  writeAnswer(turn, ending) {
    const { response } = turn;
    const [choice] = response["choices"] as [JsonObject];
    const answer = {
      ...response,
      choices: [{ ...choice, ...endMessage(choice, turn, ending) }],
      ...(ending.usage !== null && { usage: ending.usage }),
    };
    return withReport(answer, ending.report);
  },
  createRelay: (isTheirs) => new ChatRelay(isTheirs),
};

function toolName(tool: JsonObject): unknown {
  const { function: called, custom } = tool;
  return isJsonObject(called) ? called["name"] : isJsonObject(custom) ? custom["name"] : undefined;
}

function createRequests(
  { body }: Conversation,
  tools: readonly ToolDescriptor[],
): (asked: Asked) => JsonObject {
  const { tools: theirs, ...rest } = body;
  const { tool_choice: _, parallel_tool_calls: __, functions: ___, function_call: ____, ...bare } = rest;
  const offered = [...listTools(tools, "openai"), ...((theirs ?? []) as readonly object[])];
  const { tool_choice: choice, function_call: old } = rest;
  const later = {
    ...rest,
    ...(choice !== undefined && { tool_choice: freeChoice(choice) }),
    ...(isJsonObject(old) && { function_call: "auto" }),
  };
  return ({ messages, tools: mode, system, isLater }) => ({
    ...(mode !== "ours" ? bare : isLater === true ? later : rest),
    messages: system === undefined ? messages : [{ role: "system", content: system }, ...messages],
    // An empty list is refused.
    ...(mode === "ours" && offered.length > 0 && { tools: offered }),
  });
}

/** The choice of tools for rounds after one that was forced: one among some tools stays one among them. */
function freeChoice(choice: unknown): unknown {
  if (choice === "required") return "auto";
  if (!isJsonObject(choice)) return choice;
  const { type, allowed_tools: allowed } = choice;
  return type === "allowed_tools" && isJsonObject(allowed)
    ? { ...choice, allowed_tools: { ...allowed, mode: "auto" } }
    : "auto";
}

/** The message and the reason that it ended for, as the caller is told of them: its calls as the model wrote them. */
function endMessage({ message, finish_reason }: JsonObject, turn: ModelTurn, ending: Ending): JsonObject {
  const { tool_calls: _, function_call: old, ...said } = message as JsonObject;
  const kept = new Set(ending.calls.map(({ id }) => id));
  const written = sentCalls(message as JsonObject).flatMap((call, at): JsonObject[] => {
    const { id, foreign } = turn.calls[at]!;
    return kept.delete(id) ? [foreign === true ? call : { ...call, id }] : [];
  });
  const calls = [
    ...written.filter(({ type }) => type !== OLD_CALL),
    ...toToolCalls(
      { message: {} },
      ending.calls.filter(({ id }) => kept.has(id)),
    ),
  ];
  const words = wordsOf(turn, ending);
  return {
    message: {
      ...said,
      ...(words !== null && { content: words }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(written.length > 0 && calls.length < written.length && { function_call: old }),
    },
    finish_reason: words === null ? finish_reason : ending.calls.length > 0 ? "tool_calls" : "stop",
  };
}

function toNamedCall(call: JsonObject): Anchor["calls"][number] {
  const { id, type, function: called } = call;
  const { arguments: sent } = isJsonObject(called) ? called : {};
  const parsed = typeof sent === "string" ? attemptNow(() => parseExact(sent)) : null;
  return {
    id: String(id),
    name: String(toolName(call) ?? type),
    args: parsed?.ok === true ? canonicalJson(parsed.value) : "",
  };
}
