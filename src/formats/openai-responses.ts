import { makeFailure } from "../contract/failure.ts";
import { isJsonObject, type JsonObject } from "../contract/json.ts";
import type { Refusal } from "../contract/refusal.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { CUSTOM } from "./openai-chat.ts";
import { parseCallArguments } from "./parse-call-arguments.ts";
import {
  type FoundCalls,
  makeTurn,
  type ParseTurn,
  type ProviderCall,
  readCalls,
  refuseShape,
} from "./provider-turn.ts";

interface ResponsesCall extends ProviderCall {
  readonly callId: string;
  readonly outputType: "function_call_output" | "custom_tool_call_output";
}

/**
 * Read a turn of OpenAI's Responses: the response, its `output`, or a single item. Every call is answered by one
 * `function_call_output`; items of other types (messages, reasoning, calls that OpenAI itself ran) need no answer.
 *
 * Source: https://platform.openai.com/docs/api-reference/responses/object
 */
export const parseResponsesTurn: ParseTurn = (body) => {
  const read = readCalls(body, { endpoint: "/v1/openai/function_calls", find: findItems, read: readItem });
  if (!read.ok) return read;
  return ok(
    makeTurn(read.value, {
      toItem: ({ callId, outputType }, { json }) => ({ type: outputType, call_id: callId, output: json }),
      toAnswer: (output) => ({ output }),
    }),
  );
};

function findItems(body: unknown): Result<FoundCalls, Refusal> {
  if (Array.isArray(body)) return ok({ path: "", items: body });
  if (isJsonObject(body)) {
    if (Array.isArray(body["output"])) return ok({ path: "/output", items: body["output"] as unknown[] });
    if (typeof body["type"] === "string") return ok({ path: "", items: body });
  }
  return refuseShape("", "a response, its list of output items, or a function call", body);
}

function readItem(item: unknown, path: string): Result<ResponsesCall | null, Refusal> {
  if (!isJsonObject(item)) return refuseShape(path, "an output item", item);
  switch (item["type"]) {
    case "function_call":
      return readCall(item, path, parseCallArguments(item["arguments"]), "function_call_output");
    case "custom_tool_call":
      return readCall(
        item,
        path,
        err(makeFailure("INVALID_ACTION", { hint: CUSTOM })),
        "custom_tool_call_output",
      );
    case undefined:
      // A message may leave its type out; a call that does would be lost.
      return "call_id" in item ? refuseShape(`${path}/type`, "the item's type", undefined) : ok(null);
    default:
      return ok(null);
  }
}

function readCall(
  { call_id: callId, name }: JsonObject,
  path: string,
  args: ProviderCall["args"],
  outputType: ResponsesCall["outputType"],
): Result<ResponsesCall, Refusal> {
  if (typeof callId !== "string") return refuseShape(`${path}/call_id`, "the call's id, a string", callId);
  if (typeof name !== "string") return refuseShape(`${path}/name`, "the function's name", name);
  return ok({ callId, name, args, outputType });
}
