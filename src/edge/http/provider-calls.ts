import { runCalls } from "../../agent/run-calls.ts";
import { makeRefusal } from "../../contract/refusal.ts";
import type { ParseTurn } from "../../formats/provider-turn.ts";
import { readRequestBody } from "./read-request-body.ts";
import { type RequestContext, toExecution } from "./request-context.ts";
import { quotaHeaders, respondJson, respondProblem } from "./respond.ts";

/**
 * Create the handler of a provider's endpoint: what the provider returned in, what is to be appended to the conversation
 * out, with one answer for every call, in order, under the provider's own ids.
 */
export function answerTurns(parseTurn: ParseTurn) {
  return async (request: Request, context: RequestContext): Promise<Response> => {
    const { requestId, caller } = context;
    // Ignored, it would make somebody believe that a turn sent twice runs once.
    if (request.headers.has("idempotency-key")) return respondProblem(NO_KEYS, requestId);
    const body = await readRequestBody(request);
    if (!body.ok) return respondProblem(body.error, requestId);
    const turn = parseTurn(body.value.value);
    if (!turn.ok) return respondProblem(turn.error, requestId);

    const ran = await runCalls(turn.value.calls, toExecution(context, request.signal), body.value.bytes);
    if (!ran.ok) return respondProblem(ran.error.refusal, requestId, quotaHeaders(caller, ran.error.quota));
    const { replies, quota } = ran.value;
    return respondJson(JSON.stringify(turn.value.write(replies)), requestId, quotaHeaders(caller, quota));
  };
}

const NO_KEYS = makeRefusal(
  "INVALID_BATCH",
  "A turn takes no 'Idempotency-Key': leave the header out, or give actions of execute_actions an idempotency_key.",
);
