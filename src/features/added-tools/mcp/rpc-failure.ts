import { AnsweredFailure } from "../../../core/catalog/tool-failure.ts";
import { RPC } from "./message.ts";

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
      return new AnsweredFailure("UPSTREAM_ERROR", {
        retryable: false,
        hint: "The MCP server does not offer what was asked of it; use another tool.",
      });
    case RPC.missingCapability:
    case RPC.urlElicitationRequired:
      return needsPerson();
    default:
      return new AnsweredFailure("UPSTREAM_ERROR", {
        retryable: false,
        hint: `The MCP server answered with error ${code}; change the arguments or use another tool.`,
      });
  }
}

/** The tool asked back what no model can answer here. */
export function needsPerson(): AnsweredFailure {
  return new AnsweredFailure("TOOL_FAILED", {
    hint: "The tool wants to ask a person or a model something first, which cannot be done here; use another tool or tell the user.",
  });
}
