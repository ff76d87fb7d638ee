import { runCalls } from "../../agent/run-calls.ts";
import { describe } from "../../contract/issues.ts";
import { makeRefusal, type Refusal } from "../../contract/refusal.ts";
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
    const key = request.headers.get("idempotency-key");
    if (key !== null) return respondProblem(refuseKey(key), requestId);
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

function refuseKey(key: string): Refusal {
  return makeRefusal(
    "INVALID_BATCH",
    "A turn takes no 'Idempotency-Key': leave the header out, or give actions of execute_actions an idempotency_key.",
    { issue: { path: "Idempotency-Key", expected: "no such header", received: describe(key) } },
  );
}
