import * as z from "zod";

import { invocationSchema } from "../../catalog/alias.ts";
import { discoverySchema } from "../../catalog/discover-tools.ts";
import { schemaRequestSchema } from "../../catalog/meta-tools.ts";
import { actionSchema } from "../../contract/action.ts";
import { batchSchema } from "../../contract/batch.ts";
import { decisionSchema } from "../../contract/confirmation.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { RouteName } from "../http/routes.ts";
import { confirmationSchema } from "./confirmation-schema.ts";
import {
  discoveryAnswerSchema,
  toolDescriptionSchema,
  toolListQuerySchema,
  toolListSchema,
} from "./discovery-schemas.ts";
import { jobPageSchema, jobQuerySchema, jobSchema } from "./job-schema.ts";
import type { Operation } from "./operation.ts";
import {
  apiErrorSchema,
  batchAnswerSchema,
  batchCallsSchema,
  partitionAnswerSchema,
  partitionCallsSchema,
} from "./orchestration-schemas.ts";
import { envelopeSchema, planSchema, resultSchema } from "./result-schema.ts";
import {
  anthropicAnswerSchema,
  chatAnswerSchema,
  geminiAnswerSchema,
  responsesAnswerSchema,
  turnSchema,
} from "./turn-schemas.ts";

/** A batch as it is documented: its actions are parsed one by one, so that one bad action stays one bad action. */
const batchBodySchema = batchSchema.extend({ actions: z.array(actionSchema).min(1).max(LIMITS.actions) });

const turn = (provider: string, schema: z.ZodType): Operation => ({
  summary: `Run the tool calls that ${provider} returned`,
  tag: "Provider formats",
  body: turnSchema,
  answer: { description: "What is to be appended to the conversation", schema, events: true },
  counted: true,
});

const jobId = { tag: "Jobs", answer: { description: "The job", schema: jobSchema } } as const;

const IDEMPOTENCY_KEY = {
  "Idempotency-Key":
    "Names this request: sent again with the same body it is not run again, and answers what it answered",
};

/** Every route of the table, described. A route without its description does not compile. */
export const OPERATIONS: Readonly<Record<RouteName, Operation>> = {
  "POST /v1/execute_actions": {
    summary: "Run a batch of actions and answer each of them",
    tag: "Batches",
    headers: IDEMPOTENCY_KEY,
    refusals: ["IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_CONFLICT"],
    body: batchBodySchema,
    answer: {
      description: "One result for every action, in the order asked; with dry_run, the plan",
      schema: z.union([envelopeSchema, planSchema]),
      events: true,
    },
    counted: true,
  },
  "POST /v1/discover_tools": {
    summary: "Find tools by what they do, by category or by action",
    tag: "Discovery",
    body: discoverySchema,
    answer: { description: "The tools that fit, best first", schema: discoveryAnswerSchema },
    refusals: ["INVALID_REQUEST"],
  },
  "POST /v1/get_tool_schema": {
    summary: "Describe one tool",
    tag: "Discovery",
    body: schemaRequestSchema,
    answer: { description: "Everything needed to call it", schema: toolDescriptionSchema },
    refusals: ["INVALID_REQUEST", "UNKNOWN_TOOL"],
  },
  "POST /v1/invoke_tool": {
    summary: "Call one tool",
    tag: "Discovery",
    headers: IDEMPOTENCY_KEY,
    body: invocationSchema,
    answer: { description: "Its result, whatever became of it", schema: resultSchema },
    refusals: ["INVALID_REQUEST", "IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_CONFLICT"],
    counted: true,
  },
  "GET /v1/tools": {
    summary: "List the tools, ready to paste into a model call",
    tag: "Discovery",
    query: toolListQuerySchema,
    answer: { description: "The tools in the format asked for", schema: toolListSchema },
  },
  "GET /v1/jobs": {
    summary: "List background jobs, newest first",
    tag: "Jobs",
    query: jobQuerySchema,
    answer: { description: "One page of jobs, without their data", schema: jobPageSchema },
    refusals: ["UNAVAILABLE"],
  },
  "GET /v1/jobs/:id": {
    ...jobId,
    summary: "Show what became of background work",
    refusals: ["NOT_FOUND", "UNAVAILABLE"],
  },
  "POST /v1/jobs/:id/cancel": {
    ...jobId,
    summary: "Cancel a job that is not over",
    refusals: ["NOT_FOUND", "JOB_NOT_CANCELLABLE", "UNAVAILABLE"],
  },
  "POST /v1/jobs/:id/redrive": {
    ...jobId,
    summary: "Give a dead job new attempts",
    refusals: ["NOT_FOUND", "JOB_NOT_REDRIVABLE", "BACKLOG_FULL", "UNAVAILABLE"],
  },
  "GET /v1/confirmations/:id": {
    summary: "Show what a person's yes would run",
    tag: "Confirmations",
    answer: { description: "The parked actions with their arguments", schema: confirmationSchema },
    refusals: ["NOT_FOUND", "UNAVAILABLE"],
  },
  "POST /v1/confirmations/:id": {
    summary: "Say a person's yes, which runs what was parked, or no",
    tag: "Confirmations",
    body: decisionSchema,
    answer: { description: "One result for every parked action", schema: envelopeSchema },
    refusals: ["NOT_FOUND", "CONFIRMATION_INVALID", "INVALID_REQUEST"],
    counted: true,
  },
  "POST /v1/openai/tool_calls": turn("OpenAI's Chat Completions", chatAnswerSchema),
  "POST /v1/openai/function_calls": turn("OpenAI's Responses", responsesAnswerSchema),
  "POST /v1/anthropic/tool_use": turn("Anthropic's Messages", anthropicAnswerSchema),
  "POST /v1/gemini/function_calls": turn("Gemini", geminiAnswerSchema),
  "POST /api/orchestration/batch": {
    summary: "Run tool calls, reads together and every write alone",
    tag: "Orchestration",
    body: batchCallsSchema,
    answer: { description: "One result for every call, in the order asked", schema: batchAnswerSchema },
    refusal: apiErrorSchema,
    counted: true,
  },
  "POST /api/orchestration/partition": {
    summary: "Show how tool calls would be ordered",
    tag: "Orchestration",
    body: partitionCallsSchema,
    answer: { description: "The batches, in the order they would run", schema: partitionAnswerSchema },
    refusal: apiErrorSchema,
    counted: true,
  },
  "GET /openapi.json": {
    summary: "This document",
    tag: "About",
    answer: { description: "OpenAPI 3.1", schema: z.looseObject({}) },
  },
};
