import { createMcpHandler } from "@modelcontextprotocol/server";

import type { RequestContext } from "../http/request-context.ts";
import { createMcpServer } from "./mcp-server.ts";
import type { ToolSurface } from "../../catalog/tool-surface.ts";

/** A request whose body, if it has one, was read and bounded already. */
export interface McpRequest {
  readonly surface: ToolSurface;
  readonly body?: unknown;
  readonly bodyBytes?: number;
}

/**
 * Serve one request of the Model Context Protocol over Streamable HTTP: revision 2026-07-28, and clients of 2025 without
 * sessions. Nothing outlives the request, so any isolate can answer the next one.
 */
export function serveMcp(
  request: Request,
  context: RequestContext,
  { surface, body, bodyBytes = 0 }: McpRequest,
): Promise<Response> {
  const handler = createMcpHandler(() =>
    createMcpServer(context, { surface, bodyBytes, disconnected: request.signal }),
  );
  return handler.fetch(request, body === undefined ? {} : { parsedBody: body });
}
