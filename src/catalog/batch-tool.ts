import { LIMITS } from "../contract/limits.ts";
import type { Catalog } from "./catalog.ts";
import type { Tool } from "./define-tool.ts";
import { type JsonSchema, toolSchema } from "./tool-schema.ts";

/** A tool as a model is told about it, before any provider's dialect. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/**
 * Describe `execute_actions`: the single tool whose schema describes every tool of the catalog.
 *
 * Each tool is one branch of the action's schema, told apart by the constant `tool`, with its own arguments and its
 * contract, so a model can write a whole batch from this one definition.
 */
export function describeBatchTool(catalog: Catalog): ToolDescriptor {
  return {
    name: "execute_actions",
    description:
      "Run several actions in one call. Independent actions run in parallel; use depends_on to order the others. " +
      'Anywhere in args, {"$ref": "id#/pointer"} stands for that value of another action\'s data, and ' +
      '{"$template": "text {{id#/pointer}}"} makes text of it; such an action waits for the other by itself. ' +
      "Every action gets exactly one result, in the order given. A result with status 'error' or 'skipped' did not " +
      "happen: say so to the user and never guess its data. 'initiated' means the work was recorded and goes on in " +
      "the background. Tools:\n" +
      catalog.tools.map((tool) => `- ${tool.name}: ${tool.summary}`).join("\n"),
    inputSchema: {
      type: "object",
      properties: {
        actions: {
          type: "array",
          minItems: 1,
          maxItems: LIMITS.actions,
          items: { anyOf: catalog.tools.map(describeAction) },
        },
        on_error: {
          type: "string",
          enum: ["partial-success", "fail-fast"],
          default: "partial-success",
          description: "Whether a failed action stops the ones that have not started",
        },
        deadline_ms: {
          type: "integer",
          minimum: 1,
          maximum: LIMITS.maxDeadlineMs,
          default: LIMITS.deadlineMs,
        },
        dry_run: {
          type: "boolean",
          default: false,
          description: "Only answer with the plan; nothing runs",
        },
        max_tokens: {
          type: "integer",
          minimum: 1,
          maximum: LIMITS.maxTokens,
          description: "Budget for the data of all results together; large results are cut to fit",
        },
      },
      required: ["actions"],
      additionalProperties: false,
    },
  };
}

/** A whole-value reference, as its own schema. */
const REFERENCE: JsonSchema = {
  type: "object",
  properties: { $ref: { type: "string" } },
  required: ["$ref"],
  additionalProperties: false,
};

function describeAction(tool: Tool): JsonSchema {
  const { "x-orchestration": contract, ...args } = toolSchema(tool);
  const argsRequired = Array.isArray(args["required"]) && args["required"].length > 0;
  return {
    type: "object",
    description: tool.description,
    properties: {
      tool: { const: tool.name },
      args,
      id: {
        type: "string",
        pattern: "^[A-Za-z0-9_-]{1,64}$",
        description: "Name for this action, unique in the batch",
      },
      depends_on: {
        type: "array",
        items: { type: "string" },
        description: "Ids of actions that must succeed first",
      },
      timeout_ms: { type: "integer", minimum: 1, maximum: LIMITS.maxDeadlineMs },
      for_each: {
        anyOf: [{ type: "array", maxItems: LIMITS.loopElements }, REFERENCE],
        description: 'Run once per element; args see it as {"$ref": "item#/pointer"}',
      },
      select: {
        type: "array",
        items: { type: "string" },
        minItems: 1,
        maxItems: LIMITS.selectPointers,
        description: "JSON Pointers into the output; only these parts are returned",
      },
    },
    required: argsRequired ? ["tool", "args"] : ["tool"],
    additionalProperties: false,
    "x-orchestration": contract,
  };
}
