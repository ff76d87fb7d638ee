import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import type { ModelTurn } from "../../agent/dialect/dialect.ts";
import { sentCalls } from "../../agent/dialect/chat-message.ts";
import { type Item, toTextItem } from "../dialect/responses-items.ts";

/**
 * Write an answer of Chat Completions as one of Responses: its calls as the model wrote them, under ids that can be answered.
 *
 * @param message the message as it came
 * @param finish why it ended
 */
export function fromChatTurn(
  { calls, text, usage, response }: ModelTurn,
  message: JsonObject,
  finish: unknown,
): JsonObject {
  const isCut = finish === "length" || finish === "content_filter";
  return {
    ...beginResponse(response),
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut
      ? { reason: finish === "length" ? "max_output_tokens" : "content_filter" }
      : null,
    output: [
      ...(text === "" ? [] : [toTextItem(textIdOf(response), text)]),
      ...sentCalls(message).map((call, at) => toCallItem({ ...call, id: calls[at]!.id })),
    ],
    usage: usage === null ? null : toUsage(usage),
  };
}

/** Write the beginning of an answer, which says that nothing is there yet. */
export function beginResponse({ id, created, model }: JsonObject): JsonObject {
  return {
    id: `resp_${String(id)}`,
    object: "response",
    created_at: created,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    tool_choice: "auto",
    tools: [],
    usage: null,
  };
}

/** The id that the text of an answer has. */
export function textIdOf({ id }: JsonObject): string {
  return `msg_${String(id)}`;
}

/** A call of Chat Completions as an item. */
function toCallItem(call: JsonObject): Item {
  const { id, function: called, custom } = call;
  if (isJsonObject(custom)) {
    const { name, input } = custom;
    return {
      type: "custom_tool_call",
      id: `ctc_${String(id)}`,
      call_id: id,
      name,
      input,
      status: "completed",
    };
  }
  const { name, arguments: args } = isJsonObject(called) ? called : {};
  return {
    type: "function_call",
    id: `fc_${String(id)}`,
    call_id: id,
    name,
    arguments: args,
    status: "completed",
  };
}

function toUsage(usage: JsonObject): JsonObject {
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  const input = isJsonObject(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {};
  const output = isJsonObject(usage["completion_tokens_details"]) ? usage["completion_tokens_details"] : {};
  return {
    input_tokens: prompt_tokens ?? 0,
    input_tokens_details: { cached_tokens: input["cached_tokens"] ?? 0 },
    output_tokens: completion_tokens ?? 0,
    output_tokens_details: { reasoning_tokens: output["reasoning_tokens"] ?? 0 },
    total_tokens: total_tokens ?? 0,
  };
}
