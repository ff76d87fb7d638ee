import { describeSurface, TOOL_SURFACES, type ToolSurface } from "../../catalog/tool-surface.ts";
import { refuseOtherParameters, refuseQuery } from "../../contract/refuse-query.ts";
import { TOOL_FORMATS, type ToolFormat, toToolList } from "../../formats/tool-list.ts";
import type { RequestContext } from "../http/request-context.ts";
import { respondJson, respondProblem } from "../http/respond.ts";

/** `GET /v1/tools?format=&surface=`: the caller's tools, ready to paste into a model call. */
export function listTools(query: URLSearchParams, context: RequestContext): Response {
  const { catalog, requestId } = context;
  const format = query.get("format") ?? "json-schema";
  const surface = query.get("surface") ?? "batch";
  const other = refuseOtherParameters(query, ["format", "surface"]);
  if (other !== null) return respondProblem(other, requestId);
  if (!(TOOL_FORMATS as readonly string[]).includes(format))
    return refuse("format", oneOf(TOOL_FORMATS), format, requestId);
  if (!(TOOL_SURFACES as readonly string[]).includes(surface))
    return refuse("surface", oneOf(TOOL_SURFACES), surface, requestId);
  const tools = describeSurface(surface as ToolSurface, catalog);
  return respondJson(JSON.stringify({ tools: toToolList(tools, format as ToolFormat) }), requestId);
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.join(", ")}`;
}

function refuse(path: string, expected: string, received: string, requestId: string): Response {
  return respondProblem(refuseQuery(path, expected, received), requestId);
}
