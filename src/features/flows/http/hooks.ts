import * as z from "zod/mini";
import type { Context } from "hono";

import { createRouter, type DocumentWriter, type Router, type RouterTypes } from "../../../feature/route.ts";
import { respondRefusal } from "../../../feature/answer.ts";
import { refuseMethod } from "../../../cloudflare/http/refuse-path.ts";
import { describeRoute } from "../../../cloudflare/openapi/route.ts";
import { ASKING_METHODS } from "../hooks/presets.ts";
import { type JsonObject, lazySchema, looseSchema, strictSchema } from "../../../feature/schema.ts";
import { answerHook } from "./answer-hook.ts";

const PATH = "/hooks/:tenant/:id";
const HEADERS = { allow: "POST" };

/**
 * Create the router of the webhooks' deliveries: `POST /hooks/{tenant}/{flow}`. A signature says who sends, no key. Every other path
 * below is refused as one without a flow, and every method that no sender asks with alike.
 */
export function createHooks(): Router {
  const router = createRouter();
  router.post(
    PATH,
    describeRoute({ path: PATH, describe: makeHookOperation }, (c) => {
      const { tenant = "", id: name = "" } = c.req.param();
      return answer(c, { tenant, name });
    }),
  );
  router.all("/hooks/*", (c) => {
    const { method, url } = c.req.raw;
    if (method !== "POST" && !ASKING_METHODS.has(method)) return refuse(c);
    const [, tenant = "", name = ""] = PARTS.exec(new URL(url).pathname) ?? [];
    return answer(c, { tenant, name });
  });
  return router;
}

const PARTS = /^\/hooks\/([^/]+)\/([^/]+)$/;

async function answer(
  c: Context<RouterTypes>,
  { tenant, name }: { readonly tenant: string; readonly name: string },
): Promise<Response> {
  const { requestId } = c.get("watch");
  const defer = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
  const answered = await answerHook(
    { request: c.req.raw, tenant, name, requestId, defer },
    c.get("deployment"),
  );
  if (answered.ok) return answered.value;
  return answered.error.code === "METHOD_NOT_ALLOWED"
    ? refuse(c)
    : respondRefusal(answered.error, { requestId, dialect: null });
}

function refuse(c: Context<RouterTypes>): Response {
  const refusing = { requestId: c.get("watch").requestId, dialect: null };
  return respondRefusal(refuseMethod(c.req.raw, HEADERS.allow), refusing, { headers: HEADERS });
}

const eventSchema = lazySchema(() =>
  z.union([z.looseObject({}), z.array(z.unknown())]).register(z.globalRegistry, {
    id: "WebhookEvent",
    description: 'Whatever the sender sends: the input of the run, a list as {"items": [...]}',
  }),
);
const recordedSchema = strictSchema("RecordedRun", () => ({ job_id: z.string() }));
const unwantedSchema = looseSchema("WebhookTaken", () => ({
  accepted: z
    .optional(z.literal(false))
    .check(z.describe("It starts nothing, and the sender does well to go on")),
  reason: z.optional(z.string()),
  job_id: z.optional(z.string()).check(z.describe("Where the sender wants 200 for a run that is recorded")),
}));

const inPath = (name: string, description: string): JsonObject => ({
  name,
  in: "path",
  required: true,
  description,
  schema: { type: "string", minLength: 1 },
});

/** Describe `POST /hooks/{tenant}/{id}`. Who sends is proved by a signature, in headers that the flow's trigger names. */
function makeHookOperation(write: DocumentWriter): JsonObject {
  const json = (schema: z.core.$ZodType): JsonObject => ({
    "application/json": { schema: write.schema(schema, "output") },
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
          schema: write.schema(eventSchema(), "input"),
          example: { type: "order.paid", order: 17 },
        },
        "application/x-www-form-urlencoded": { schema: { type: "object" } },
      },
    },
    responses: {
      200: write.answer(
        "It starts nothing, or its sender wants 200; the answer to a sender's question",
        json(unwantedSchema()),
      ),
      202: write.answer("The run is recorded, now or before", json(recordedSchema())),
      204: write.answer("The same for senders that want no body"),
      401: write.problem(["UNAUTHORIZED"]),
      413: write.problem(["BODY_TOO_LARGE"]),
      405: write.problem(["METHOD_NOT_ALLOWED"]),
      503: write.problem(["UNAVAILABLE"]),
      403: write.problem(["LOOP_DETECTED"]),
    },
  };
}
