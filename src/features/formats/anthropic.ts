import * as z from "zod/mini";

import { strictSchema, type Written } from "../../feature/schema.ts";
import { ok } from "../../feature/refuse.ts";
import { parseCallArguments } from "../../turns/parse-call-arguments.ts";
import { isCalled } from "../../turns/turn-table.ts";
import { defineDialect, foundAt, type ProviderCall, readId, refuseShape } from "../../turns/read-turn.ts";

interface ToolUse extends ProviderCall {
  readonly id: string;
}

const resultSchema = strictSchema(() => ({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.string(),
  is_error: z.optional(z.literal(true)),
}));

/** The messages to append to a conversation of Messages. */
export const anthropicAnswerSchema = strictSchema("AnthropicAnswer", () => {
  const message = z.strictObject({ role: z.literal("user"), content: z.array(resultSchema()) });
  return { messages: z.array(message) };
});

/**
 * Read a turn of Anthropic's Messages: the message, its content, or a single `tool_use` block. All calls are answered in
 * one user message, as the API demands: a `tool_result` for every `tool_use`, and `is_error` where it failed. Blocks of
 * other types (text, thinking, tools that Anthropic itself ran) need no answer.
 *
 * Source: https://docs.anthropic.com/en/api/messages
 */
export const parseAnthropicTurn = defineDialect<ToolUse>({
  endpoint: "/v1/anthropic/tool_use",
  bodies: "a message, its list of content blocks, or a tool_use block",
  item: "a content block",
  find(body) {
    const { content, type } = body;
    if (Array.isArray(content)) return foundAt("/content", content as unknown[]);
    // A message that is only text may be said in short.
    return typeof content === "string" || type === "tool_use" ? foundAt("", body) : null;
  },
  read({ type, id: sent, name, input }, path) {
    // Taken for something else, the call would be lost.
    if (type === undefined && input !== undefined)
      return refuseShape(`${path}/type`, "the block's type", undefined);
    if (!isCalled("messages", type)) return ok(null);
    const id = readId(sent);
    if (typeof id !== "string") return refuseShape(`${path}/id`, "the call's id, a string", sent);
    if (typeof name !== "string") return refuseShape(`${path}/name`, "the tool's name", name);
    return ok({ id, name, args: parseCallArguments(input) });
  },
  toItem: ({ id }, { json, failed }): Written<typeof resultSchema> => ({
    type: "tool_result",
    tool_use_id: id,
    content: json,
    ...(failed && { is_error: true }),
  }),
  // The API refuses a message without content.
  toAnswer: (content) => ({ messages: content.length === 0 ? [] : [{ role: "user", content }] }),
});
