import { type Entry, parseAction } from "../contract/action.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { describe } from "../contract/issues.ts";
import { isJsonObject, type JsonObject } from "../contract/json.ts";
import { LIMITS } from "../contract/limits.ts";
import { ORCHESTRATION_LIMITS, type OrchestrationCall } from "../contract/orchestration-partition.ts";
import { type Refusal, statusOf } from "../contract/refusal.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { visibleText } from "../kit/visible-text.ts";

/** A refusal of the Orchestration API: `{"error": …}` is the whole body. */
export interface ApiError {
  readonly status: number;
  readonly body: { readonly error: string };
}

/** What answers a bug of ours. */
export const INTERNAL_ERROR: ApiError = makeApiError(500, "Internal server error");

/**
 * Parse the body of `POST /api/orchestration/batch`: 1 to 20 tool calls. Other fields, `userId` among them, are ignored.
 *
 * A malformed call never refuses the request: its `entry` carries the failure and it gets a result like any other.
 *
 * @param bodyBytes size of the body it came in, which bounds every part of it
 */
export function parseBatchRequest(
  value: unknown,
  bodyBytes: number,
): Result<readonly OrchestrationCall[], ApiError> {
  const tools = readTools(value);
  if (tools === null || tools.length === 0) return err(TOOLS_REQUIRED);
  const most = ORCHESTRATION_LIMITS.batchTools;
  if (tools.length > most) return err(makeApiError(400, `Maximum ${most} tools per batch`));
  return ok(parseCalls(tools, bodyBytes));
}

/**
 * Parse the body of `POST /api/orchestration/partition`. Unlike a batch it may be empty and longer than 20 calls: the
 * reference document refuses a preview only for `tools` that is no array.
 *
 * @param bodyBytes size of the body it came in, which bounds every part of it
 */
export function parsePartitionRequest(
  value: unknown,
  bodyBytes: number,
): Result<readonly OrchestrationCall[], ApiError> {
  const tools = readTools(value);
  if (tools === null) return err(TOOLS_REQUIRED);
  const most = ORCHESTRATION_LIMITS.partitionTools;
  if (tools.length > most) return err(makeApiError(400, `Maximum ${most} tools per partition`));
  return ok(parseCalls(tools, bodyBytes));
}

/** Translate a refusal of the layers around (no key, no JSON, no quota) to this API's error, with its own status. */
export function toApiError(refusal: Refusal): ApiError {
  const error = refusal.code === "UNAUTHORIZED" ? "Unauthorized" : refusal.hint;
  return makeApiError(statusOf(refusal), error);
}

function makeApiError(status: number, error: string): ApiError {
  return { status, body: { error } };
}

const TOOLS_REQUIRED = makeApiError(400, "tools array required");

function readTools(value: unknown): readonly unknown[] | null {
  if (!isJsonObject(value) || !Object.hasOwn(value, "tools")) return null;
  return Array.isArray(value["tools"]) ? value["tools"] : null;
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

function textOf(fields: JsonObject, name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === "string" ? value : "";
}

/** What makes a call malformed, in this API's own field names. */
function findProblem(sent: unknown): Failure | null {
  if (!isJsonObject(sent))
    return malformed(
      `A tool call must be an object with id, toolName and input, received ${describe(sent)}.`,
    );
  const field = (name: string): unknown => (Object.hasOwn(sent, name) ? sent[name] : undefined);
  const wrong = ["id", "toolName"].find((name) => typeof field(name) !== "string");
  if (wrong !== undefined)
    return malformed(`'${wrong}' of a tool call must be a string, received ${describe(field(wrong))}.`);
  if (!isJsonObject(field("input")))
    return malformed(`'input' of a tool call must be an object, received ${describe(field("input"))}.`);
  return null;
}

function malformed(hint: string): Failure {
  return makeFailure("INVALID_ACTION", { hint });
}
