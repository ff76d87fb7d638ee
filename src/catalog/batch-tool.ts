import { isJsonObject } from "../contract/json.ts";
import { LIMITS } from "../contract/limits.ts";
import type { ToolAnnotations } from "./annotations.ts";
import type { Catalog } from "./catalog.ts";
import type { Tool } from "./define-tool.ts";
import { type JsonSchema, toolSchema } from "./tool-schema.ts";

/** A tool as a model is told about it, before any provider's dialect. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: ToolAnnotations;
}

/** What may be said of a tool that calls others: it does whatever they do. */
export const CALLS_OTHERS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** What a model calls to have a whole batch run. */
export const BATCH_TOOL = "execute_actions";

/**
 * Describe `execute_actions`: the single tool whose schema describes every tool of the catalog.
 *
 * Each tool is one branch of the action's schema, told apart by the constant `tool`, with its own description, arguments
 * and contract, so a model can write a whole batch from this one definition. The description names none of them: it is
 * the same for any catalog, and short enough for every provider.
 */
export function describeBatchTool(catalog: Catalog): ToolDescriptor {
  return {
    name: BATCH_TOOL,
    description:
      "Run several actions in one call. Independent actions run in parallel; use depends_on to order the others. " +
      'Anywhere in args, {"$ref": "id#/pointer"} stands for that value of another action\'s data, and ' +
      '{"$template": "text {{id#/pointer}}"} makes text of it; such an action waits for the other by itself. So ' +
      '{"id": {"$ref": "found#/items/0/id"}} takes the id of the first item in the data of the action \'found\'. ' +
      "Every action gets exactly one result, in the order given. A result with status 'error' or 'skipped' did not " +
      "happen: say so to the user and never guess its data. 'pending_confirmation' has not happened either: a person has " +
      "to agree first. 'initiated' means the work was recorded and goes on in " +
      `the background.${catalog.tools.length === 0 ? " There are no tools to call." : ""}`,
    inputSchema: {
      type: "object",
      properties: {
        actions: {
          type: "array",
          minItems: 1,
          maxItems: LIMITS.actions,
          items: catalog.tools.length === 0 ? ANY_ACTION : { anyOf: catalog.tools.map(describeAction) },
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
          description:
            "Budget for the data of all results together; what is cut to fit has a meta.handle, " +
            "which a $ref in a later call may have as its id",
        },
      },
      required: ["actions"],
      additionalProperties: false,
      $defs: DEFINITIONS,
    },
    annotations: CALLS_OTHERS,
  };
}

/** Defined once, because almost every value of every argument may be one. */
const DEFINITIONS: JsonSchema = {
  reference: {
    type: "object",
    properties: { $ref: { type: "string" } },
    required: ["$ref"],
    additionalProperties: false,
  },
  /** Stands for a value that is not known yet, or keeps one that only looks as if it did. */
  marker: {
    type: "object",
    properties: { $ref: { type: "string" }, $template: { type: "string" }, $literal: {} },
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
  },
};

const REFERENCE: JsonSchema = { $ref: "#/$defs/reference" };
const MARKER: JsonSchema = { $ref: "#/$defs/marker" };

/** What the action of a tool may have besides its tool and arguments. */
const OTHER_FIELDS: JsonSchema = {
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
    // OpenAI refuses an array that does not say what is in it.
    anyOf: [{ type: "array", items: {}, maxItems: LIMITS.loopElements }, REFERENCE],
    description: 'Run once per element; args see it as {"$ref": "item#/pointer"}',
  },
  select: {
    type: "array",
    items: { type: "string" },
    minItems: 1,
    maxItems: LIMITS.selectPointers,
    description: "JSON Pointers into the output; only these parts are returned",
  },
};

/** Only background work ends after its batch. */
const CALLBACK: JsonSchema = {
  callback_url: { type: "string", description: "https URL that is told when the job ends" },
};

/** A read may be repeated as it is, and its key would cost every read a few tokens. */
const KEY: JsonSchema = {
  idempotency_key: { type: "string", description: "Sent again under the same key, it runs once" },
};

/** An empty `anyOf` is no schema, so where there are no tools an action has any name. */
const ANY_ACTION: JsonSchema = {
  type: "object",
  properties: { tool: { type: "string" }, args: { type: "object" }, ...OTHER_FIELDS, ...KEY, ...CALLBACK },
  required: ["tool"],
  additionalProperties: false,
};

function describeAction(tool: Tool): JsonSchema {
  const { "x-orchestration": contract, ...schema } = toolSchema(tool);
  const args = withoutFilled(admitMarkers(schema), tool);
  return {
    type: "object",
    description: tool.description,
    properties: {
      tool: { const: tool.name },
      args,
      ...OTHER_FIELDS,
      ...(tool.isWrite && KEY),
      ...(tool.execution === "fire-and-forget" && CALLBACK),
    },
    required: "required" in args ? ["tool", "args"] : ["tool"],
    additionalProperties: false,
    "x-orchestration": contract,
  };
}

/** Let every value inside a schema's objects and arrays be a marker instead. The schema itself stays what it is. */
function admitMarkers(schema: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(isJsonObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, orMarker(inner)]),
      ),
    }),
    ...(isJsonObject(items) && { items: orMarker(items) }),
    ...(isJsonObject(additionalProperties) && { additionalProperties: orMarker(additionalProperties) }),
  };
}

/** What is said about the value stays beside it; what is asked of it becomes one of two ways to meet it. */
function orMarker(value: unknown): JsonSchema {
  const { description, default: fallback, ...schema } = value as JsonSchema;
  // What asks for nothing takes a marker already.
  if (Object.keys(schema).length === 0) return value as JsonSchema;
  const { anyOf, ...rest } = schema;
  const isUnion = Array.isArray(anyOf) && Object.keys(rest).length === 0;
  return {
    anyOf: [...(isUnion ? (anyOf as JsonSchema[]) : [admitMarkers(schema)]), MARKER],
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

/** A field that the contract fills in from an earlier action need not be sent. */
function withoutFilled(args: JsonSchema, { orchestration }: Tool): JsonSchema {
  const { required = [], ...rest } = args;
  const { mode, depends_on = [] } = orchestration;
  const filled = mode === "dependent" ? depends_on.flatMap(({ required_fields }) => required_fields) : [];
  const needed = (required as readonly string[]).filter((field) => !filled.includes(field));
  return needed.length === 0 ? rest : { ...rest, required: needed };
}
