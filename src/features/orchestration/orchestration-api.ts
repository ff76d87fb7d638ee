import * as z from "zod/mini";

import { type Entry, parseAction } from "../../core/contract/action.ts";
import { makeFailure } from "../../core/contract/failure.ts";
import { err, type Failure, ok, type Refusal, type Result, statusOf } from "../../feature/refuse.ts";
import {
  describe,
  isJsonObject,
  type JsonObject,
  looseSchema,
  strictSchema,
  visibleText,
  type Written,
} from "../../feature/schema.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { readJsonText } from "../../core/contract/run-schema.ts";
import { ORCHESTRATION_LIMITS, type OrchestrationCall } from "./calls.ts";

/** How this API says no. */
export const apiErrorSchema = strictSchema("OrchestrationError", () => ({ error: z.string() }));

/** A refusal of the Orchestration API: the error is the whole body. */
export interface ApiError {
  readonly status: number;
  readonly body: Written<typeof apiErrorSchema>;
}

/** The answer to a bug of ours. */
export const INTERNAL_ERROR: ApiError = makeApiError(500, "Internal server error");

/**
 * Parse a body of this API into its calls.
 *
 * A malformed call never refuses the request: its `entry` carries the failure and it gets a result like any other. Fields
 * beside `tools`, `userId` among them, are ignored.
 *
 * @param bodyBytes size of the body it came in, which bounds every part of it
 */
export type ParseCalls = (
  value: unknown,
  bodyBytes: number,
) => Result<readonly OrchestrationCall[], ApiError>;

const { batchTools, partitionTools } = ORCHESTRATION_LIMITS;

/** Parse the body of `POST /api/orchestration/batch`: 1 to 20 tool calls. */
export const parseBatchRequest: ParseCalls = (value, bodyBytes) => {
  const tools = readTools(value, batchTools, "batch");
  if (!tools.ok) return tools;
  return tools.value.length === 0 ? err(TOOLS_REQUIRED) : ok(parseCalls(tools.value, bodyBytes));
};

/**
 * Parse the body of `POST /api/orchestration/partition`. Unlike a batch it may be empty and longer than 20 calls: the
 * reference document refuses a preview only for `tools` that is no array.
 */
export const parsePartitionRequest: ParseCalls = (value, bodyBytes) => {
  const tools = readTools(value, partitionTools, "partition");
  return tools.ok ? ok(parseCalls(tools.value, bodyBytes)) : tools;
};

const callSchema = looseSchema("OrchestrationCall", () => ({
  id: z.optional(z.string()),
  toolName: z.optional(z.string()),
  input: z.optional(z.looseObject({})),
}));

/** The body that `parseBatchRequest()` takes. */
export const batchCallsSchema = looseSchema("OrchestrationBatch", () => ({
  tools: z.array(callSchema()).check(z.minLength(1), z.maxLength(batchTools)),
}));

/** The body that `parsePartitionRequest()` takes. */
export const partitionCallsSchema = looseSchema("OrchestrationPartition", () => ({
  tools: z.array(callSchema()).check(z.maxLength(partitionTools)),
}));

/** Translate a refusal of the layers around (no key, no JSON, no quota) to this API's error, with its own status. */
export function toApiError(refusal: Refusal): ApiError {
  const error = refusal.code === "UNAUTHORIZED" ? "Unauthorized" : refusal.hint;
  return makeApiError(statusOf(refusal), error);
}

function makeApiError(status: number, error: string): ApiError {
  return { status, body: { error } };
}

const TOOLS_REQUIRED = makeApiError(400, "tools array required");

function readTools(value: unknown, most: number, noun: string): Result<readonly unknown[], ApiError> {
  const sent = isJsonObject(value) && Object.hasOwn(value, "tools") ? value["tools"] : undefined;
  const tools = readJsonText(sent, "array", 1) ?? sent;
  if (!Array.isArray(tools)) return err(TOOLS_REQUIRED);
  return tools.length > most ? err(makeApiError(400, `Maximum ${most} tools per ${noun}`)) : ok(tools);
}

function parseCalls(tools: readonly unknown[], bodyBytes: number): OrchestrationCall[] {
  const mayExceedArgs = bodyBytes > LIMITS.argsBytes;
  return tools.map((sent, index) => {
    const fields = isJsonObject(sent) ? sent : {};
    const toolId = textOf(fields, "id");
    const toolName = textOf(fields, "toolName");
    const problem = findProblem(sent);
    const entry: Entry =
      problem === null
        ? parseAction({ tool: toolName, args: fields["input"] }, index, mayExceedArgs)
        : { index, id: `a${index}`, tool: visibleText(toolName) || null, action: err(problem) };
    return { sent, toolId, toolName, entry };
  });
}

/** Levels of a body above an input. */
const INPUT_LEVELS = 3;

function textOf(fields: JsonObject, name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === "string" ? value : "";
}

/** Find the fault that makes a call malformed, in this API's own field names. */
function findProblem(sent: unknown): Failure | null {
  if (!isJsonObject(sent))
    return malformed(
      `A tool call must be an object with id, toolName and input, received ${describe(sent)}.`,
    );
  for (const name of ["id", "toolName", "input"]) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    const isRead = isJsonObject(value) || readJsonText(value, "object", INPUT_LEVELS) !== undefined;
    const fits = name === "input" ? isRead : typeof value === "string";
    const expected = name === "input" ? "an object" : "a string";
    if (!fits) return malformed(`'${name}' of a tool call must be ${expected}, received ${describe(value)}.`);
  }
  return null;
}

function malformed(hint: string): Failure {
  return makeFailure("INVALID_ACTION", { hint });
}
