import * as z from "zod/mini";
import { defineFeature } from "../../feature/define.ts";
import type { Route } from "../../feature/route.ts";
import { looseSchema } from "../../feature/schema.ts";
import { toChatError, toMessagesError } from "../agent/dialect/provider-error.ts";
import { providerDialect } from "../agent/http/routes.ts";
import { countTokens, listModels } from "./http/list-models.ts";

/** `GET /v1/models` and `POST /v1/messages/count_tokens`: the lists and counts of the model's server, for clients that ask for them. */
export function models() {
  return defineFeature({
    name: "models",
    needs: ["discovery", "agent"],
    routes: [{ for: "any key", paths: SERVER_ENDPOINTS }],
    dialects: [MESSAGES_MODELS_ERRORS, MODELS_ERRORS],
  });
}

/** The list says no as OpenAI does; the count is below a path of the agent's, which says no as Anthropic does. */
const MODELS_ERRORS = providerDialect("models", toChatError);

/** The list for Anthropic's clients, which always send this header. */
const MESSAGES_MODELS_ERRORS = {
  ...providerDialect("models", toMessagesError),
  header: "anthropic-version",
};

/** All of it is the server's to judge. */
const conversationSchema = looseSchema("CountedConversation", () => ({}));

/** Paths of the providers that ask their server, and no model. */
const SERVER_ENDPOINTS: readonly Route[] = [
  {
    route: "GET /v1/models",
    async handle(request, context) {
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
    async handle(request, context) {
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
