import {
  type CallToolRequestParams,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";

import { runCalls } from "../../agent/run-calls.ts";
import { ALIASES } from "../../catalog/alias.ts";
import { BATCH_TOOL } from "../../catalog/batch-tool.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import type { ToolReply } from "../../formats/provider-turn.ts";
import { toRefusedReply } from "../../formats/to-tool-reply.ts";
import { ok } from "../../kit/result.ts";
import { visibleText } from "../../kit/visible-text.ts";
import { type RequestContext, toExecution } from "../http/request-context.ts";

export interface CallOptions {
  readonly bodyBytes: number;
  readonly signal: AbortSignal;
  /** Told after each result how many of how many actions have one. */
  readonly onProgress?: (progress: number, total: number) => void;
}

/**
 * Call one tool for an MCP client, `execute_actions` among them.
 *
 * The answer is text and the same as structure. It is an error where the call itself failed: bad arguments, a single tool
 * that failed, a batch that was refused; not where some action of a batch failed, because the batch did what it was asked.
 */
export async function callTool(
  { name, arguments: sent }: CallToolRequestParams,
  context: RequestContext,
  { bodyBytes, signal, onProgress }: CallOptions,
): Promise<CallToolResult> {
  if (!isOffered(name, context.catalog))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${visibleText(name)}`);
  const args = sent ?? {};
  const execution = toExecution(context, signal);
  const ran = await runCalls(
    [{ name, args: ok(args) }],
    onProgress === undefined ? execution : { ...execution, onOutcome: countResults(args, onProgress) },
    { bodyBytes },
  );
  const [reply] = ran.ok ? ran.value.replies : [toRefusedReply(ran.error.refusal)];
  return toCallResult(reply!);
}

function isOffered(name: string, catalog: Catalog): boolean {
  return name === BATCH_TOOL || ALIASES.has(name) || catalog.callable(name) !== undefined;
}

function toCallResult({ json, failed }: ToolReply): CallToolResult {
  const value = JSON.parse(json) as unknown;
  return {
    // Text needs no quotes to be read.
    content: [{ type: "text", text: typeof value === "string" ? value : json }],
    // A structure is an object for clients of 2025; what is none goes into one.
    structuredContent: isJsonObject(value) ? value : { data: value },
    ...(failed && { isError: true }),
  };
}

function countResults(args: JsonObject, onProgress: NonNullable<CallOptions["onProgress"]>) {
  const actions = args["actions"];
  const total = Array.isArray(actions) ? actions.length : 1;
  let done = 0;
  return (): void => onProgress((done += 1), total);
}
