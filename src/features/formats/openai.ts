import * as z from "zod/mini";

import { makeFailure } from "../../core/contract/failure.ts";
import {
  isJsonObject,
  type JsonObject,
  lazySchema,
  strictSchema,
  type Written,
} from "../../feature/schema.ts";
import { err, ok, type Refusal, type Result } from "../../feature/refuse.ts";
import { CUSTOM, parseCallArguments } from "../../turns/parse-call-arguments.ts";
import {
  defineDialect,
  foundAt,
  type FoundCalls,
  type ProviderCall,
  readId,
  refuseShape,
} from "../../turns/read-turn.ts";
import { isCalled } from "../../turns/turn-table.ts";

interface ChatCall extends ProviderCall {
  /** A message's one `function_call` has none: it is answered by its name. */
  readonly id: string | undefined;
}

const messageSchema = lazySchema(() =>
  z.union([
    z.strictObject({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string() }),
    z.strictObject({ role: z.literal("function"), name: z.string(), content: z.string() }),
  ]),
);

/** The messages to append to a conversation of Chat Completions. */
export const chatAnswerSchema = strictSchema("ChatAnswer", () => ({ messages: z.array(messageSchema()) }));

/**
 * Read a turn of OpenAI's Chat Completions: the completion, its choice, its message, or its `tool_calls`. Every call is
 * answered by one `tool` message; a `function_call`, which came before `tool_calls`, by a `function` message.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat/object
 */
export const parseChatTurn = defineDialect<ChatCall>({
  endpoint: "/v1/openai/tool_calls",
  bodies: "a chat completion, its assistant message, or its list of tool calls",
  item: "a tool call",
  find: findCalls,
  /** A message is no call; its `function_call` is. */
  read(item, path) {
    const { id: sent, role, function: called, function_call: single, custom } = item;
    if (isJsonObject(single)) return readFunction(single, `${path}/function_call`, undefined);
    if (typeof role === "string" || "tool_calls" in item) return ok(null);
    const id = readId(sent);
    if (typeof id !== "string") return refuseShape(`${path}/id`, "the call's id, a string", sent);
    if (isJsonObject(called)) return readFunction(called, `${path}/function`, id);
    if (isJsonObject(custom) && typeof custom["name"] === "string")
      return ok({ id, name: custom["name"], args: err(makeFailure("INVALID_ACTION", { hint: CUSTOM })) });
    return refuseShape(`${path}/function`, "an object with the function's name", called);
  },
  toItem: ({ id, name }, { json: content }): Written<typeof messageSchema> =>
    id === undefined ? { role: "function", name, content } : { role: "tool", tool_call_id: id, content },
  toAnswer: (messages) => ({ messages }),
});

/** A message without calls, or with none, has nothing to answer. */
function findCalls(body: JsonObject): Result<FoundCalls, Refusal> | null {
  const { choices, message, tool_calls, role } = body;
  if (Array.isArray(choices)) {
    const [choice, ...others] = choices as unknown[];
    if (choice === undefined) return foundAt("/choices", []);
    if (others.length > 0) return refuseShape("/choices", "a single choice, the one gone on with", choices);
    const chosen = isJsonObject(choice) ? choice["message"] : undefined;
    if (isJsonObject(chosen)) return callsOf(chosen, "/choices/0/message");
    return refuseShape("/choices/0/message", "an assistant message", chosen);
  }
  if (isJsonObject(message)) return callsOf(message, "/message");
  if (tool_calls !== undefined || role === "assistant") return callsOf(body, "");
  return isJsonObject(body["function"]) || isJsonObject(body["custom"]) ? foundAt("", body) : null;
}

/** A message without calls is looked at itself: what it says may have another provider's. */
function callsOf(message: JsonObject, path: string): Result<FoundCalls, Refusal> {
  const { tool_calls: calls, function_call } = message;
  if (calls === undefined || calls === null || isJsonObject(function_call)) return foundAt(path, message);
  return Array.isArray(calls) || isJsonObject(calls)
    ? foundAt(`${path}/tool_calls`, calls)
    : refuseShape(`${path}/tool_calls`, "an array of tool calls", calls);
}

function readFunction(
  { name, arguments: args }: JsonObject,
  path: string,
  id: string | undefined,
): Result<ChatCall, Refusal> {
  if (typeof name !== "string") return refuseShape(`${path}/name`, "the function's name", name);
  return ok({ id, name, args: parseCallArguments(args) });
}

/** The kinds of calls that the model may make, and the kind of output that answers each. */
const OUTPUTS = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
} as const;

interface ResponsesCall extends ProviderCall {
  readonly callId: string;
  readonly output: (typeof OUTPUTS)[keyof typeof OUTPUTS];
}

const outputSchema = strictSchema(() => ({
  type: z.enum(Object.values(OUTPUTS)),
  call_id: z.string(),
  output: z.string(),
}));

/** The items to append to the input of Responses. */
export const responsesAnswerSchema = strictSchema("ResponsesAnswer", () => ({
  output: z.array(outputSchema()),
}));

/**
 * Read a turn of OpenAI's Responses: the response, its `output`, or a single item. Every call is answered by one
 * `function_call_output`; items of other types (messages, reasoning, calls that OpenAI itself ran) need no answer.
 *
 * Source: https://platform.openai.com/docs/api-reference/responses/object
 */
export const parseResponsesTurn = defineDialect<ResponsesCall>({
  endpoint: "/v1/openai/function_calls",
  bodies: "a response, its list of output items, or a function call",
  item: "an output item",
  find(body) {
    const { output, type } = body;
    if (Array.isArray(output)) return foundAt("/output", output as unknown[]);
    return typeof type === "string" ? foundAt("", body) : null;
  },
  read(item, path) {
    const { type, call_id: sent, name, arguments: args } = item;
    // A message may leave its type out; a call that does would be lost.
    if (type === undefined && "call_id" in item)
      return refuseShape(`${path}/type`, "the item's type", undefined);
    if (!isCalled("responses", type)) return ok(null);
    const callId = readId(sent);
    if (typeof callId !== "string") return refuseShape(`${path}/call_id`, "the call's id, a string", sent);
    if (typeof name !== "string") return refuseShape(`${path}/name`, "the function's name", name);
    const custom = err(makeFailure("INVALID_ACTION", { hint: CUSTOM }));
    const parsed = type === "function_call" ? parseCallArguments(args) : custom;
    return ok({ callId, name, args: parsed, output: OUTPUTS[type as keyof typeof OUTPUTS] });
  },
  toItem: ({ callId, output }, { json }): Written<typeof outputSchema> => ({
    type: output,
    call_id: callId,
    output: json,
  }),
  toAnswer: (output) => ({ output }),
});
