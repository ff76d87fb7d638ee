import * as z from "zod/mini";
import {
  resultSchema,
  execute,
  holdingBytes,
  readRun,
  readRequest,
  respondDocument,
  respondHeld,
  respondJson,
} from "../../../feature/answer.ts";
import { err, ok, makeRefusal } from "../../../feature/refuse.ts";
import type { Route } from "../../../feature/route.ts";
import {
  parseQuery,
  parseRequest,
  isJsonObject,
  parseExact,
  describe,
  strictSchema,
} from "../../../feature/schema.ts";
import { invocationSchema, parseBatch, sayUnknownTool } from "../../../feature/tool.ts";
import {
  describeTool,
  discoverTools,
  discoveryAnswerSchema,
  discoverySchema,
  toolDescriptionSchema,
} from "../discover-tools.ts";
import { schemaRequestSchema } from "../meta-tools.ts";
import { fitTools, roomOf, TOOL_FORMATS, toToolList, writeOnce } from "../tool-list.ts";
import { describeSurface, TOOL_SURFACES } from "../tool-surface.ts";

/** `GET /v1/tools?format=&surface=`: the caller's tools, ready to paste into a model call. */
export const listTools: Route = {
  route: "GET /v1/tools",
  async handle(request, context) {
    const { catalog } = context;
    const fields = { format: TOOL_FORMATS, surface: TOOL_SURFACES };
    const query = parseQuery(new URL(request.url).searchParams, fields);
    if (!query.ok) return query;
    const { format = "json-schema", surface = "batch" } = query.value;
    return holdingBytes(context, async (bytes) => {
      const crowded = await bytes.hold(roomOf(catalog.tools.length), request.signal);
      if (crowded !== null) return err(crowded);
      const write = (shown: typeof catalog, leftOut: number): string => {
        const tools = toToolList(describeSurface(surface, shown), format);
        return JSON.stringify({ tools, ...(leftOut > 0 && { left_out: leftOut }) });
      };
      const list = writeOnce(catalog, `${surface} ${format}`, () =>
        new TextEncoder().encode(fitTools(catalog, write)),
      );
      return ok(await respondHeld(list, context, { release: bytes.leaveTo(list), headers: {} }));
    });
  },
  describe: () => ({
    id: "listTools",
    summary: "List the tools, ready to paste into a model call",
    tag: "Discovery",
    query: z.strictObject({
      format: z.optional(z.enum(TOOL_FORMATS)),
      surface: z.optional(z.enum(TOOL_SURFACES)),
    }),
    answer: {
      description: "The tools in the format asked for",
      schema: toolListSchema(),
    },
  }),
};

const toolListSchema = strictSchema("ToolList", () => ({
  tools: z
    .array(z.looseObject({}))
    .check(z.describe("In the format's own shape, ready to paste into a model call")),
  left_out: z
    .optional(z.int().check(z.minimum(1)))
    .check(z.describe("How many tools are missing, where all of them would be too large")),
}));

/**
 * `POST /v1/invoke_tool`: one tool call, answered with its result whatever became of it. It is a batch of one, so it is
 * counted, bounded and held to the tool's contract as every action is.
 */
export const invokeTool: Route = {
  route: "POST /v1/invoke_tool",
  runs: true,
  async handle(request, context) {
    const body = await readRun(request, context);
    if (!body.ok) return body;
    const sent = parseRequest(invocationSchema(), body.value.value);
    if (!sent.ok) return sent;
    const { parsed, value } = sent.value;
    // The parameters as they were sent, not Zod's copy: a copy may already have dropped the keys that must be refused.
    const args = isJsonObject(value) ? value["parameters"] : undefined;
    const actions = [{ tool: parsed.tool_name, ...(args !== undefined && { args }) }];
    const batch = parseBatch({ actions }, body.value.bytes);
    if (!batch.ok) return batch;

    return respondDocument(
      async (listener) => {
        const keyed = body.value.keyed(value);
        const answer = await execute(batch.value, { ...context, ...listener, ...keyed });
        if (!answer.ok) return answer;
        const { json, quota, replayed } = answer.value;
        const { results } = parseExact(json) as { readonly results: readonly unknown[] };
        return ok({ json: JSON.stringify(results[0]), quota, replayed });
      },
      request,
      context,
    );
  },
  describe: () => ({
    id: "invokeTool",
    summary: "Call one tool",
    tag: "Discovery",
    keyed: true,
    body: {
      schema: invocationSchema().check(z.meta({ id: "Invocation" })),
      example: { tool_name: "discover_tools", parameters: { query: "weather in Phoenix" } },
    },
    answer: { description: "Its result, whatever became of it", schema: resultSchema() },
    refusals: ["INVALID_REQUEST"],
    counted: true,
  }),
};

/** `POST /v1/discover_tools`: which tools there are for something. */
export const answerDiscovery: Route = {
  route: "POST /v1/discover_tools",
  async handle(request, { catalog }) {
    const body = await readRequest(request, discoverySchema());
    if (!body.ok) return body;
    return ok(respondJson(JSON.stringify(discoverTools(body.value.parsed, catalog))));
  },
  describe: () => ({
    id: "discoverTools",
    summary: "Find tools by what they do, by category or by action",
    tag: "Discovery",
    body: {
      schema: discoverySchema().check(z.meta({ id: "DiscoveryRequest" })),
      example: { query: "weather in Phoenix", limit: 3 },
      optional: true,
    },
    answer: { description: "The tools that fit, best first", schema: discoveryAnswerSchema() },
    refusals: ["INVALID_REQUEST"],
  }),
};

/** `POST /v1/get_tool_schema`: how one tool is called. A tool that the key may not call does not exist. */
export const answerToolSchema: Route = {
  route: "POST /v1/get_tool_schema",
  async handle(request, { catalog }) {
    const body = await readRequest(request, schemaRequestSchema());
    if (!body.ok) return body;
    const name = body.value.parsed.tool_name;
    const tool = catalog.callable(name);
    if (tool !== undefined) return ok(respondJson(JSON.stringify(describeTool(tool, catalog))));
    const issue = { path: "/tool_name", expected: "the name of a tool", received: describe(name) };
    return err(makeRefusal("UNKNOWN_TOOL", sayUnknownTool(name, catalog.names, true), { issue }));
  },
  describe: () => ({
    id: "getToolSchema",
    summary: "Describe one tool",
    tag: "Discovery",
    body: {
      schema: schemaRequestSchema().check(z.meta({ id: "ToolName" })),
      example: { tool_name: "discover_tools" },
    },
    answer: { description: "Everything needed to call it", schema: toolDescriptionSchema() },
    refusals: ["INVALID_REQUEST", "UNKNOWN_TOOL"],
  }),
};
