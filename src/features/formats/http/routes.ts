import * as z from "zod/mini";

import { runToolCalls } from "../../../turns/run-tool-calls.ts";
import { type LazySchema, lazySchema } from "../../../core/contract/lazy-schema.ts";
import { anthropicAnswerSchema, parseAnthropicTurn } from "../anthropic.ts";
import { geminiAnswerSchema, parseGeminiTurn } from "../gemini.ts";
import { chatAnswerSchema, parseChatTurn, parseResponsesTurn, responsesAnswerSchema } from "../openai.ts";
import type { ParseTurn, TurnEndpoint } from "../../../turns/read-turn.ts";
import { ok } from "../../../feature/refuse.ts";
import { readRun } from "../../../feature/answer.ts";
import { respondRun } from "../../../cloudflare/http/respond-run.ts";
import type { Route } from "../../../feature/route.ts";

interface Provider {
  readonly path: TurnEndpoint;
  readonly parse: ParseTurn;
  readonly id: string;
  /** How the document calls what it returns. */
  readonly name: string;
  readonly answer: LazySchema;
  readonly example: object;
}

/** A call of a tool that every key may call, because every key may read the document. */
const EXAMPLE_CALL = { name: "discover_tools", arguments: '{"query":"weather"}' };

/** The endpoints of the providers' own formats. */
export const TURNS: readonly Route[] = [
  answerTurns({
    path: "/v1/openai/tool_calls",
    parse: parseChatTurn,
    id: "answerChatCalls",
    name: "OpenAI's Chat Completions",
    answer: chatAnswerSchema,
    example: {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: EXAMPLE_CALL }],
    },
  }),
  answerTurns({
    path: "/v1/openai/function_calls",
    parse: parseResponsesTurn,
    id: "answerResponsesCalls",
    name: "OpenAI's Responses",
    answer: responsesAnswerSchema,
    example: { output: [{ type: "function_call", id: "fc_1", call_id: "call_1", ...EXAMPLE_CALL }] },
  }),
  answerTurns({
    path: "/v1/anthropic/tool_use",
    parse: parseAnthropicTurn,
    id: "answerAnthropicCalls",
    name: "Anthropic's Messages",
    answer: anthropicAnswerSchema,
    example: {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "discover_tools", input: { query: "weather" } }],
    },
  }),
  answerTurns({
    path: "/v1/gemini/function_calls",
    parse: parseGeminiTurn,
    id: "answerGeminiCalls",
    name: "Gemini",
    answer: geminiAnswerSchema,
    example: {
      role: "model",
      parts: [{ functionCall: { name: "discover_tools", args: { query: "weather" } } }],
    },
  }),
];

/**
 * Make a provider's endpoint: what the provider returned in, what is to be appended to the conversation out, with one
 * answer for every call, in order, under the provider's own ids. As events each result is the provider's own item for one
 * call.
 */
function answerTurns({ path, parse, id, name, answer, example }: Provider): Route {
  return {
    route: `POST ${path}`,
    runs: true,
    async handle(request, context) {
      const body = await readRun(request, context);
      if (!body.ok) return body;
      const { value, bytes: bodyBytes, keyed } = body.value;
      const turn = parse(value);
      if (!turn.ok) return turn;

      const { calls, write, writeOne } = turn.value;
      return respondRun(
        async ({ onResult, ...listener }) => {
          // The same body means another turn to another provider.
          const execution = { ...context, ...keyed([path, value]), ...listener };
          const ran = await runToolCalls(calls, execution, {
            bodyBytes,
            // As text inside JSON it may double.
            copies: 2,
            ...(onResult && { onReply: (at, reply) => onResult(JSON.stringify(writeOne(at, reply))) }),
          });
          if (!ran.ok) return ran;
          const { replies, quota, replayed } = ran.value;
          return ok({ json: JSON.stringify(write(replies)), quota, replayed });
        },
        request,
        context,
      );
    },
    describe: () => ({
      id,
      summary: `Run the tool calls that ${name} returned`,
      tag: "Provider formats",
      keyed: true,
      body: { schema: turnSchema(), example },
      answer: {
        description: "The messages to append to the conversation",
        schema: answer(),
        events: true,
      },
      counted: true,
    }),
  };
}

/** A provider's turn: the provider's own documents describe its fields. */
const turnSchema = lazySchema(() =>
  z.union([z.looseObject({}), z.array(z.looseObject({}))]).register(z.globalRegistry, {
    id: "Turn",
    description: "The provider's response, its message, or its calls",
  }),
);
