import { parseBatch } from "../../contract/batch.ts";
import { makeRefusal } from "../../contract/refusal.ts";
import { execute } from "../../executor.ts";
import { readRequestBody } from "./read-request-body.ts";
import { type RequestContext, toExecution } from "./request-context.ts";
import { quotaHeaders, respondJson, respondProblem } from "./respond.ts";
import { streamBatch } from "./stream-batch.ts";

/** `POST /v1/execute_actions`: one batch in, every result out. */
export async function executeActions(request: Request, context: RequestContext): Promise<Response> {
  const { requestId, caller } = context;
  if (request.headers.has("idempotency-key")) {
    return respondProblem(
      makeRefusal("INVALID_BATCH", "The header 'Idempotency-Key' is not supported yet; leave it out."),
      requestId,
    );
  }
  const body = await readRequestBody(request);
  if (!body.ok) return respondProblem(body.error, requestId);
  const batch = parseBatch(body.value.value, body.value.bytes);
  if (!batch.ok) return respondProblem(batch.error, requestId);

  if (wantsEvents(request.headers.get("accept"))) {
    return streamBatch(batch.value, request.signal, context);
  }
  const answer = await execute(batch.value, toExecution(context, request.signal));
  if (!answer.ok)
    return respondProblem(answer.error.refusal, requestId, quotaHeaders(caller, answer.error.quota));
  return respondJson(answer.value.envelopeJson, requestId, quotaHeaders(caller, answer.value.quota));
}

/** Whether an `Accept` header (RFC 9110, 12.5.1) names server-sent events without refusing them. */
function wantsEvents(accept: string | null): boolean {
  return (accept ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range
      .toLowerCase()
      .split(";")
      .map((part) => part.trim());
    return type === "text/event-stream" && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
