import { invocationSchema } from "../../catalog/alias.ts";
import { parseBatch } from "../../contract/batch.ts";
import { isJsonObject } from "../../contract/json.ts";
import { parseRequest } from "../../contract/parse-request.ts";
import { execute } from "../../executor.ts";
import { ok } from "../../kit/result.ts";
import { readIdempotencyKey } from "../http/read-idempotency-key.ts";
import { readRequestBody } from "../http/read-request-body.ts";
import { type RequestContext, toExecution } from "../http/request-context.ts";
import { respondProblem } from "../http/respond.ts";
import { respondDocument } from "../http/respond-run.ts";

/**
 * `POST /v1/invoke_tool`: one tool call, answered with its result whatever became of it. It is a batch of one, so it is
 * counted, bounded and held to the tool's contract as every action is.
 */
export async function invokeTool(request: Request, context: RequestContext): Promise<Response> {
  const { requestId } = context;
  const key = readIdempotencyKey(request);
  if (!key.ok) return respondProblem(key.error, requestId);
  const body = await readRequestBody(request);
  if (!body.ok) return respondProblem(body.error, requestId);
  const parsed = parseRequest(invocationSchema(), body.value.value);
  if (!parsed.ok) return respondProblem(parsed.error, requestId);

  const { tool_name: tool } = parsed.value;
  // What was sent, not Zod's copy: a copy may already have dropped the keys that must be refused.
  const args = isJsonObject(body.value.value) ? body.value.value["parameters"] : undefined;
  const batch = parseBatch({ actions: [{ tool, ...(args !== undefined && { args }) }] }, body.value.bytes);
  if (!batch.ok) return respondProblem(batch.error, requestId);
  const keyed = key.value === null ? {} : { batchKey: { key: key.value, content: body.value.value } };
  return respondDocument(
    async ({ signal }) => {
      const answer = await execute(batch.value, { ...toExecution(context, signal), ...keyed });
      if (!answer.ok) return answer;
      const { envelopeJson, quota, replayed } = answer.value;
      const { results } = JSON.parse(envelopeJson) as { readonly results: readonly unknown[] };
      return ok({ json: JSON.stringify(results[0]), quota, replayed });
    },
    request,
    context,
  );
}
