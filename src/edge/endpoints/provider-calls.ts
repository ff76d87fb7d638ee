import { runCalls } from "../../agent/run-calls.ts";
import { describe } from "../../contract/issues.ts";
import { makeRefusal, type Refusal } from "../../contract/refusal.ts";
import type { ParseTurn } from "../../formats/provider-turn.ts";
import { ok } from "../../kit/result.ts";
import { readRequestBody } from "../http/read-request-body.ts";
import { type RequestContext, toExecution } from "../http/request-context.ts";
import { respondProblem } from "../http/respond.ts";
import { respondRun } from "../http/respond-run.ts";

/**
 * Create the handler of a provider's endpoint: what the provider returned in, what is to be appended to the conversation
 * out, with one answer for every call, in order, under the provider's own ids. As events each result is the provider's own
 * item for one call.
 */
export function answerTurns(parseTurn: ParseTurn) {
  return async (request: Request, context: RequestContext): Promise<Response> => {
    const { requestId } = context;
    // Ignored, it would make somebody believe that a turn sent twice runs once.
    const key = request.headers.get("idempotency-key");
    if (key !== null) return respondProblem(refuseKey(key), requestId);
    const body = await readRequestBody(request);
    if (!body.ok) return respondProblem(body.error, requestId);
    const turn = parseTurn(body.value.value);
    if (!turn.ok) return respondProblem(turn.error, requestId);

    const { calls, write, writeOne } = turn.value;
    return respondRun(
      async ({ onResult, ...listener }) => {
        const ran = await runCalls(
          calls,
          { ...toExecution(context, listener.signal), ...listener },
          {
            bodyBytes: body.value.bytes,
            ...(onResult && { onReply: (at, reply) => onResult(JSON.stringify(writeOne(at, reply))) }),
          },
        );
        if (!ran.ok) return ran;
        const { replies, quota } = ran.value;
        return ok({ json: JSON.stringify(write(replies)), quota, replayed: false });
      },
      request,
      context,
    );
  };
}

function refuseKey(key: string): Refusal {
  return makeRefusal(
    "INVALID_BATCH",
    "A turn takes no 'Idempotency-Key': leave the header out, or give actions of execute_actions an idempotency_key.",
    { issue: { path: "Idempotency-Key", expected: "no such header", received: describe(key) } },
  );
}
