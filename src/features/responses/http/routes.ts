import * as z from "zod/mini";

import { agentOptionsSchema } from "../../agent/agent-options.ts";
import { toChatError } from "../../agent/dialect/provider-error.ts";
import { answerModelRequests, providerDialect } from "../../agent/http/routes.ts";
import { looseSchema } from "../../../feature/schema.ts";
import { makeRefusal, statusOf } from "../../../feature/refuse.ts";
import type { Dialect, Route } from "../../../feature/route.ts";
import { RESPONSES_ROUTE } from "../dialect/responses-dialect.ts";

/** The path says no as OpenAI does, which refuses a field with 400. */
export const RESPONSES_ERRORS: Dialect = {
  ...providerDialect("responses", toChatError, (refusal) =>
    refusal.code === "INVALID_REQUEST" ? 400 : statusOf(refusal),
  ),
  unknownPath: makeRefusal("NOT_FOUND", "Responses are not kept: send the whole conversation in `input`."),
};

const bodySchema = looseSchema("ResponsesRequest", () => {
  const nothing = z.optional(z.null()).check(z.describe("Nothing is kept here under an id"));
  const never = z.optional(z.nullable(z.literal(false)));
  return {
    input: z.union([z.string().check(z.minLength(1)), z.array(z.looseObject({})).check(z.minLength(1))]),
    stream: z.optional(z.boolean()),
    store: never,
    background: never,
    previous_response_id: nothing,
    conversation: nothing,
    volley: z.optional(agentOptionsSchema()),
  };
});

export const createResponse: Route = answerModelRequests({
  route: "POST /v1/responses",
  model: RESPONSES_ROUTE,
  refusal: RESPONSES_ERRORS,
  schema: bodySchema,
  id: "createResponse",
  name: "OpenAI's Responses",
  example: { input: "How is the weather in Phoenix?" },
});
