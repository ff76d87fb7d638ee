import * as z from "zod";

import { invocationSchema } from "../../catalog/alias.ts";
import { discoverySchema } from "../../catalog/discover-tools.ts";
import { schemaRequestSchema } from "../../catalog/meta-tools.ts";
import { decisionSchema } from "../../contract/gate/confirmation.ts";
import { batchSchema } from "./batch-schema.ts";
import { confirmationSchema } from "./confirmation-schema.ts";
import {
  discoveryAnswerSchema,
  toolDescriptionSchema,
  toolListQuerySchema,
  toolListSchema,
} from "./discovery-schemas.ts";
import { EXAMPLES } from "./examples.ts";
import { jobPageSchema, jobQuerySchema, jobSchema } from "./job-schema.ts";
import type { Operation } from "./operation.ts";
import {
  batchAnswerSchema,
  batchCallsSchema,
  partitionAnswerSchema,
  partitionCallsSchema,
} from "./orchestration-schemas.ts";
import { envelopeSchema, executionSchema, resultSchema } from "./result-schema.ts";
import {
  anthropicAnswerSchema,
  chatAnswerSchema,
  geminiAnswerSchema,
  responsesAnswerSchema,
  turnSchema,
} from "./turn-schemas.ts";

const turn = (
  id: string,
  { provider, schema, example }: { provider: string; schema: z.ZodType; example: unknown },
): Operation => ({
  id,
  summary: `Run the tool calls that ${provider} returned`,
  tag: "Provider formats",
  body: { schema: turnSchema, example },
  answer: { description: "What is to be appended to the conversation", schema, events: true },
  counted: true,
});

const jobId = { tag: "Jobs", answer: { description: "The job", schema: jobSchema } } as const;

/** Every route of the table, described. A route without its description does not compile. */
export const OPERATIONS = {
  "POST /v1/execute_actions": {
    id: "executeActions",
    summary: "Run a batch of actions and answer each of them",
    tag: "Batches",
    keyed: true,
    body: { schema: batchSchema, example: EXAMPLES.batch },
    answer: {
      description: "One result for every action, in the order asked; with dry_run, the plan",
      schema: executionSchema,
      events: true,
    },
    counted: true,
  },
  "POST /v1/discover_tools": {
    id: "discoverTools",
    summary: "Find tools by what they do, by category or by action",
    tag: "Discovery",
    body: { schema: discoverySchema().meta({ id: "DiscoveryRequest" }), example: EXAMPLES.discovery },
    answer: { description: "The tools that fit, best first", schema: discoveryAnswerSchema },
    refusals: ["INVALID_REQUEST"],
  },
  "POST /v1/get_tool_schema": {
    id: "getToolSchema",
    summary: "Describe one tool",
    tag: "Discovery",
    body: { schema: schemaRequestSchema().meta({ id: "ToolName" }), example: EXAMPLES.toolName },
    answer: { description: "Everything needed to call it", schema: toolDescriptionSchema },
    refusals: ["INVALID_REQUEST", "UNKNOWN_TOOL"],
  },
  "POST /v1/invoke_tool": {
    id: "invokeTool",
    summary: "Call one tool",
    tag: "Discovery",
    keyed: true,
    body: { schema: invocationSchema().meta({ id: "Invocation" }), example: EXAMPLES.invocation },
    answer: { description: "Its result, whatever became of it", schema: resultSchema },
    refusals: ["INVALID_REQUEST"],
    counted: true,
  },
  "GET /v1/tools": {
    id: "listTools",
    summary: "List the tools, ready to paste into a model call",
    tag: "Discovery",
    query: toolListQuerySchema,
    answer: { description: "The tools in the format asked for", schema: toolListSchema },
  },
  "GET /v1/jobs": {
    id: "listJobs",
    summary: "List background jobs, newest first",
    tag: "Jobs",
    query: jobQuerySchema,
    answer: { description: "One page of jobs, without their data", schema: jobPageSchema },
  },
  "GET /v1/jobs/:id": {
    id: "getJob",
    ...jobId,
    summary: "Show what became of background work",
    refusals: ["NOT_FOUND"],
  },
  "POST /v1/jobs/:id/cancel": {
    id: "cancelJob",
    ...jobId,
    summary: "Cancel a job that is not over",
    refusals: ["NOT_FOUND", "JOB_NOT_CANCELLABLE"],
  },
  "POST /v1/jobs/:id/redrive": {
    id: "redriveJob",
    ...jobId,
    summary: "Give a dead job new attempts",
    refusals: ["NOT_FOUND", "JOB_NOT_REDRIVABLE", "BACKLOG_FULL"],
  },
  "GET /v1/confirmations/:id": {
    id: "getConfirmation",
    summary: "Show what a person's yes would run",
    tag: "Confirmations",
    answer: { description: "The parked actions with their arguments", schema: confirmationSchema },
    refusals: ["NOT_FOUND"],
  },
  "POST /v1/confirmations/:id": {
    id: "decideConfirmation",
    summary: "Say a person's yes, which runs what was parked, or no",
    tag: "Confirmations",
    body: { schema: decisionSchema().meta({ id: "Decision" }), example: EXAMPLES.decision },
    answer: { description: "One result for every parked action", schema: envelopeSchema },
    refusals: ["NOT_FOUND", "CONFIRMATION_INVALID", "INVALID_REQUEST"],
    counted: true,
  },
  "POST /v1/openai/tool_calls": turn("answerChatCalls", {
    provider: "OpenAI's Chat Completions",
    schema: chatAnswerSchema,
    example: EXAMPLES.chatTurn,
  }),
  "POST /v1/openai/function_calls": turn("answerResponsesCalls", {
    provider: "OpenAI's Responses",
    schema: responsesAnswerSchema,
    example: EXAMPLES.responsesTurn,
  }),
  "POST /v1/anthropic/tool_use": turn("answerAnthropicCalls", {
    provider: "Anthropic's Messages",
    schema: anthropicAnswerSchema,
    example: EXAMPLES.anthropicTurn,
  }),
  "POST /v1/gemini/function_calls": turn("answerGeminiCalls", {
    provider: "Gemini",
    schema: geminiAnswerSchema,
    example: EXAMPLES.geminiTurn,
  }),
  "POST /api/orchestration/batch": {
    id: "orchestrateBatch",
    summary: "Run tool calls, reads together and every write alone",
    tag: "Orchestration",
    body: { schema: batchCallsSchema, example: EXAMPLES.orchestration },
    answer: { description: "One result for every call, in the order asked", schema: batchAnswerSchema },
    refusal: "api-error",
    counted: true,
  },
  "POST /api/orchestration/partition": {
    id: "orchestratePartition",
    summary: "Show how tool calls would be ordered",
    tag: "Orchestration",
    body: { schema: partitionCallsSchema, example: EXAMPLES.orchestration },
    answer: { description: "The batches, in the order they would run", schema: partitionAnswerSchema },
    refusal: "api-error",
    counted: true,
  },
  "GET /openapi.json": {
    id: "getOpenApi",
    summary: "This document",
    tag: "About",
    answer: { description: "OpenAPI 3.1", schema: z.looseObject({}).meta({ id: "OpenApiDocument" }) },
  },
} satisfies Readonly<Record<string, Operation>>;

/** A described route: its method and path, such as `GET /v1/jobs`. */
export type RouteName = keyof typeof OPERATIONS;
