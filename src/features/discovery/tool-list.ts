import type { ToolDescriptor } from "./batch-tool.ts";
import type { JsonSchema } from "../../core/catalog/tool-schema.ts";
import { isJsonObject } from "../../core/contract/json.ts";
import { fitTop } from "./fit-top.ts";
import { toGeminiSchema } from "./gemini-schema.ts";
import { splitContract, toPlainSchema, withContract } from "./plain-schema.ts";

/** The dialects in which tools can be listed. */
export const TOOL_FORMATS = [
  "json-schema",
  "openai",
  "openai-responses",
  "anthropic",
  "gemini",
  "mcp",
] as const;

export type ToolFormat = (typeof TOOL_FORMATS)[number];

/**
 * Write tools in a provider's dialect, ready to paste into a model call.
 *
 * A contract stays in the schema where unknown keywords are allowed, and is a line of the description where not. OpenAI's
 * strict mode is off in so many words, because Responses turns it on otherwise: it knows no optional fields.
 */
export function toToolList(tools: readonly ToolDescriptor[], format: ToolFormat): unknown[] {
  if (format !== "gemini") return tools.map(WRITERS[format]);
  return tools.length === 0 ? [] : [{ functionDeclarations: tools.map(toFunctionDeclaration) }];
}

const WRITERS: Readonly<Record<Exclude<ToolFormat, "gemini">, (tool: ToolDescriptor) => object>> = {
  "json-schema": ({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }),
  openai: ({ name, description, inputSchema }) => ({
    type: "function",
    function: {
      name,
      description: fitDescription(description),
      parameters: fitTop(inputSchema),
      strict: false,
    },
  }),
  "openai-responses": ({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description: fitDescription(description),
    parameters: fitTop(inputSchema),
    strict: false,
  }),
  anthropic: ({ name, description, inputSchema }) => {
    const { schema, contract } = splitContract(inputSchema);
    const fitted = fitNames(description, fitTop(toPlainSchema(schema)));
    return {
      name,
      description: withContract(fitted.description, contract),
      input_schema: fitted.schema,
    };
  },
  mcp: ({ name, description, inputSchema, annotations }) => {
    const { schema, contract } = splitContract(inputSchema);
    // Clients hand it on to models of both, as it is.
    const fitted = fitNames(description, fitTop(schema));
    return {
      name,
      description: fitted.description,
      inputSchema: fitted.schema,
      annotations,
      ...(contract !== undefined && { _meta: { "x-orchestration": contract } }),
    };
  },
};

/** The names of arguments that Anthropic takes: for one other it refuses the whole request. */
const ARGUMENT = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Take arguments out of a schema whose names Anthropic refuses, and say them in words: a tool that is called with them anyhow takes
 * them.
 */
function fitNames(
  description: string,
  schema: JsonSchema,
): { readonly description: string; readonly schema: JsonSchema } {
  const { properties, required, additionalProperties: _, ...rest } = schema;
  const all = Object.entries(properties ?? {});
  const kept = all.filter(([name]) => ARGUMENT.test(name));
  if (kept.length === all.length) return { description, schema };
  const needed = new Set((required ?? []) as readonly string[]);
  const names = all.filter((one) => !kept.includes(one)).map(([name]) => name);
  const said = names.map((name) => JSON.stringify(name) + (needed.has(name) ? " (required)" : ""));
  const must = [...needed].filter((name) => ARGUMENT.test(name));
  return {
    description: `${description}\nFurther arguments, by exactly these names: ${said.join(", ")}.`,
    schema: { ...rest, properties: Object.fromEntries(kept), ...(must.length > 0 && { required: must }) },
  };
}

/** OpenAI refuses a whole request for one function whose description is longer. */
const LONGEST_DESCRIPTION = 1_024;

function fitDescription(description: string): string {
  if (description.length <= LONGEST_DESCRIPTION) return description;
  return `${description.slice(0, LONGEST_DESCRIPTION - 1).toWellFormed()}…`;
}

/** A function without parameters has none at all: an object without properties is refused. */
function toFunctionDeclaration({ name, description, inputSchema }: ToolDescriptor): object {
  const { schema: said, contract } = splitContract(inputSchema);
  const schema = fitTop(said);
  return {
    name,
    description: withContract(description, contract),
    ...(takesParameters(schema) && { parameters: toGeminiSchema(toPlainSchema(schema)) }),
  };
}

function takesParameters({ properties, additionalProperties }: JsonSchema): boolean {
  return Object.keys(properties ?? {}).length > 0 || isJsonObject(additionalProperties);
}
