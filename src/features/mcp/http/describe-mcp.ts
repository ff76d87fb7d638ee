import * as z from "zod/mini";

import type { DocumentWriter } from "../../../feature/route.ts";
import { TOOL_SURFACES } from "../../discovery/tool-surface.ts";
import { type JsonObject, looseSchema, strictSchema } from "../../../feature/schema.ts";
import { problemSchema } from "../../../feature/refuse.ts";

const surfaceSchema = strictSchema(() => ({ surface: z.optional(z.enum(TOOL_SURFACES)) }));
const messageSchema = looseSchema("McpMessage", () => ({ jsonrpc: z.literal("2.0") }));
const answerSchema = looseSchema("McpAnswer", () => ({ jsonrpc: z.literal("2.0") }));
const errorSchema = looseSchema("McpError", () => ({
  jsonrpc: z.literal("2.0"),
  error: z.looseObject({ code: z.int(), message: z.string() }),
}));

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
export function makeMcpOperation(write: DocumentWriter): JsonObject {
  const json = (schema: z.core.$ZodType): JsonObject => ({
    "application/json": { schema: write.schema(schema, "output") },
  });
  const errors = Object.entries(ERRORS).map(([status, why]) => [
    status,
    write.answer(why, json(errorSchema()), "counted"),
  ]);
  const problem = { "application/problem+json": { schema: write.schema(problemSchema(), "output") } };
  return {
    operationId: "mcp",
    summary: "Speak the Model Context Protocol",
    tags: ["MCP"],
    parameters: write.query(surfaceSchema()),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: write.schema(messageSchema(), "input"),
          example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
        },
      },
    },
    responses: {
      ...(Object.fromEntries(errors) as JsonObject),
      200: write.answer(
        "The answer",
        { ...json(answerSchema()), "text/event-stream": { schema: EVENTS } },
        "counted",
      ),
      202: write.answer("A notification was taken", undefined, "counted"),
      405: write.answer("Only POST is answered", json(errorSchema()), ["METHOD_NOT_ALLOWED"]),
      429: write.answer(OVER_QUOTA, json(errorSchema()), ["QUOTA_EXCEEDED"]),
      401: write.problem(["UNAUTHORIZED"]),
      403: write.answer("Another origin or host; or LOOP_DETECTED", { ...json(errorSchema()), ...problem }),
      503: write.problem(["UNAVAILABLE"]),
    },
  };
}
