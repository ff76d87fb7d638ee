import * as z from "zod";

import { type RefusalCode, statusOf } from "../../contract/refusal.ts";
import type { Operation } from "./operation.ts";
import { toolListQuerySchema } from "./discovery-schemas.ts";
import { OPERATIONS } from "./operations.ts";
import { problemSchema } from "./problem-schema.ts";

type Json = Readonly<Record<string, unknown>>;

/** Refusals that every request with a body may meet, every counted one, and every one with a key. */
const OF_A_BODY = ["MALFORMED_JSON", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "INVALID_BATCH"] as const;
const OF_A_QUOTA = ["QUOTA_EXCEEDED", "UNAVAILABLE"] as const;
const OF_A_KEY = ["UNAUTHORIZED", "LOOP_DETECTED"] as const;

const EVENTS =
  "`event: result` with the result of one action or call each, then `event: done` with what the JSON answer is";
const MCP_EVENTS = "`event: message` with one JSON-RPC message each, the response last";

/**
 * Make the OpenAPI 3.1 document of the HTTP surface: every route of the table, with the schemas that parse its requests.
 *
 * Source: https://spec.openapis.org/oas/v3.1.1.html
 */
export function makeOpenApiDocument(): Json {
  const paths: Record<string, Record<string, Json>> = {
    "/healthz": { get: HEALTH },
    "/mcp": { post: MCP },
  };
  for (const [route, operation] of Object.entries(OPERATIONS)) {
    const [method = "", path = ""] = route.split(" ");
    const templated = path.replaceAll(/:(\w+)/g, "{$1}");
    paths[templated] = { ...paths[templated], [method.toLowerCase()]: toOperation(templated, operation) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Volley",
      version: "0.1.0",
      description: "One call in, every result out: a batch executor for language-model tool calls.",
    },
    servers: [{ url: "/" }],
    security: [{ key: [] }],
    paths,
    components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
  };
}

const HEALTH: Json = {
  summary: "Say whether the configuration can be read",
  tags: ["About"],
  security: [],
  responses: {
    200: toResponse("It can", { "application/json": z.strictObject({ status: z.literal("ok") }) }),
    503: toResponse("It cannot; the log says why", { "application/problem+json": problemSchema }),
  },
};

const rpcErrorSchema = z.looseObject({
  jsonrpc: z.literal("2.0"),
  error: z.looseObject({ code: z.int(), message: z.string() }),
});

/** Its messages are the protocol's: https://modelcontextprotocol.io */
const MCP: Json = {
  summary: "Speak the Model Context Protocol",
  tags: ["MCP"],
  parameters: toQueryParameters(toolListQuerySchema.pick({ surface: true })),
  requestBody: {
    required: true,
    content: toContent({ "application/json": z.looseObject({ jsonrpc: z.literal("2.0") }) }, "input"),
  },
  responses: {
    200: toResponse("A JSON-RPC response", { "application/json": z.looseObject({}) }, MCP_EVENTS),
    202: { description: "A notification was taken" },
    401: toResponse("UNAUTHORIZED", { "application/problem+json": problemSchema }),
    403: toResponse("Another origin or host; or LOOP_DETECTED", {
      "application/json": rpcErrorSchema,
      "application/problem+json": problemSchema,
    }),
    ...Object.fromEntries(
      Object.entries({
        400: "Not JSON, or not a message of the protocol",
        404: "The protocol has no such method",
        406: "The client accepts neither JSON nor events",
        413: "The body is too large",
        415: "The body is not application/json",
        422: "The body nests too deep",
      }).map(([status, why]) => [status, toResponse(why, { "application/json": rpcErrorSchema })]),
    ),
  },
};

function toOperation(path: string, operation: Operation): Json {
  const { summary, tag, query, headers = {}, body, answer } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inHeader = Object.entries(headers).map(([name, description]) => ({
    name,
    in: "header",
    description,
    schema: { type: "string" },
  }));
  return {
    summary,
    tags: [tag],
    parameters: [...inPath, ...toQueryParameters(query), ...inHeader],
    ...(body !== undefined && {
      requestBody: { required: true, content: toContent({ "application/json": body }, "input") },
    }),
    responses: {
      200: toResponse(answer.description, { "application/json": answer.schema }, answer.events && EVENTS),
      ...toRefusals(operation),
    },
  };
}

function toQueryParameters(query: z.ZodObject | undefined): Json[] {
  if (query === undefined) return [];
  const { properties = {} } = toSchema(query, "input") as { properties?: Record<string, Json> };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...(description !== undefined && { description }),
    schema,
  }));
}

function toRefusals({ query, body, refusal, refusals = [], counted }: Operation): Json {
  const codes: RefusalCode[] = [
    ...OF_A_KEY,
    ...(query === undefined ? [] : (["INVALID_QUERY"] as const)),
    ...(body === undefined ? [] : OF_A_BODY),
    ...(counted === undefined ? [] : OF_A_QUOTA),
    ...refusals,
  ];
  const byStatus = Map.groupBy(new Set(codes), (code) => statusOf({ code }));
  const responses = [...byStatus].map(([status, of]) => {
    const type = refusal === undefined ? "application/problem+json" : "application/json";
    const schema = refusal ?? problemSchema.extend({ code: z.enum(of as [RefusalCode]) });
    return [status, toResponse(of.join(", "), { [type]: schema })];
  });
  return Object.fromEntries(responses) as Json;
}

function toResponse(
  description: string,
  content: Readonly<Record<string, z.ZodType>>,
  events?: string | false,
): Json {
  return {
    description,
    headers: { "x-request-id": { description: "Names this answer in the log", schema: { type: "string" } } },
    content: {
      ...toContent(content, "output"),
      ...(events && { "text/event-stream": { schema: { type: "string", description: events } } }),
    },
  };
}

function toContent(content: Readonly<Record<string, z.ZodType>>, io: "input" | "output"): Json {
  return Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [type, { schema: toSchema(schema, io) }]),
  );
}

function toSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...written } = z.toJSONSchema(schema, { io });
  return written;
}
