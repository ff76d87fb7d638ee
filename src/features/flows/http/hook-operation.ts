import * as z from "zod/mini";

import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import type { Components, Json } from "../../../core/edge/openapi/components.ts";
import { toProblem, toResponse } from "../../../core/edge/openapi/responses.ts";

const eventSchema = lazySchema(() =>
  z.looseObject({}).register(z.globalRegistry, {
    id: "WebhookEvent",
    description: "Whatever the sender sends: the input of the run",
  }),
);
const recordedSchema = lazySchema(() =>
  z.strictObject({ job_id: z.string() }).register(z.globalRegistry, { id: "RecordedRun" }),
);
const challengeSchema = lazySchema(() =>
  z.strictObject({ challenge: z.string() }).register(z.globalRegistry, { id: "WebhookChallenge" }),
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
      },
    },
    responses: {
      200: toResponse("Slack's question whether anybody is there", json(challengeSchema())),
      202: toResponse("The run is recorded, now or before", json(recordedSchema())),
      401: toProblem(["UNAUTHORIZED"], components),
      405: toProblem(["METHOD_NOT_ALLOWED"], components),
      503: toProblem(["UNAVAILABLE"], components),
      403: toProblem(["LOOP_DETECTED"], components),
    },
  };
}
