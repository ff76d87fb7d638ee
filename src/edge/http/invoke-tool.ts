import { invocationSchema } from "../../catalog/alias.ts";
import { parseAction } from "../../contract/action.ts";
import type { Batch } from "../../contract/batch.ts";
import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import { LIMITS } from "../../contract/limits.ts";
import { parseRequest } from "../../contract/parse-request.ts";
import { execute } from "../../executor.ts";
import { readRequestBody } from "./read-request-body.ts";
import { type RequestContext, toExecution } from "./request-context.ts";
import { quotaHeaders, respondJson, respondProblem } from "./respond.ts";

/**
 * `POST /v1/invoke_tool`: one tool call, answered with its result whatever became of it. It is a batch of one, so it is
 * counted, bounded and held to the tool's contract as every action is.
 */
export async function invokeTool(request: Request, context: RequestContext): Promise<Response> {
  const { requestId, caller } = context;
  const body = await readRequestBody(request);
  if (!body.ok) return respondProblem(body.error, requestId);
  const parsed = parseRequest(invocationSchema, body.value.value);
  if (!parsed.ok) return respondProblem(parsed.error, requestId);

  const { tool_name: tool } = parsed.value;
  // What was sent, not Zod's copy: a copy may already have dropped the keys that must be refused.
  const args = isJsonObject(body.value.value) ? body.value.value["parameters"] : undefined;
  const batch = makeBatchOfOne({ tool, ...(args !== undefined && { args }) }, body.value.bytes);
  const answer = await execute(batch, toExecution(context, request.signal));
  if (!answer.ok)
    return respondProblem(answer.error.refusal, requestId, quotaHeaders(caller, answer.error.quota));
  const { results } = JSON.parse(answer.value.envelopeJson) as { readonly results: readonly unknown[] };
  return respondJson(JSON.stringify(results[0]), requestId, quotaHeaders(caller, answer.value.quota));
}

function makeBatchOfOne(action: JsonObject, bodyBytes: number): Batch {
  return {
    entries: [parseAction(action, 0, bodyBytes > LIMITS.argsBytes)],
    onError: "partial-success",
    deadlineMs: LIMITS.deadlineMs,
    dryRun: false,
    maxTokens: null,
    skipApproval: false,
  };
}
