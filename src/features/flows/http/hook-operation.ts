import * as z from "zod/mini";

import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import type { Components, Json } from "../../../cloudflare/openapi/components.ts";
import { toProblem, toResponse } from "../../../cloudflare/openapi/responses.ts";

const eventSchema = lazySchema(() =>
  z.union([z.looseObject({}), z.array(z.unknown())]).register(z.globalRegistry, {
    id: "WebhookEvent",
    description: 'Whatever the sender sends: the input of the run, a list as {"items": [...]}',
  }),
);
const recordedSchema = lazySchema(() =>
  z.strictObject({ job_id: z.string() }).register(z.globalRegistry, { id: "RecordedRun" }),
);
const unwantedSchema = lazySchema(() =>
  z
    .looseObject({
      accepted: z
        .optional(z.literal(false))
        .check(z.describe("It starts nothing, and the sender does well to go on")),
      reason: z.optional(z.string()),
      job_id: z
        .optional(z.string())
        .check(z.describe("Where the sender wants 200 for a run that is recorded")),
    })
    .register(z.globalRegistry, { id: "WebhookTaken" }),
);

const inPath = (name: string, description: string): Json => ({
  name,
  in: "path",
  required: true,
  description,
  schema: { type: "string", minLength: 1 },
});

/** Describe `POST /hooks/{tenant}/{id}`. Who sends is proved by a signature, in headers that the flow's trigger names. */
export function makeHookOperation(components: Components): Json {
  const json = (schema: z.core.$ZodType): Json => ({
    "application/json": { schema: components.schema(schema, "output") },
  });
  return {
    operationId: "deliverWebhook",
    summary: "Run a flow by a signed delivery",
    tags: ["Flows"],
    security: [],
    parameters: [inPath("tenant", "Whose flow it is"), inPath("id", "The flow's name")],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: components.schema(eventSchema(), "input"),
          example: { type: "order.paid", order: 17 },
        },
        "application/x-www-form-urlencoded": { schema: { type: "object" } },
      },
    },
    responses: {
      200: toResponse(
        "It starts nothing, or its sender wants 200; the answer to a sender's question",
        json(unwantedSchema()),
      ),
      202: toResponse("The run is recorded, now or before", json(recordedSchema())),
      204: toResponse("The same for senders that want no body"),
      401: toProblem(["UNAUTHORIZED"], components),
      413: toProblem(["BODY_TOO_LARGE"], components),
      405: toProblem(["METHOD_NOT_ALLOWED"], components),
      503: toProblem(["UNAVAILABLE"], components),
      403: toProblem(["LOOP_DETECTED"], components),
    },
  };
}
