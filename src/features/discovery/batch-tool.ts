import { isJsonObject, type JsonObject } from "../../feature/schema.ts";
import {
  BATCH_BOUNDS,
  BATCH_TOOL,
  type Catalog,
  type Tool,
  toolSchema,
  hideNames,
} from "../../feature/tool.ts";
import type { ToolAnnotations } from "./annotations.ts";

/** A tool as a model is told about it, before any provider's dialect. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
}

/** The annotations of a tool that calls others: it does whatever they do. */
export const CALLS_OTHERS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/**
 * Describe `execute_actions`: the single tool whose schema describes every tool of the catalog.
 *
 * The common fields of every action are said once; each tool is one branch beside them, told apart by the constant `tool`, with
 * its own description, arguments and contract, so a model can write a whole batch from this one definition. The description names
 * none of them: it is the same for any catalog, and short enough for every provider.
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
          maxItems: BATCH_BOUNDS.actions,
          // An empty `anyOf` is no schema, so where there are no tools an action has any name.
          items: {
            ...ACTION,
            ...(catalog.tools.length > 0 && {
              anyOf: catalog.tools.map((tool) => describeAction(tool, catalog)),
            }),
          },
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
          maximum: BATCH_BOUNDS.maxDeadlineMs,
          default: BATCH_BOUNDS.deadlineMs,
        },
        dry_run: {
          type: "boolean",
          default: false,
          description: "Only answer with the plan; nothing runs",
        },
        max_tokens: {
          type: "integer",
          minimum: 1,
          maximum: BATCH_BOUNDS.maxTokens,
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

/** Stands for a value of any type. */
const REFERENCE: JsonObject = { $ref: "#/$defs/reference" };

/** Makes text. */
const TEMPLATE: JsonObject = { $ref: "#/$defs/template" };

/** Keeps an object that only looks as if it stood for something. */
const LITERAL: JsonObject = { $ref: "#/$defs/literal" };

/** Types that are defined once, each with its markers. */
const SCALARS: readonly unknown[] = ["string", "integer", "number", "boolean"];

/** Keywords that ask something of a value of any type. */
const OF_ANY_TYPE = ["enum", "const", "anyOf", "oneOf", "allOf", "not"];

/** The schemas that may stand almost anywhere in arguments; repeated there, they would cost more than all the rest. */
const DEFINITIONS: JsonObject = {
  reference: objectOf("$ref", { type: "string" }),
  template: objectOf("$template", { type: "string" }),
  literal: objectOf("$literal", { type: "object" }),
  ...Object.fromEntries(SCALARS.map((type) => [type, { anyOf: [{ type }, ...markersFor(type)] }])),
};

function objectOf(key: string, value: JsonObject): JsonObject {
  return { type: "object", properties: { [key]: value }, required: [key], additionalProperties: false };
}

/** The markers that may stand in place of a value of a type; undefined where it may have several. */
function markersFor(type: unknown): readonly JsonObject[] {
  return [
    REFERENCE,
    ...(type === undefined || type === "string" ? [TEMPLATE] : []),
    ...(type === undefined || type === "object" ? [LITERAL] : []),
  ];
}

/** The fields that the action of any tool may have. */
const ACTION: JsonObject = {
  type: "object",
  properties: {
    tool: { type: "string" },
    args: { type: "object" },
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
    timeout_ms: { type: "integer", minimum: 1, maximum: BATCH_BOUNDS.maxDeadlineMs },
    for_each: {
      // OpenAI refuses an array that does not say what is in it.
      anyOf: [{ type: "array", items: {}, maxItems: BATCH_BOUNDS.loopElements }, REFERENCE],
      description: 'Run once per element; args see it as {"$ref": "item#/pointer"}',
    },
    select: {
      type: "array",
      items: { type: "string" },
      minItems: 1,
      maxItems: BATCH_BOUNDS.selectPointers,
      description: "JSON Pointers into the output; only these parts are returned",
    },
    idempotency_key: {
      type: "string",
      description: "For writes: sent again under the same key, it runs once",
    },
    callback_url: {
      type: "string",
      description: "https URL that is told when the job ends; only for tools that have this field",
    },
    run_at: {
      type: "string",
      description: "RFC 3339 time to begin at, up to 30 days ahead; only for tools that have this field",
    },
  },
  required: ["tool"],
  additionalProperties: false,
};

function describeAction(tool: Tool, catalog: Catalog): JsonObject {
  const { "x-orchestration": contract, ...schema } = toolSchema(tool, catalog.hidden);
  const args = withoutFilled(admitMarkers(schema), contract as Tool["orchestration"]);
  return {
    description: hideNames(tool.description, catalog.hidden),
    properties: {
      tool: { const: tool.name },
      args,
      // Any other tool's action is refused with it.
      ...(tool.execution === "fire-and-forget" && {
        callback_url: { type: "string" },
        run_at: { type: "string" },
      }),
    },
    ...("required" in args && { required: ["args"] }),
    "x-orchestration": contract,
  };
}

/** Let every value inside a schema's objects and arrays be a marker instead. The schema itself stays what it is. */
function admitMarkers(schema: JsonObject): JsonObject {
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

/** The value's annotations stay beside it; a marker also meets its demands. */
function orMarker(value: unknown): JsonObject {
  const { description, default: fallback, ...schema } = value as JsonObject;
  // A schema without demands takes a marker already.
  if (Object.keys(schema).length === 0) return value as JsonObject;
  return {
    ...eitherOrMarker(schema),
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

/**
 * A scalar or a marker, in as few tokens as a scalar alone: the keywords of one type ask nothing of a value of another, so
 * they may stand beside the reference to both. (Only OpenAI's strict mode, which is off, refuses that.)
 */
function eitherOrMarker(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  if (SCALARS.includes(type) && !OF_ANY_TYPE.some((keyword) => keyword in rest))
    return { $ref: `#/$defs/${type as string}`, ...rest };
  const isUnion = Array.isArray(schema["anyOf"]) && Object.keys(schema).length === 1;
  const alternatives = isUnion ? (schema["anyOf"] as JsonObject[]) : [admitMarkers(schema)];
  return { anyOf: [...alternatives, ...markersFor(type)] };
}

/** A field that the contract fills in from an earlier action need not be sent. */
function withoutFilled(args: JsonObject, { mode, depends_on = [] }: Tool["orchestration"]): JsonObject {
  const { required = [], ...rest } = args;
  const filled = mode === "dependent" ? depends_on.flatMap(({ required_fields }) => required_fields) : [];
  const needed = (required as readonly string[]).filter((field) => !filled.includes(field));
  return needed.length === 0 ? rest : { ...rest, required: needed };
}
