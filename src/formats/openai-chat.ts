import { isJsonObject, type JsonObject } from "../contract/json.ts";
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
  type ToolReply,
} from "./provider-turn.ts";

interface ChatCall extends ProviderCall {
  /** A message's one `function_call` has none: it is answered by its name. */
  readonly id: string | undefined;
}

/**
 * Read a turn of OpenAI's Chat Completions: the completion, its choice, its message, or its `tool_calls`. Every call is answered by
 * one `tool` message; a `function_call`, which came before `tool_calls`, by a `function` message.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat/object
 */
export const parseChatTurn: ParseTurn = (body) => {
  const calls = readCalls(body, { endpoint: "/v1/openai/tool_calls", find: findCalls, read: readCall });
  if (!calls.ok) return calls;
  return ok(makeTurn(calls.value, { toItem: toMessage, toAnswer: (messages) => ({ messages }) }));
};

function toMessage({ id, name }: ChatCall, { json }: ToolReply): object {
  return id === undefined
    ? { role: "function", name, content: json }
    : { role: "tool", tool_call_id: id, content: json };
}

/** A message without calls, or with none, has nothing to answer. */
function findCalls(body: unknown): Result<FoundCalls, Refusal> {
  if (Array.isArray(body)) return ok({ path: "", items: body });
  if (isJsonObject(body)) {
    const { choices } = body;
    if (Array.isArray(choices)) {
      const [choice, ...others] = choices as unknown[];
      if (choice === undefined) return ok({ path: "/choices", items: [] });
      if (others.length > 0) return refuseShape("/choices", "a single choice, the one gone on with", choices);
      const message = isJsonObject(choice) ? choice["message"] : undefined;
      if (isJsonObject(message)) return callsOf(message, "/choices/0/message");
      return refuseShape("/choices/0/message", "an assistant message", message);
    }
    if (isJsonObject(body["message"])) return callsOf(body["message"], "/message");
    if (body["tool_calls"] !== undefined || body["role"] === "assistant") return callsOf(body, "");
    if (isJsonObject(body["function"]) || isJsonObject(body["custom"])) return ok({ path: "", items: body });
  }
  return refuseShape("", "a chat completion, its assistant message, or its list of tool calls", body);
}

/** A message without calls is looked at itself: what it says may have another provider's. */
function callsOf(message: JsonObject, path: string): Result<FoundCalls, Refusal> {
  const { tool_calls: calls, function_call } = message;
  if (calls === undefined || calls === null || isJsonObject(function_call))
    return ok({ path, items: message });
  return Array.isArray(calls)
    ? ok({ path: `${path}/tool_calls`, items: calls })
    : refuseShape(`${path}/tool_calls`, "an array of tool calls", calls);
}

/** A message is no call; its `function_call` is. */
function readCall(item: unknown, path: string): Result<ChatCall | null, Refusal> {
  if (!isJsonObject(item)) return refuseShape(path, "a tool call", item);
  const { id, role, function: called, function_call: single, custom } = item;
  if (isJsonObject(single)) return readFunction(single, `${path}/function_call`, undefined);
  if (typeof role === "string" || "tool_calls" in item) return ok(null);
  if (typeof id !== "string") return refuseShape(`${path}/id`, "the call's id, a string", id);
  if (isJsonObject(called)) return readFunction(called, `${path}/function`, id);
  if (isJsonObject(custom) && typeof custom["name"] === "string")
    return ok({ id, name: custom["name"], args: err(makeFailure("INVALID_ACTION", { hint: CUSTOM })) });
  return refuseShape(`${path}/function`, "an object with the function's name", called);
}

function readFunction(
  { name, arguments: args }: JsonObject,
  path: string,
  id: string | undefined,
): Result<ChatCall, Refusal> {
  if (typeof name !== "string") return refuseShape(`${path}/name`, "the function's name", name);
  return ok({ id, name, args: parseCallArguments(args) });
}

/** What to say of a call with free text for arguments. */
export const CUSTOM =
  "Tools with free-form input are not offered; call it as a function with JSON arguments.";
