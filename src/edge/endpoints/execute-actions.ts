import { parseBatch } from "../../contract/batch.ts";
import { execute } from "../../executor.ts";
import { ok } from "../../kit/result.ts";
import { toResultJson } from "../../answer/envelope.ts";
import { readIdempotencyKey } from "../http/read-idempotency-key.ts";
import { readRequestBody } from "../http/read-request-body.ts";
import { type RequestContext, toExecution } from "../http/request-context.ts";
import { respondProblem } from "../http/respond.ts";
import { respondRun } from "../http/respond-run.ts";

/**
 * `POST /v1/execute_actions`: one batch in, every result out. As events an answer that is replayed for its idempotency key
 * comes all at once, and a dry run has no results: its plan is the `done`.
 */
export async function executeActions(request: Request, context: RequestContext): Promise<Response> {
  const { requestId } = context;
  const key = readIdempotencyKey(request);
  if (!key.ok) return respondProblem(key.error, requestId);
  const body = await readRequestBody(request);
  if (!body.ok) return respondProblem(body.error, requestId);
  const batch = parseBatch(body.value.value, body.value.bytes);
  if (!batch.ok) return respondProblem(batch.error, requestId);

  const keyed = key.value === null ? {} : { batchKey: { key: key.value, content: body.value.value } };
  return respondRun(
    async ({ onResult, ...listener }) => {
      const answer = await execute(batch.value, {
        ...toExecution(context, listener.signal),
        ...keyed,
        ...listener,
        ...(onResult && { onOutcome: (step, outcome) => onResult(toResultJson(step, outcome)) }),
      });
      if (!answer.ok) return answer;
      const { envelopeJson, quota, replayed } = answer.value;
      if (replayed && onResult) for (const json of resultsOf(envelopeJson)) onResult(json);
      return ok({ json: envelopeJson, quota, replayed });
    },
    request,
    context,
  );
}

function resultsOf(envelopeJson: string): string[] {
  const { results } = JSON.parse(envelopeJson) as { readonly results: readonly unknown[] };
  return results.map((result) => JSON.stringify(result));
}
