import { isJsonObject } from "../contract/json.ts";
import type { Refusal } from "../contract/refusal.ts";
import { ok, type Result } from "../kit/result.ts";
import { parseCallArguments } from "./parse-call-arguments.ts";
import {
  type FoundCalls,
  makeTurn,
  type ParseTurn,
  type ProviderCall,
  readCalls,
  refuseShape,
  type ToolReply,
} from "./provider-turn.ts";

interface ToolUse extends ProviderCall {
  readonly id: string;
}

/**
 * Read a turn of Anthropic's Messages: the message, its content, or a single `tool_use` block. All calls are answered in
 * one user message, as the API demands: a `tool_result` for every `tool_use`, and `is_error` where it failed. Blocks of
 * other types (text, thinking, tools that Anthropic itself ran) need no answer.
 *
 * Source: https://docs.anthropic.com/en/api/messages
 */
export const parseAnthropicTurn: ParseTurn = (body) => {
  const read = readCalls(body, { endpoint: "/v1/anthropic/tool_use", find: findBlocks, read: readBlock });
  if (!read.ok) return read;
  return ok(
    makeTurn(read.value, {
      toItem: toToolResult,
      // The API refuses a message without content.
      toAnswer: (content) => ({ messages: content.length === 0 ? [] : [{ role: "user", content }] }),
    }),
  );
};

function findBlocks(body: unknown): Result<FoundCalls, Refusal> {
  if (Array.isArray(body)) return ok({ path: "", items: body });
  if (isJsonObject(body)) {
    const { content } = body;
    if (Array.isArray(content)) return ok({ path: "/content", items: content as unknown[] });
    // A message that is only text may be said in short.
    if (typeof content === "string" || body["type"] === "tool_use") return ok({ path: "", items: body });
  }
  return refuseShape("", "a message, its list of content blocks, or a tool_use block", body);
}

function readBlock(block: unknown, path: string): Result<ToolUse | null, Refusal> {
  if (!isJsonObject(block)) return refuseShape(path, "a content block", block);
  const { type, id, name, input } = block;
  // Taken for something else, the call would be lost.
  if (type === undefined && input !== undefined)
    return refuseShape(`${path}/type`, "the block's type", undefined);
  if (type !== "tool_use") return ok(null);
  if (typeof id !== "string") return refuseShape(`${path}/id`, "the call's id, a string", id);
  if (typeof name !== "string") return refuseShape(`${path}/name`, "the tool's name", name);
  return ok({ id, name, args: parseCallArguments(input) });
}

function toToolResult({ id }: ToolUse, { json, failed }: ToolReply): object {
  return { type: "tool_result", tool_use_id: id, content: json, ...(failed && { is_error: true }) };
}
