import type { Context } from "hono";

import { parseAnthropicTurn } from "../../formats/anthropic.ts";
import { parseGeminiTurn } from "../../formats/gemini.ts";
import { parseChatTurn } from "../../formats/openai-chat.ts";
import { parseResponsesTurn } from "../../formats/openai-responses.ts";
import { cancelJob, redriveJob } from "./change-job.ts";
import { decideConfirmation, showConfirmation } from "./confirmations.ts";
import { executeActions } from "./execute-actions.ts";
import { invokeTool } from "./invoke-tool.ts";
import { listJobs } from "./list-jobs.ts";
import { listTools } from "./list-tools.ts";
import { answerDiscovery, answerToolSchema } from "./meta-tools.ts";
import { answerTurns } from "./provider-calls.ts";
import { orchestrateBatch, orchestratePartition } from "./orchestration.ts";
import type { RouteName } from "../openapi/operations.ts";
import type { RequestContext } from "../http/request-context.ts";
import { showJob } from "./show-job.ts";
import { showOpenApi } from "./openapi.ts";

/** What the platform passes along with a request, and what this system attaches to it. */
export interface AppTypes {
  Bindings: Record<string, unknown>;
}

export type Handler = (
  request: Request,
  context: RequestContext,
  c: Context<AppTypes>,
) => Response | Promise<Response>;

interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly handler: Handler;
}

/** Every path, its methods and who answers them. */
export const ROUTES = [
  { method: "POST", path: "/v1/execute_actions", handler: executeActions },
  { method: "POST", path: "/v1/discover_tools", handler: answerDiscovery },
  { method: "POST", path: "/v1/get_tool_schema", handler: answerToolSchema },
  { method: "POST", path: "/v1/invoke_tool", handler: invokeTool },
  {
    method: "GET",
    path: "/v1/tools",
    handler: (request, context) => listTools(new URL(request.url).searchParams, context),
  },
  {
    method: "GET",
    path: "/v1/jobs",
    handler: (request, context) => listJobs(new URL(request.url).searchParams, context),
  },
  {
    method: "POST",
    path: "/v1/jobs/:id/cancel",
    handler: (_, context, c) => cancelJob(c.req.param("id") ?? "", context),
  },
  {
    method: "POST",
    path: "/v1/jobs/:id/redrive",
    handler: (_, context, c) => redriveJob(c.req.param("id") ?? "", context),
  },
  {
    method: "GET",
    path: "/v1/jobs/:id",
    handler: (_, context, c) => showJob(c.req.param("id") ?? "", context),
  },
  {
    method: "GET",
    path: "/v1/confirmations/:id",
    handler: (_, context, c) => showConfirmation(c.req.param("id") ?? "", context),
  },
  {
    method: "POST",
    path: "/v1/confirmations/:id",
    handler: (request, context, c) => decideConfirmation(c.req.param("id") ?? "", request, context),
  },
  { method: "POST", path: "/v1/openai/tool_calls", handler: answerTurns(parseChatTurn) },
  { method: "POST", path: "/v1/openai/function_calls", handler: answerTurns(parseResponsesTurn) },
  { method: "POST", path: "/v1/anthropic/tool_use", handler: answerTurns(parseAnthropicTurn) },
  { method: "POST", path: "/v1/gemini/function_calls", handler: answerTurns(parseGeminiTurn) },
  { method: "POST", path: "/api/orchestration/batch", handler: orchestrateBatch },
  { method: "POST", path: "/api/orchestration/partition", handler: orchestratePartition },
  { method: "GET", path: "/openapi.json", handler: (_, context) => showOpenApi(context) },
] as const satisfies readonly Route[];

type RouteOf<R> = R extends Route ? `${R["method"]} ${R["path"]}` : never;
type Served = RouteOf<(typeof ROUTES)[number]>;

/** Holds at compile time: what is served is described, and what is described is served. */
export type Described = [Served, RouteName] extends [RouteName, Served] ? true : never;
true satisfies Described;
