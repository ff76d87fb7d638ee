import type { ToolDescriptor } from "../../discovery/batch-tool.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { attemptNow } from "../../../core/kit/result.ts";
import { callsIn, toToolCalls, toTurn, wordsOf } from "./chat-message.ts";
import { ChatRelay } from "./chat-relay.ts";
import type { Asked, Conversation, Dialect, Ending, ModelTurn } from "./dialect.ts";
import { joinReplies } from "./join-replies.ts";
import { listTools } from "./list-tools.ts";
import { toPlainMessages } from "./plain-messages.ts";
import { readConversation, refuseField, textOf } from "./read-conversation.ts";

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
    return readConversation(body, toolName);
  },
  createRequests,
  readTurn(response) {
    const choices = isJsonObject(response) ? response["choices"] : undefined;
    const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
    const message = isJsonObject(choice) ? choice["message"] : undefined;
    if (!isJsonObject(message) || callsIn(message).length > LIMITS.modelCalls) return null;
    return toTurn(message, response as JsonObject);
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
        ? { at, calls: callsIn(message).map(toNamedCall), text: textOf(message["content"]) }
        : [],
    ),
  digestOf({ role, content, tool_calls: _, ...message }) {
    if (role === "system" || role === "developer") return null;
    const ids = callsIn({ tool_calls: _ }).map(({ id }) => id);
    return [role, textOf(content), ids, message["tool_call_id"] ?? null];
  },
  toPlain: (messages) =>
    toPlainMessages(messages, {
      observationOf: ({ role, content }) => (role === "tool" ? textOf(content) : null),
      actionsOf(message) {
        const calls = callsIn(message).map(({ function: called }) => {
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
    return `${JSON.stringify(answer).slice(0, -1)},"volley":${ending.report}}`;
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
  return ({ messages, tools: mode, system }) => ({
    ...(mode === "ours" ? rest : bare),
    messages: system === undefined ? messages : [{ role: "system", content: system }, ...messages],
    // An empty list is refused.
    ...(mode === "ours" && offered.length > 0 && { tools: offered }),
  });
}

/** The message and the reason that it ended for, as the caller is told of them: its calls as the model wrote them. */
function endMessage({ message, finish_reason }: JsonObject, turn: ModelTurn, ending: Ending): JsonObject {
  const { tool_calls: _, ...said } = message as JsonObject;
  const sent = callsIn(message as JsonObject);
  const ids = callsIn(turn.message).map(({ id }) => id);
  const calls = toToolCalls(turn, ending.calls).map((call) => {
    const written = sent[ids.indexOf(call["id"])];
    return written === undefined ? call : { ...written, id: call["id"] };
  });
  const words = wordsOf(turn, ending);
  return {
    message: {
      ...said,
      ...(words !== null && { content: words }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    finish_reason: words === null ? finish_reason : calls.length > 0 ? "tool_calls" : "stop",
  };
}

function toNamedCall({ id, function: called }: JsonObject): { id: string; args: string } {
  const { arguments: sent } = isJsonObject(called) ? called : {};
  const parsed = typeof sent === "string" ? attemptNow(() => parseExact(sent)) : null;
  return { id: String(id), args: parsed?.ok === true ? canonicalJson(parsed.value) : "" };
}
