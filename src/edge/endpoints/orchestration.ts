import type { OrchestrationCall } from "../../contract/orchestration-partition.ts";
import type { Refusal } from "../../contract/refusal.ts";
import { executePlan } from "../../executor.ts";
import { toBatchJson, toPartitionJson } from "../../formats/orchestration-answer.ts";
import {
  type ApiError,
  INTERNAL_ERROR,
  parseBatchRequest,
  parsePartitionRequest,
  toApiError,
} from "../../formats/orchestration-api.ts";
import { err, type Result } from "../../kit/result.ts";
import { makeSerialPlan } from "../../plan/make-serial-plan.ts";
import { makePartition } from "../../plan/partition.ts";
import { countRequest, type Refused } from "../../gate/admit-plan.ts";
import { readRequestBody } from "../http/read-request-body.ts";
import { type RequestContext, toExecution } from "../http/request-context.ts";
import { baseHeaders, quotaHeaders, respondJson } from "../http/respond.ts";

type Parse = (value: unknown, bodyBytes: number) => Result<readonly OrchestrationCall[], ApiError>;

/** `POST /api/orchestration/batch`: run tool calls, reads together and every write alone. */
export async function orchestrateBatch(request: Request, context: RequestContext): Promise<Response> {
  const { requestId, catalog, caller } = context;
  const calls = await readCalls(request, parseBatchRequest);
  if (!calls.ok) return respondApiError(calls.error, requestId);

  const partition = makePartition(calls.value, catalog);
  const executed = await executePlan(
    makeSerialPlan(partition, catalog),
    toExecution(context, request.signal),
  );
  if (!executed.ok) return respondRefused(executed.error, context);
  const { outcomes, durationMs, quota } = executed.value;
  const json = toBatchJson(partition, { outcomes, totalDurationMs: durationMs });
  return respondJson(json, requestId, quotaHeaders(caller, quota));
}

/** `POST /api/orchestration/partition`: show how calls would be ordered, without running any. */
export async function orchestratePartition(request: Request, context: RequestContext): Promise<Response> {
  const { requestId, catalog, caller, gate } = context;
  const calls = await readCalls(request, parsePartitionRequest);
  if (!calls.ok) return respondApiError(calls.error, requestId);
  const counted = await countRequest(caller, gate);
  if (!counted.ok) return respondRefused(counted.error, context);
  return respondJson(
    toPartitionJson(makePartition(calls.value, catalog)),
    requestId,
    quotaHeaders(caller, counted.value),
  );
}

function respondRefused({ refusal, quota }: Refused, { requestId, caller }: RequestContext): Response {
  return respondApiRefusal(refusal, requestId, quotaHeaders(caller, quota));
}

/** Answer a refusal in this API's words: `{"error": …}`. */
export function respondApiRefusal(
  refusal: Refusal,
  requestId: string,
  headers?: Record<string, string>,
): Response {
  return respondApiError(toApiError(refusal), requestId, {
    ...retryAfter(refusal),
    ...(refusal.code === "UNAUTHORIZED" && { "www-authenticate": "Bearer" }),
    ...headers,
  });
}

/** Answer a bug of ours in this API's words. */
export function respondApiBug(requestId: string): Response {
  return respondApiError(INTERNAL_ERROR, requestId);
}

async function readCalls(
  request: Request,
  parse: Parse,
): Promise<Result<readonly OrchestrationCall[], ApiError>> {
  const body = await readRequestBody(request);
  return body.ok ? parse(body.value.value, body.value.bytes) : err(toApiError(body.error));
}

function retryAfter({ retryAfterMs }: Refusal): Record<string, string> {
  return retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1000)) };
}

function respondApiError(
  { status, body }: ApiError,
  requestId: string,
  headers?: Record<string, string>,
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...baseHeaders(requestId), "content-type": "application/json", ...headers },
  });
}
