import type { OrchestrationCall } from "../calls.ts";
import { executeKeyed } from "../../../core/run/execute/execute-plan.ts";
import { recalled, withCurrentTools } from "../../../core/run/execute/executor.ts";
import {
  batchAnswerSchema,
  partitionAnswerSchema,
  toBatchJson,
  toPartitionJson,
} from "../orchestration-answer.ts";
import {
  type ApiError,
  apiErrorSchema,
  batchCallsSchema,
  INTERNAL_ERROR,
  parseBatchRequest,
  type ParseCalls,
  parsePartitionRequest,
  partitionCallsSchema,
  toApiError,
} from "../orchestration-api.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import { ok } from "../../../feature/refuse.ts";
import { makeSerialPlan } from "../make-serial-plan.ts";
import { makePartition } from "../partition.ts";
import type { Dialect, DialectError } from "../../../cloudflare/http/dialect.ts";
import type { Run } from "../../../cloudflare/http/event-stream.ts";
import { readRun, respondDocument, respondJson } from "../../../feature/answer.ts";
import type { Route, Handler } from "../../../cloudflare/openapi/route.ts";

/** This API says no with one sentence, and has a status of its own for what elsewhere is `UNAVAILABLE` without a way to wait for it. */
export const ORCHESTRATION_DIALECT: Dialect = {
  addresses: /^https?:\/\/[^/]+\/api\/orchestration\//,
  write: (refusal) => toError(toApiError(refusal)),
  fault: toError(INTERNAL_ERROR),
  described: { name: "Orchestration", schema: apiErrorSchema },
};

function toError({ status, body }: ApiError): DialectError {
  return { status, json: JSON.stringify(body) };
}

/** `POST /api/orchestration/batch`: run tool calls, reads together and every write alone. */
export const orchestrateBatch: Route = {
  route: "POST /api/orchestration/batch",
  runs: true,
  handle: answerCalls(parseBatchRequest, (calls, execution) =>
    withCurrentTools(execution, async (now) => {
      now.watch?.enter("plan");
      const asked = calls.map(({ toolName }) => ({ tool: toolName }));
      const current = await recalled(asked, now);
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
    refusal: ORCHESTRATION_DIALECT,
    counted: true,
  }),
};

/** `POST /api/orchestration/partition`: show how calls would be ordered, without running any. */
export const orchestratePartition: Route = {
  route: "POST /api/orchestration/partition",
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
    refusal: ORCHESTRATION_DIALECT,
  }),
};

function answerCalls(
  parse: ParseCalls,
  run: (calls: readonly OrchestrationCall[], execution: Execution) => ReturnType<Run>,
): Handler {
  return async (request, context) => {
    const body = await readRun(request, context);
    if (!body.ok) return body;
    const calls = parse(body.value.value, body.value.bytes);
    if (!calls.ok) {
      const { status, body: error } = calls.error;
      return ok(respondJson(JSON.stringify(error), { status }));
    }
    const { pathname } = new URL(request.url);
    const keyed = body.value.keyed([pathname, body.value.value]);
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
