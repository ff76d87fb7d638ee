import type { OrchestrationCall } from "../../contract/orchestration-partition.ts";
import { executeKeyed, withCurrentTools } from "../../executor.ts";
import {
  batchAnswerSchema,
  partitionAnswerSchema,
  toBatchJson,
  toPartitionJson,
} from "../../formats/orchestration-answer.ts";
import {
  batchCallsSchema,
  parseBatchRequest,
  type ParseCalls,
  parsePartitionRequest,
  partitionCallsSchema,
} from "../../formats/orchestration-api.ts";
import type { Execution } from "../../gate/execution.ts";
import { ok } from "../../kit/result.ts";
import { makeSerialPlan } from "../../plan/make-serial-plan.ts";
import { makePartition } from "../../plan/partition.ts";
import type { Run } from "../http/event-stream.ts";
import { readIdempotencyKey, underKey } from "../http/read-idempotency-key.ts";
import { readRequestBody } from "../http/read-request-body.ts";
import { respondApiError } from "../http/respond.ts";
import { respondDocument } from "../http/respond-run.ts";
import type { Endpoint, Handler } from "../openapi/endpoint.ts";

/** `POST /api/orchestration/batch`: run tool calls, reads together and every write alone. */
export const orchestrateBatch: Endpoint = {
  route: "POST /api/orchestration/batch",
  handle: answerCalls(parseBatchRequest, (calls, execution) =>
    withCurrentTools(execution, (current) => {
      current.watch?.enter("plan");
      const partition = makePartition(calls, current.catalog);
      const plan = makeSerialPlan(partition, current.catalog);
      return executeKeyed(plan, current, (outcomes, totalDurationMs) =>
        toBatchJson(partition, { outcomes, totalDurationMs }),
      );
    }),
  ),
  describe: () => ({
    id: "orchestrateBatch",
    keyed: true,
    summary: "Run tool calls, reads together and every write alone",
    tag: "Orchestration",
    body: { schema: batchCallsSchema(), example: EXAMPLE },
    answer: { description: "One result for every call, in the order asked", schema: batchAnswerSchema() },
    refusal: "api-error",
    counted: true,
  }),
};

/** `POST /api/orchestration/partition`: show how calls would be ordered, without running any. */
export const orchestratePartition: Endpoint = {
  route: "POST /api/orchestration/partition",
  runsNothing: true,
  handle: answerCalls(parsePartitionRequest, async (calls, { catalog }) => {
    const json = toPartitionJson(makePartition(calls, catalog));
    return ok({ json, quota: null, replayed: false });
  }),
  describe: () => ({
    id: "orchestratePartition",
    summary: "Show how tool calls would be ordered",
    tag: "Orchestration",
    body: { schema: partitionCallsSchema(), example: EXAMPLE },
    answer: {
      description: "The batches, in the order they would run",
      schema: partitionAnswerSchema(),
    },
    refusal: "api-error",
  }),
};

function answerCalls(
  parse: ParseCalls,
  run: (calls: readonly OrchestrationCall[], execution: Execution) => ReturnType<Run>,
): Handler {
  return async (request, context) => {
    const key = readIdempotencyKey(request);
    if (!key.ok) return key;
    const body = await readRequestBody(request);
    if (!body.ok) return body;
    const calls = parse(body.value.value, body.value.bytes);
    if (!calls.ok) return ok(respondApiError(calls.error, context.requestId));
    const { pathname } = new URL(request.url);
    const keyed = underKey(key.value, [pathname, body.value.value]);
    return respondDocument(
      (listener) => run(calls.value, { ...context, ...keyed, ...listener }),
      request,
      context,
    );
  };
}

const EXAMPLE = {
  tools: [
    { id: "1", toolName: "read", input: { path: "README.md" } },
    { id: "2", toolName: "bash", input: { command: "ls src" } },
    { id: "3", toolName: "write", input: { path: "notes.md", content: "Hi" } },
  ],
};
