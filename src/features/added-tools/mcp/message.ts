import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import type { ProgressReport } from "../../../core/catalog/define-tool.ts";
import { AnsweredFailure } from "../../../core/catalog/tool-failure.ts";

/** A server's answer to a request: its result, or its error, whose text is the server's own. */
export type Answer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly code: number; readonly said?: string };

/** A message that concerns a request of ours. */
type Message = Answer | { readonly kind: "progress"; readonly report: ProgressReport };

/** Codes of JSON-RPC 2.0 and of the Model Context Protocol. */
export const RPC = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  missingCapability: -32021,
  urlElicitationRequired: -32042,
} as const;

/**
 * Read what a server sent about our request `id`, which is also its progress token. Null is everything else: requests of the
 * server's own (sampling, elicitation, roots), which a client that offered none of them need not answer, notifications, and
 * answers to what we did not ask.
 */
export function readMessage(value: unknown, id: number): Message | null {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return null;
  const { method, params, result, error } = value;
  if (method === "notifications/progress") return readProgress(params, id);
  if (method !== undefined) return null;
  // A server that could not read the request cannot tell its id.
  if (value["id"] !== id && (value["id"] !== null || error === undefined)) return null;
  if (isJsonObject(error) && typeof error["code"] === "number") {
    const { code, message } = error;
    return { kind: "error", code, ...(typeof message === "string" && message !== "" && { said: message }) };
  }
  return isJsonObject(result) && error === undefined ? { kind: "result", result } : null;
}

function readProgress(params: unknown, token: number): Message | null {
  if (!isJsonObject(params) || params["progressToken"] !== token) return null;
  const { progress, total, message } = params;
  if (!Number.isFinite(progress)) return null;
  const report = {
    progress: progress as number,
    ...(Number.isFinite(total) && { total: total as number }),
    ...(typeof message === "string" && { message }),
  };
  return { kind: "progress", report };
}

/**
 * Make the failure that a server's JSON-RPC error means. Its code alone decides; the text is the server's, and stands apart.
 */
export function toFailure(code: number, said?: string): AnsweredFailure {
  const { code: ours, ...failure } = failureOf(code).failure;
  if (said === undefined) return new AnsweredFailure(ours, failure);
  return new AnsweredFailure(ours, {
    ...failure,
    upstream: { status: 200, message: said, code: String(code) },
  });
}

function failureOf(code: number): AnsweredFailure {
  const failed = (hint: string): AnsweredFailure =>
    new AnsweredFailure("UPSTREAM_ERROR", { retryable: false, hint });
  switch (code) {
    case RPC.invalidParams:
      return new AnsweredFailure("INVALID_ARGS", {
        hint: "The MCP server does not take these arguments; look at the tool's schema and description again.",
      });
    case RPC.internal:
      return new AnsweredFailure("UPSTREAM_ERROR", {
        hint: "The MCP server failed inside; trying again later may help.",
      });
    case RPC.methodNotFound:
      return failed("The MCP server does not offer what was asked of it; use another tool.");
    case RPC.missingCapability:
    case RPC.urlElicitationRequired:
      return needsPerson();
    default:
      return failed(`The MCP server answered with error ${code}; change the arguments or use another tool.`);
  }
}

/** The tool asked back what no model can answer here. */
export function needsPerson(): AnsweredFailure {
  return new AnsweredFailure("TOOL_FAILED", {
    hint: "The tool wants to ask a person or a model something first, which cannot be done here; use another tool or tell the user.",
  });
}
