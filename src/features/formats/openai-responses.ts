import * as z from "zod/mini";

import { makeFailure } from "../../core/contract/failure.ts";
import { lazySchema, type Written } from "../../core/contract/lazy-schema.ts";
import { err, ok } from "../../core/kit/result.ts";
import { CUSTOM, parseCallArguments } from "../../turns/parse-call-arguments.ts";
import { isCalled } from "../../turns/turn-table.ts";
import { defineDialect, foundAt, type ProviderCall, readId, refuseShape } from "../../turns/read-turn.ts";

/** The kinds of calls that the model may make, and the kind of output that answers each. */
const OUTPUTS = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
} as const;

interface ResponsesCall extends ProviderCall {
  readonly callId: string;
  readonly output: (typeof OUTPUTS)[keyof typeof OUTPUTS];
}

const outputSchema = lazySchema(() =>
  z.strictObject({ type: z.enum(Object.values(OUTPUTS)), call_id: z.string(), output: z.string() }),
);

/** The items to append to the input of Responses. */
export const responsesAnswerSchema = lazySchema(() =>
  z.strictObject({ output: z.array(outputSchema()) }).register(z.globalRegistry, { id: "ResponsesAnswer" }),
);

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
