import * as z from "zod/mini";
import type { Declared, Feature } from "../../../feature/define.ts";
import type { describedRoutesOf, DocumentWriter } from "../../../feature/route.ts";
import type { JsonObject } from "../../../feature/schema.ts";
import { Components } from "./components.ts";
import { type Operation, toResponses, writeTo } from "./responses.ts";

const DESCRIPTION = `One call in, every result out: a batch executor for language-model tool calls.

Every path but \`/healthz\` asks for a key, and \`/hooks\` for a signature; without a valid one every path answers 401, known
or not. A path that is not
here answers 404 \`NOT_FOUND\`, and another method of one that is 405 \`METHOD_NOT_ALLOWED\` (HEAD is answered as GET is).
A refusal is a problem document (RFC 9457) with a stable \`code\`, and nothing ran; what ran answers 200, whatever became of
the single actions. A null in an optional field of a body that does not take null is as if the field were not there.

A key has two allowances: its quota for what runs something, and five times as much for what runs nothing (lists, schemas,
jobs, plans, this document). Neither costs the other any; the headers of an answer name the one it drew from.`;

/**
 * Make the OpenAPI 3.1 document of the HTTP surface: every endpoint, with the schemas that parse its requests, and what
 * stands beside them.
 *
 * Source: https://spec.openapis.org/oas/v3.1.1.html
 */
export function makeOpenApiDocument(
  described: ReturnType<typeof describedRoutesOf>,
  { answers, ...declared }: Declared & { readonly answers: readonly Feature["answers"][] },
): JsonObject {
  const components = new Components();
  const write = writeTo(components);
  const routes = described.filter((one) => "path" in one);
  const endpoints = described.filter((one) => "route" in one);
  const paths: Record<string, Record<string, JsonObject>> = {
    "/healthz": { get: makeHealthOperation(write) },
    ...Object.fromEntries(routes.map(({ path, describe }) => [toTemplate(path), { post: describe(write) }])),
  };
  for (const { route, runs, flags = [], describe } of endpoints) {
    const [method = "", path = ""] = route.split(" ");
    const templated = toTemplate(path);
    const operation = { ...describe(declared), ...(runs !== true && { counted: "always" as const }), flags };
    const written = toOperation(templated, operation, components);
    paths[templated] = { ...paths[templated], [method.toLowerCase()]: written };
  }
  for (const answer of answers)
    for (const [name, fields] of Object.entries(answer?.() ?? {})) components.extend(name, fields);
  return {
    openapi: "3.1.0",
    info: {
      title: "Volley",
      version: "0.1.0",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ key: [] }],
    paths,
    components: {
      ...withCodes(components.toJson(), declared.codes),
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "A key from `npm run key`" },
      },
    },
  };
}

/** Name the codes of features in the schema of problems, which has those of core. */
function withCodes(components: JsonObject, codes: readonly string[]): JsonObject {
  const { schemas } = components as { schemas?: { Problem?: { properties: { code: { enum: string[] } } } } };
  const code = schemas?.Problem?.properties.code;
  if (code !== undefined) code.enum = [...code.enum, ...codes];
  return components;
}

/** A path as the document writes it: `/v1/jobs/{id}`. */
function toTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

function makeHealthOperation(write: DocumentWriter): JsonObject {
  const healthy = write.schema(z.strictObject({ status: z.literal("ok") }), "output");
  return {
    operationId: "health",
    summary: "Say whether the configuration can be read",
    tags: ["About"],
    security: [],
    responses: {
      200: write.answer("It can", { "application/json": { schema: healthy } }),
      405: write.problem(["METHOD_NOT_ALLOWED"]),
      503: write.problem(["UNAVAILABLE"]),
    },
  };
}

function toOperation(path: string, operation: Operation, components: Components): JsonObject {
  const { id, summary, tag, query, keyed, recorded, body, flags = [] } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", minLength: 1 },
  }));
  return {
    operationId: id,
    summary,
    ...(flags.length > 0 && toRights(flags)),
    tags: [tag],
    parameters: [
      ...inPath,
      ...(query === undefined ? [] : components.query(query)),
      ...(keyed ? [IDEMPOTENCY_KEY] : []),
      ...(recorded ? [PREFER] : []),
    ],
    ...(body && {
      requestBody: {
        required: body.optional !== true,
        content: {
          "application/json": { schema: components.schema(body.schema, "input"), example: body.example },
        },
      },
    }),
    responses: toResponses(operation, components),
  };
}

/** OpenAPI 3.1 takes what a bearer of a key must be allowed as names beside its scheme. */
function toRights(flags: readonly string[]): JsonObject {
  const named = flags.map((flag) => `\`${flag}\``).join(" and ");
  const description = `The key needs the flag${flags.length > 1 ? "s" : ""} ${named}.`;
  return { description, security: [{ key: [...flags] }] };
}

const IDEMPOTENCY_KEY: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Names this request: sent again with the same body it is not run again, and answers what it answered. Kept for a day",
  schema: { type: "string", minLength: 1 },
};

const PREFER: JsonObject = {
  name: "Prefer",
  in: "header",
  description: "With `respond-async` the request is recorded, answered by 202, and runs later (RFC 7240)",
  schema: { type: "string" },
};
