import * as z from "zod/mini";

import { TOOL_SURFACES } from "../../discovery/tool-surface.ts";
import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import { problemSchema } from "../../../core/contract/refusal.ts";
import type { Components, Json } from "../../../cloudflare/openapi/components.ts";
import { toQueryParameters } from "../../../cloudflare/openapi/operation.ts";
import { COUNTED_HEADERS, headersOf, toProblem, toResponse } from "../../../cloudflare/openapi/responses.ts";

const surfaceSchema = lazySchema(() => z.strictObject({ surface: z.optional(z.enum(TOOL_SURFACES)) }));
const messageSchema = lazySchema(() =>
  z.looseObject({ jsonrpc: z.literal("2.0") }).register(z.globalRegistry, { id: "McpMessage" }),
);
const answerSchema = lazySchema(() =>
  z.looseObject({ jsonrpc: z.literal("2.0") }).register(z.globalRegistry, { id: "McpAnswer" }),
);
const errorSchema = lazySchema(() =>
  z
    .looseObject({
      jsonrpc: z.literal("2.0"),
      error: z.looseObject({ code: z.int(), message: z.string() }),
    })
    .register(z.globalRegistry, { id: "McpError" }),
);

const ERRORS = {
  400: "Not JSON, not a message of the protocol, no such surface, or an extension that the client does not declare",
  404: "The protocol has no such method",
  413: "The body is too large",
  415: "The body is not application/json",
  422: "The body nests too deep",
};
const OVER_QUOTA = "Too many messages that run nothing; a call over the quota is answered 200 with `isError`";

const EVENTS = {
  type: "string",
  description: "`event: message` with one JSON-RPC message each, the response last",
};

/** Describe `POST /mcp`. Its messages are the protocol's: https://modelcontextprotocol.io */
export function makeMcpOperation(components: Components): Json {
  const json = (schema: z.core.$ZodType): Json => ({
    "application/json": { schema: components.schema(schema, "output") },
  });
  const errors = Object.entries(ERRORS).map(([status, why]) => [
    status,
    toResponse(why, json(errorSchema()), COUNTED_HEADERS),
  ]);
  const problem = { "application/problem+json": { schema: components.schema(problemSchema(), "output") } };
  return {
    operationId: "mcp",
    summary: "Speak the Model Context Protocol",
    tags: ["MCP"],
    parameters: toQueryParameters(surfaceSchema(), components),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: components.schema(messageSchema(), "input"),
          example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
        },
      },
    },
    responses: {
      ...(Object.fromEntries(errors) as Json),
      200: toResponse(
        "The answer",
        { ...json(answerSchema()), "text/event-stream": { schema: EVENTS } },
        COUNTED_HEADERS,
      ),
      202: toResponse("A notification was taken", undefined, COUNTED_HEADERS),
      405: toResponse("Only POST is answered", json(errorSchema()), headersOf(["METHOD_NOT_ALLOWED"])),
      429: toResponse(OVER_QUOTA, json(errorSchema()), headersOf(["QUOTA_EXCEEDED"])),
      401: toProblem(["UNAUTHORIZED"], components),
      403: toResponse("Another origin or host; or LOOP_DETECTED", { ...json(errorSchema()), ...problem }),
      503: toProblem(["UNAVAILABLE"], components),
    },
  };
}
