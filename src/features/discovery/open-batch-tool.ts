import * as LIMITS from "../../core/contract/limits.ts";
import { BATCH_TOOL } from "../../core/catalog/alias.ts";
import { CALLS_OTHERS, type ToolDescriptor } from "./batch-tool.ts";

/**
 * Describe `execute_actions` without describing any tool: for a model that finds its tools as it needs them. It is the
 * same call, told in as few words as let a model write a batch, because this text is paid for in every request.
 */
export const OPEN_BATCH_TOOL: ToolDescriptor = {
  name: BATCH_TOOL,
  description:
    'Call several tools at once. In args, {"$ref": "id#/items/0/id"} is that value of another action\'s data, ' +
    '{"$template": "Hi {{id#/name}}"} is text with such values; the action waits for the other. One result per ' +
    "action, in order. 'error' and 'skipped' did not happen: never guess their data. 'initiated' goes on in the " +
    "background.",
  inputSchema: {
    type: "object",
    properties: {
      actions: {
        type: "array",
        maxItems: LIMITS.actions,
        items: {
          type: "object",
          properties: {
            tool: { type: "string" },
            args: { type: "object" },
            id: { type: "string" },
            depends_on: { type: "array", items: { type: "string" } },
            for_each: { description: 'Array or $ref: once per element, {"$ref": "item#/x"} in args' },
            select: {
              type: "array",
              items: { type: "string" },
              description: "JSON Pointers",
            },
          },
          required: ["tool"],
        },
      },
      on_error: { type: "string", enum: ["partial-success", "fail-fast"] },
      max_tokens: { type: "integer", description: "Budget for all data" },
    },
    required: ["actions"],
  },
  annotations: CALLS_OTHERS,
};
