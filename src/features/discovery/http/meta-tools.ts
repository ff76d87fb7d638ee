import * as z from "zod/mini";

import { describeTool, toolDescriptionSchema } from "../describe-tool.ts";
import { discoverTools, discoveryAnswerSchema, discoverySchema } from "../discover-tools.ts";
import { schemaRequestSchema } from "../meta-tools.ts";
import { sayUnknownTool } from "../../../core/catalog/unknown-tool.ts";
import { describe } from "../../../core/contract/issues.ts";
import { makeRefusal } from "../../../core/contract/refusal.ts";
import { err, ok } from "../../../core/kit/result.ts";
import { readRequest } from "../../../cloudflare/http/read-request-body.ts";
import { respondJson } from "../../../cloudflare/http/respond.ts";
import type { Endpoint } from "../../../cloudflare/openapi/endpoint.ts";

/** `POST /v1/discover_tools`: which tools there are for something. */
export const answerDiscovery: Endpoint = {
  route: "POST /v1/discover_tools",
  runsNothing: true,
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
export const answerToolSchema: Endpoint = {
  route: "POST /v1/get_tool_schema",
  runsNothing: true,
  async handle(request, { catalog }) {
    const body = await readRequest(request, schemaRequestSchema());
    if (!body.ok) return body;
    const name = body.value.parsed.tool_name;
    const tool = catalog.callable(name);
    if (tool !== undefined) return ok(respondJson(JSON.stringify(describeTool(tool, catalog.hidden))));
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
