import { parseBatch } from "../../contract/batch.ts";
import { execute } from "../../executor.ts";
import { readIdempotencyKey } from "./read-idempotency-key.ts";
import { readRequestBody } from "./read-request-body.ts";
import { type RequestContext, toExecution } from "./request-context.ts";
import { quotaHeaders, replayHeaders, respondJson, respondProblem } from "./respond.ts";
import { streamBatch } from "./stream-batch.ts";

/** `POST /v1/execute_actions`: one batch in, every result out. */
export async function executeActions(request: Request, context: RequestContext): Promise<Response> {
  const { requestId, caller } = context;
  const key = readIdempotencyKey(request);
  if (!key.ok) return respondProblem(key.error, requestId);
  const body = await readRequestBody(request);
  if (!body.ok) return respondProblem(body.error, requestId);
  const batch = parseBatch(body.value.value, body.value.bytes);
  if (!batch.ok) return respondProblem(batch.error, requestId);

  const { signal } = request;
  const keyed = key.value === null ? {} : { batchKey: { key: key.value, content: body.value.value } };
  if (wantsEvents(request.headers.get("accept")))
    return streamBatch(batch.value, { signal, ...keyed }, context);
  const answer = await execute(batch.value, { ...toExecution(context, signal), ...keyed });
  if (!answer.ok)
    return respondProblem(answer.error.refusal, requestId, quotaHeaders(caller, answer.error.quota));
  const { envelopeJson, quota, replayed } = answer.value;
  return respondJson(envelopeJson, requestId, { ...quotaHeaders(caller, quota), ...replayHeaders(replayed) });
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
