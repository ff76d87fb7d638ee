import * as z from "zod/mini";

import { toChatError, toMessagesError } from "../../agent/dialect/provider-error.ts";
import { providerDialect } from "../../agent/http/routes.ts";
import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import type { Endpoint } from "../../../cloudflare/openapi/endpoint.ts";

/** The list says no as OpenAI does; the count is below a path of the agent's, which says no as Anthropic does. */
export const MODELS_ERRORS = providerDialect("models", toChatError);

/** The list for Anthropic's clients, which always send this header. */
export const MESSAGES_MODELS_ERRORS = {
  ...providerDialect("models", toMessagesError),
  header: "anthropic-version",
};

/** All of it is the server's to judge. */
const conversationSchema = lazySchema(() =>
  z.looseObject({}).register(z.globalRegistry, { id: "CountedConversation" }),
);

/** Paths of the providers that ask their server, and no model. */
export const SERVER_ENDPOINTS: readonly Endpoint[] = [
  {
    route: "GET /v1/models",
    runsNothing: true,
    async handle(request, context) {
      const { listModels } = await import("./ask-server.ts");
      return listModels(request, context);
    },
    describe: () => ({
      id: "listModels",
      summary: "List the models that may be asked for, as their server does",
      tag: "Models",
      answer: {
        description: "OpenAI's list; Anthropic's for a request with the header `anthropic-version`",
        schema: z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) }),
      },
      refusal: MODELS_ERRORS,
      refusals: ["MISCONFIGURED", "MODEL_UNAVAILABLE"],
    }),
  },
  {
    route: "POST /v1/messages/count_tokens",
    runsNothing: true,
    async handle(request, context) {
      const { countTokens } = await import("./ask-server.ts");
      return countTokens(request, context);
    },
    describe: () => ({
      id: "countTokens",
      summary: "Count the tokens of a conversation, as Anthropic does; Volley's tools are not in it",
      tag: "Models",
      body: {
        schema: conversationSchema(),
        example: { model: "claude-sonnet-4-5", messages: [{ role: "user", content: "Hello" }] },
      },
      answer: {
        description: "The count",
        schema: z.looseObject({ input_tokens: z.int() }),
      },
      refusal: MODELS_ERRORS,
      refusals: ["INVALID_REQUEST", "MISCONFIGURED", "MODEL_UNAVAILABLE"],
    }),
  },
];
