import { isJsonObject } from "../contract/json.ts";
import { makeFailure } from "../contract/failure.ts";
import type { Refusal } from "../contract/refusal.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { parseCallArguments } from "./parse-call-arguments.ts";
import {
  type FoundCalls,
  makeTurn,
  type ParseTurn,
  type ProviderCall,
  readCalls,
  refuseShape,
} from "./provider-turn.ts";

interface ChatCall extends ProviderCall {
  readonly id: string;
}

/**
 * Read a turn of OpenAI's Chat Completions: the completion, its message, or its `tool_calls`. Every call is answered by
 * one `tool` message.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat/object
 */
export const parseChatTurn: ParseTurn = (body) => {
  const calls = readCalls(findCalls(body), readCall);
  if (!calls.ok) return calls;
  return ok(
    makeTurn(calls.value, {
      toItem: ({ id }, { json }) => ({ role: "tool", tool_call_id: id, content: json }),
      toAnswer: (messages) => ({ messages }),
    }),
  );
};

/** A message without calls, or with none, has nothing to answer. */
function findCalls(body: unknown): Result<FoundCalls, Refusal> {
  if (Array.isArray(body)) return ok({ path: "", items: body });
  if (isJsonObject(body)) {
    if (Array.isArray(body["choices"])) {
      const [choice] = body["choices"] as unknown[];
      if (choice === undefined) return ok({ path: "/choices", items: [] });
      const message = isJsonObject(choice) ? choice["message"] : undefined;
      if (isJsonObject(message)) return callsOf(message["tool_calls"], "/choices/0/message/tool_calls");
      return refuseShape("/choices/0/message", "an assistant message", message);
    }
    if (body["tool_calls"] !== undefined || body["role"] === "assistant")
      return callsOf(body["tool_calls"], "/tool_calls");
    if (typeof body["id"] === "string" && body["type"] !== undefined) return ok({ path: "", items: [body] });
  }
  return refuseShape("", "a chat completion, its assistant message, or its list of tool calls", body);
}

function callsOf(calls: unknown, path: string): Result<FoundCalls, Refusal> {
  if (calls === undefined || calls === null) return ok({ path, items: [] });
  return Array.isArray(calls)
    ? ok({ path, items: calls })
    : refuseShape(path, "an array of tool calls", calls);
}

function readCall(item: unknown, path: string): Result<ChatCall, Refusal> {
  if (!isJsonObject(item)) return refuseShape(path, "a tool call", item);
  const { id, function: called, custom } = item;
  if (typeof id !== "string") return refuseShape(`${path}/id`, "the call's id, a string", id);
  if (isJsonObject(called) && typeof called["name"] === "string")
    return ok({ id, name: called["name"], args: parseCallArguments(called["arguments"]) });
  if (isJsonObject(custom) && typeof custom["name"] === "string")
    return ok({ id, name: custom["name"], args: err(makeFailure("INVALID_ACTION", { hint: CUSTOM })) });
  return refuseShape(`${path}/function`, "an object with the function's name", called);
}

/** What to say of a call with free text for arguments. */
export const CUSTOM =
  "Tools with free-form input are not offered; call it as a function with JSON arguments.";
