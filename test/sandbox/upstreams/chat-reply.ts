import { type ModelReply, toPieces, toTokens } from "./model-reply.ts";

const STOPS: Readonly<Record<string, string>> = {
  answer: "stop",
  tools: "tool_calls",
  length: "length",
  refusal: "content_filter",
};

/** Write a reply as OpenAI answers a Chat Completions request that does not stream. */
export function toCompletion(reply: ModelReply): object {
  const { text, calls } = reply;
  return {
    ...toHead(reply, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && calls.length > 0 ? null : text,
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ id, name, args }) => ({
              id,
              type: "function",
              function: { name, arguments: args },
            })),
          }),
          refusal: null,
          annotations: [],
        },
        logprobs: null,
        finish_reason: toFinishReason(reply),
      },
    ],
    ...(reply.usage !== null && { usage: toUsage(reply) }),
    service_tier: "default",
    system_fingerprint: "fp_0000000000",
  };
}

/**
 * Write a reply as the events of a stream: the role, the text, each call's id and name, their arguments by turns, the reason
 * why it ends and, where it was asked for, the usage.
 */
export function toChatEvents(reply: ModelReply, withUsage: boolean): string[] {
  const head = {
    ...toHead(reply, "chat.completion.chunk"),
    service_tier: "default",
    system_fingerprint: "fp_0000000000",
  };
  const tells = withUsage && reply.usage !== null;
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...(tells && { usage: null }),
    obfuscation: "x",
  });
  const { text, calls } = reply;
  const content = text === "" && calls.length > 0 ? null : "";
  const pieces = calls.map(({ args }) => toPieces(args));
  const rounds = Math.max(0, ...pieces.map(({ length }) => length));
  return [
    chunk({ role: "assistant", content, refusal: null }),
    ...toPieces(text).map((piece) => chunk({ content: piece })),
    ...calls.map(({ id, name }, index) =>
      chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
    ),
    ...Array.from({ length: rounds }, (_, round) =>
      pieces.flatMap((list, index) =>
        list[round] === undefined
          ? []
          : [chunk({ tool_calls: [{ index, function: { arguments: list[round] } }] })],
      ),
    ).flat(),
    chunk({}, toFinishReason(reply)),
    ...(tells ? [{ ...head, choices: [], usage: toUsage(reply), obfuscation: "" }] : []),
  ]
    .map((data) => toChatEvent(data))
    .concat("data: [DONE]\n\n");
}

/** Write one event of a stream. */
export function toChatEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function toHead({ id, created, model }: ModelReply, object: string): object {
  return { id, object, created, model };
}

function toFinishReason({ stop }: ModelReply): string {
  return STOPS[stop] ?? stop;
}

function toUsage({ usage, thinking }: ModelReply): object {
  const { input, output, cached = 0 } = usage!;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: thinking === "" ? 0 : toTokens(thinking),
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** Say why a request is refused. */
export function toChatError({
  status,
  message,
  param = null,
  code = null,
}: {
  readonly status: number;
  readonly message: string;
  readonly param?: string | null;
  readonly code?: string | null;
}): object {
  const type = status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, param, code } };
}
