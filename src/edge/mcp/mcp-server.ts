import type { Server } from "@modelcontextprotocol/server";
import * as z from "zod";

import type { ProgressReport } from "../../catalog/define-tool.ts";
import { sayUnknownTool } from "../../catalog/unknown-tool.ts";
import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import { lazySchema } from "../../contract/lazy-schema.ts";
import { LIMITS } from "../../contract/limits.ts";
import { attempt } from "../../kit/result.ts";
import { logBug } from "../platform/log-bug.ts";
import type { RequestContext } from "../http/request-context.ts";
import { type CallOptions, callTool } from "./call-tool.ts";
import { listMcpTools } from "./list-mcp-tools.ts";
import type * as protocol from "./sdk.ts";
import type { ToolSurface } from "../../catalog/tool-surface.ts";

/** What every client is told about this server. */
const INFO = { name: "volley", title: "Volley", version: "0.1.0" };

const INSTRUCTIONS =
  "Run many tool calls in one: execute_actions takes a list of actions, runs what is independent at once and answers each. " +
  "Find tools with discover_tools, read their arguments with get_tool_schema.";

const listParamsSchema = lazySchema(() => z.looseObject({ cursor: z.string().optional() }));

/** The protocol's library, which is loaded when it is first needed. */
type Sdk = typeof protocol;

export interface McpServerOptions extends Pick<CallOptions, "bodyBytes" | "key" | "onCounted"> {
  readonly surface: ToolSurface;
  /** The message as it was sent. */
  readonly body: unknown;
  /** Aborts when the client's connection ends. */
  readonly disconnected: AbortSignal;
}

/**
 * Create the server for one request: stateless, so what it offers follows from the key and the address alone.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
export function createMcpServer(sdk: Sdk, context: RequestContext, options: McpServerOptions): Server {
  const refuse = (hint: string) => new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, hint);
  const server = new sdk.Server(INFO, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    cacheHints: { "tools/list": { ttlMs: listTtlMsOf(context), cacheScope: "private" } },
  });
  // With a schema of our own, because without one the library calls wrong parameters an internal error.
  server.setRequestHandler("tools/list", { params: listParamsSchema() }, ({ cursor }) => {
    const page = listMcpTools(context.catalog, options.surface, cursor);
    if (page === null) throw refuse("The cursor is none that was given.");
    return page;
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    if (!context.catalog.offers(params.name)) {
      // Somebody may have added it since.
      const current = await attempt(() => context.currentCatalog());
      const catalog = current.ok ? current.value : context.catalog;
      if (!catalog.offers(params.name))
        throw refuse(`Unknown tool. ${sayUnknownTool(params.name, catalog.callableNames)}`);
    }
    const progressToken = mcpReq._meta?.progressToken;
    return callTool({ name: params.name, args: sentArguments(options.body) }, context, {
      bodyBytes: options.bodyBytes,
      key: options.key,
      onCounted: options.onCounted,
      signal: AbortSignal.any([mcpReq.signal, options.disconnected]),
      ...(progressToken !== undefined && {
        onProgress: (report: ProgressReport) =>
          void mcpReq
            .notify({ method: "notifications/progress", params: { progressToken, ...report } })
            // A client that has gone away hears no progress, and needs none.
            .catch(() => {}),
      }),
    }).catch(hideBug(sdk, context.requestId));
  });
  return server;
}

/** Tools of the deployment change with it only; those that the tenant adds while it runs. */
function listTtlMsOf({ catalog }: RequestContext): number {
  return catalog.version === 0 ? LIMITS.toolListTtlMs : LIMITS.addedToolListTtlMs;
}

/** The library shows a client the text of whatever a handler throws; that of a bug is for the operator. */
function hideBug({ ProtocolError, ProtocolErrorCode }: Sdk, requestId: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof ProtocolError) throw error;
    logBug(requestId, "/mcp", error);
    const hint = "Something failed on our side; give the operator the request id.";
    throw new ProtocolError(ProtocolErrorCode.InternalError, hint, { request_id: requestId });
  };
}

/** What was sent, not the library's copy: a copy may already have dropped the keys that must be refused. */
function sentArguments(body: unknown): JsonObject {
  const params = isJsonObject(body) ? body["params"] : undefined;
  const args = isJsonObject(params) ? params["arguments"] : undefined;
  return isJsonObject(args) ? args : {};
}
