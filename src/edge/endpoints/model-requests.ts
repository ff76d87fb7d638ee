import * as z from "zod";

import { agentOptionsSchema } from "../../agent/agent-options.ts";
import { lazySchema } from "../../contract/lazy-schema.ts";
import type { ModelApi } from "../http/answer-model-request.ts";
import type { Endpoint } from "../openapi/endpoint.ts";

/**
 * The paths of the providers themselves: a client of theirs whose base URL is ours gets the tools. What answers them is made
 * when somebody first asks.
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
    route: "POST /v1/messages",
    api: "messages",
    id: "createMessage",
    name: "Anthropic's Messages",
    example: {
      model: "claude-sonnet-4-5",
      max_tokens: 1_024,
      messages: [{ role: "user", content: "How is the weather in Phoenix?" }],
    },
  }),
];

interface ModelEndpoint {
  readonly route: Endpoint["route"];
  readonly api: ModelApi;
  readonly id: string;
  readonly name: string;
  readonly example: object;
}

function answerModelRequests({ route, api, id, name, example }: ModelEndpoint): Endpoint {
  return {
    route,
    async handle(request, context) {
      const { answerModelRequest } = await import("../http/answer-model-request.ts");
      return answerModelRequest(api, request, context);
    },
    describe: () => ({
      id,
      summary: `Ask a model, as ${name}, and run the tools that it calls`,
      tag: "Models",
      body: { schema: bodySchema(), example },
      answer: {
        description: "The model's last answer, with what was run for it under `volley`",
        schema: answerSchema(),
      },
      refusal: "provider-error",
      refusals: ["INVALID_REQUEST", "MISCONFIGURED", "MODEL_UNAVAILABLE", "MODEL_TIMEOUT"],
      counted: "always",
    }),
  };
}

const bodySchema = lazySchema(() =>
  z
    .looseObject({
      messages: z.array(z.looseObject({})).min(1),
      stream: z.boolean().optional(),
      volley: agentOptionsSchema().optional(),
    })
    .meta({
      id: "ModelRequest",
      description: "The provider's own request, passed on, and how Volley goes about it",
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
    .meta({ id: "ModelAnswer", description: "The provider's own answer, and what was run for it" }),
);
