import type { RequestContext } from "../http/request-context.ts";
import { baseHeaders } from "../http/respond.ts";
import { createMcpServer } from "./mcp-server.ts";
import type { ToolSurface } from "../../catalog/tool-surface.ts";

/** A request whose body, if it has one, was read and bounded already. */
export interface McpRequest {
  readonly surface: ToolSurface;
  readonly body?: unknown;
  readonly bodyBytes?: number;
  /** The idempotency key that it came with; null without one. */
  readonly key?: string | null;
  /** What the answer's headers say of an allowance that counted it already. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Serve one request of the Model Context Protocol over Streamable HTTP: revision 2026-07-28, and clients of 2025 without
 * sessions. Nothing outlives the request, so any isolate can answer the next one.
 *
 * What a quota left is in the headers for clients of 2026; for those of 2025 the answer begins before the call is counted.
 */
export async function serveMcp(
  request: Request,
  context: RequestContext,
  { surface, body, bodyBytes = 0, key = null, headers: counted }: McpRequest,
): Promise<Response> {
  const sdk = await import("./sdk.ts");
  const headers = { ...baseHeaders(context.requestId), ...counted };
  const handler = sdk.createMcpHandler(() =>
    createMcpServer(sdk, context, {
      surface,
      body,
      bodyBytes,
      key,
      disconnected: request.signal,
      onCounted: (told) => Object.assign(headers, told),
    }),
  );
  const response = await handler.fetch(request, body === undefined ? {} : { parsedBody: body });
  const answer = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}
