import * as z from "zod/mini";

import { agentOptionsSchema } from "../agent-options.ts";
import { providerErrorSchema, toChatError, toMessagesError, writeError } from "../dialect/provider-error.ts";
import { type Refusal, type RefusalCode, statusOf } from "../../../feature/refuse.ts";
import { type LazySchema, lazySchema } from "../../../core/contract/lazy-schema.ts";
import type { Declared } from "../../../feature/define.ts";
import type { Dialect, Route } from "../../../feature/route.ts";
import { CHAT_ROUTE, MESSAGES_ROUTE, type ModelRoute } from "./find-server.ts";
import { answerModelRequest } from "./answer-model-request.ts";

/** The clients of either provider understand its errors only. Calls that ran before an error are told with it. */
export function providerDialect(
  path: string,
  toError: (refusal: Refusal) => { readonly error?: object },
  toStatus: (refusal: Refusal) => number = statusOf,
): Dialect {
  return {
    addresses: new RegExp(`^https?://[^/?#]+/(?:v1/)*${path}(?:[/?#]|$)`),
    // Anthropic's clients send their key so.
    keyHeader: "x-api-key",
    write(refusal, { requestId, report }) {
      const written = { ...toError(refusal), request_id: requestId };
      const json = writeError(written, report);
      const told = report === null ? json : `${json.slice(0, -1)},"volley":${report}}`;
      return { status: toStatus(refusal), json: told };
    },
    described: { name: "Provider", schema: providerErrorSchema },
  };
}

const DIALECTS = {
  chat: providerDialect("chat/completions", toChatError),
  messages: providerDialect("messages", toMessagesError),
};

/** How these paths say no. */
export const MODEL_DIALECTS: readonly Dialect[] = Object.values(DIALECTS);

/** The paths of the providers themselves: a client of theirs whose base URL is ours gets the tools. */
export const MODEL_ENDPOINTS: readonly Route[] = [
  answerModelRequests({
    route: "POST /v1/chat/completions",
    model: CHAT_ROUTE,
    refusal: DIALECTS.chat,
    schema: () => bodySchema(),
    id: "createChatCompletion",
    name: "OpenAI's Chat Completions",
    example: { messages: [{ role: "user", content: "How is the weather in Phoenix?" }] },
  }),
  answerModelRequests({
    route: "POST /v1/messages",
    model: MESSAGES_ROUTE,
    refusal: DIALECTS.messages,
    schema: () => messagesSchema(),
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

/** A path at which models are asked, and how it is described. */
export interface ModelEndpoint {
  readonly route: Route["route"];
  /** How its requests are read, and where its model is. */
  readonly model: ModelRoute;
  /** How it says no. */
  readonly refusal: Dialect;
  readonly schema: LazySchema;
  readonly id: string;
  readonly name: string;
  readonly example: object;
  readonly refusals?: readonly RefusalCode[];
}

/** Make the endpoint of a path at which models are asked. */
export function answerModelRequests(endpoint: ModelEndpoint): Route {
  const { route, model, refusal, schema, id, name, example, refusals = [] } = endpoint;
  return {
    route,
    runs: true,
    handle: (request, context) => answerModelRequest(model, request, context),
    describe: (declared) => ({
      id,
      summary: `Ask a model, as ${name}, and run the tools that it calls`,
      tag: "Models",
      keyed: true,
      body: { schema: withFields(schema(), declared), example },
      answer: {
        description: "The model's last answer, with what was run for it under `volley`",
        schema: answerSchema(),
      },
      refusal,
      refusals: ["INVALID_REQUEST", "MISCONFIGURED", "MODEL_UNAVAILABLE", "MODEL_TIMEOUT", ...refusals],
      counted: "always",
    }),
  };
}

/** A request's schema, with the fields in `volley` that a feature adds. */
function withFields(schema: z.core.$ZodType, declared: Declared): z.core.$ZodType {
  const options = agentOptionsSchema();
  const volley = declared.withFields(options);
  return volley === options ? schema : z.extend(schema as z.ZodMiniObject, { volley: z.optional(volley) });
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

const messagesSchema = lazySchema("MessagesRequest", () =>
  z.extend(bodySchema(), {
    thread: z
      .optional(z.unknown())
      .check(
        z.describe(
          "A thread is answered 404 when it goes on, so that the client sends the whole conversation",
        ),
      ),
  }),
);

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
