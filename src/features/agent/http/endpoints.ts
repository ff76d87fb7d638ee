import * as z from "zod/mini";

import { agentOptionsSchema } from "../agent-options.ts";
import { providerErrorSchema, toChatError, toMessagesError } from "../dialect/provider-error.ts";
import type { RefusalCode } from "../../../core/contract/failure-codes.ts";
import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import { type Refusal, statusOf } from "../../../core/contract/refusal.ts";
import type { Dialect } from "../../../core/edge/http/dialect.ts";
import type { ModelApi } from "./model-address.ts";
import type { Endpoint } from "../../../core/edge/openapi/endpoint.ts";

/** The clients of either provider understand its errors only. Calls that ran before an error are told with it. */
function providerDialect(
  path: string,
  toError: (refusal: Refusal) => object,
  toStatus: (refusal: Refusal) => number = statusOf,
): Dialect {
  return {
    addresses: new RegExp(`^https?://[^/?#]+/v1/${path}(?:[/?#]|$)`),
    // Anthropic's clients send their key so.
    keyHeader: "x-api-key",
    write(refusal, { requestId, report }) {
      const json = JSON.stringify({ ...toError(refusal), request_id: requestId });
      const told = report === null ? json : `${json.slice(0, -1)},"volley":${report}}`;
      return { status: toStatus(refusal), json: told };
    },
    described: { name: "Provider", schema: providerErrorSchema },
  };
}

const DIALECTS = {
  chat: providerDialect("chat/completions", toChatError),
  messages: providerDialect("messages", toMessagesError),
  // What is not kept here is refused as the provider refuses a field.
  responses: providerDialect("responses", toChatError, (refusal) =>
    refusal.code === "INVALID_REQUEST" ? 400 : statusOf(refusal),
  ),
};

/** How these paths say no. */
export const MODEL_DIALECTS: readonly Dialect[] = Object.values(DIALECTS);

/**
 * The paths of the providers themselves: a client of theirs whose base URL is ours gets the tools. The code that answers them is
 * made when the first request comes.
 */
export const MODEL_ENDPOINTS: readonly Endpoint[] = [
  answerModelRequests({
    route: "POST /v1/chat/completions",
    api: "chat",
    id: "createChatCompletion",
    name: "OpenAI's Chat Completions",
    example: { messages: [{ role: "user", content: "How is the weather in Phoenix?" }] },
  }),
  answerModelRequests({
    route: "POST /v1/responses",
    api: "responses",
    id: "createResponse",
    name: "OpenAI's Responses",
    example: { input: "How is the weather in Phoenix?" },
  }),
  answerModelRequests({
    route: "POST /v1/messages",
    api: "messages",
    id: "createMessage",
    name: "Anthropic's Messages",
    example: {
      model: "claude-sonnet-4-5",
      max_tokens: 1_024,
      messages: [{ role: "user", content: "How is the weather in Phoenix?" }],
    },
    // Threads are not kept.
    refusals: ["NOT_FOUND"],
  }),
];

interface ModelEndpoint {
  readonly route: Endpoint["route"];
  readonly api: ModelApi;
  readonly id: string;
  readonly name: string;
  readonly example: object;
  readonly refusals?: readonly RefusalCode[];
}

function answerModelRequests({ route, api, id, name, example, refusals = [] }: ModelEndpoint): Endpoint {
  return {
    route,
    async handle(request, context) {
      const { answerModelRequest } = await import("./answer-model-request.ts");
      return answerModelRequest(api, request, context);
    },
    describe: () => ({
      id,
      summary: `Ask a model, as ${name}, and run the tools that it calls`,
      tag: "Models",
      keyed: true,
      body: { schema: BODIES[api](), example },
      answer: {
        description: "The model's last answer, with what was run for it under `volley`",
        schema: answerSchema(),
      },
      refusal: DIALECTS[api],
      refusals: ["INVALID_REQUEST", "MISCONFIGURED", "MODEL_UNAVAILABLE", "MODEL_TIMEOUT", ...refusals],
      counted: "always",
    }),
  };
}

const bodySchema = lazySchema(() =>
  z
    .looseObject({
      messages: z.array(z.looseObject({})).check(z.minLength(1)),
      stream: z.optional(z.boolean()),
      volley: z.optional(agentOptionsSchema()),
    })
    .register(z.globalRegistry, {
      id: "ModelRequest",
      description: "The provider's own request, passed on, and how Volley goes about it",
    }),
);

const messagesSchema = lazySchema(() =>
  z
    .extend(bodySchema(), {
      thread: z
        .optional(z.unknown())
        .check(
          z.describe(
            "A thread is answered 404 when it goes on, so that the client sends the whole conversation",
          ),
        ),
    })
    .register(z.globalRegistry, { id: "MessagesRequest" }),
);

const responsesSchema = lazySchema(() => {
  const nothing = z.optional(z.null()).check(z.describe("Nothing is kept here under an id"));
  const never = z.optional(z.nullable(z.literal(false)));
  return z
    .looseObject({
      input: z.union([z.string().check(z.minLength(1)), z.array(z.looseObject({})).check(z.minLength(1))]),
      stream: z.optional(z.boolean()),
      store: never,
      background: never,
      previous_response_id: nothing,
      conversation: nothing,
      volley: z.optional(agentOptionsSchema()),
    })
    .register(z.globalRegistry, { id: "ResponsesRequest" });
});

const BODIES = { chat: bodySchema, messages: messagesSchema, responses: responsesSchema };

const answerSchema = lazySchema(() =>
  z
    .looseObject({
      volley: z.looseObject({
        rounds: z.array(
          z.strictObject({
            results: z.array(z.unknown()),
            duration_ms: z.number(),
            model_ms: z.number(),
          }),
        ),
        stopped: z.enum(["answer", "max_rounds", "confirmation", "client_tools", "deadline", "repetition"]),
      }),
    })
    .register(z.globalRegistry, {
      id: "ModelAnswer",
      description: "The provider's own answer, and what was run for it",
    }),
);
