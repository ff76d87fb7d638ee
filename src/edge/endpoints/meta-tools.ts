import { describeTool } from "../../catalog/describe-tool.ts";
import { discoverTools, discoverySchema } from "../../catalog/discover-tools.ts";
import { schemaRequestSchema } from "../../catalog/meta-tools.ts";
import { sayUnknownTool } from "../../catalog/unknown-tool.ts";
import { describe } from "../../contract/issues.ts";
import { parseRequest } from "../../contract/parse-request.ts";
import { makeRefusal, type Refusal } from "../../contract/refusal.ts";
import { err, ok, type Result } from "../../kit/result.ts";
import { readRequestBody } from "../http/read-request-body.ts";
import type { RequestContext } from "../http/request-context.ts";
import { respondJson, respondProblem } from "../http/respond.ts";

/** `POST /v1/discover_tools`: which tools there are for something. Like the list of tools it costs no quota. */
export function answerDiscovery(request: Request, context: RequestContext): Promise<Response> {
  return answer(request, context, (body) => {
    const parsed = parseRequest(discoverySchema(), body);
    return parsed.ok ? ok(discoverTools(parsed.value, context.catalog)) : parsed;
  });
}

/** `POST /v1/get_tool_schema`: how one tool is called. A tool that the key may not call does not exist. */
export function answerToolSchema(request: Request, context: RequestContext): Promise<Response> {
  const { catalog } = context;
  return answer(request, context, (body) => {
    const parsed = parseRequest(schemaRequestSchema(), body);
    if (!parsed.ok) return parsed;
    const name = parsed.value.tool_name;
    const tool = catalog.get(name);
    if (tool === undefined) {
      const issue = { path: "/tool_name", expected: "the name of a tool", received: describe(name) };
      return err(makeRefusal("UNKNOWN_TOOL", sayUnknownTool(name, catalog.names), { issue }));
    }
    return ok(describeTool(tool));
  });
}

async function answer(
  request: Request,
  { requestId }: RequestContext,
  respond: (body: unknown) => Result<object, Refusal>,
): Promise<Response> {
  const body = await readRequestBody(request);
  const result = body.ok ? respond(body.value.value) : body;
  return result.ok
    ? respondJson(JSON.stringify(result.value), requestId)
    : respondProblem(result.error, requestId);
}
