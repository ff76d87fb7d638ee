import { isObject } from "./find-misfits.ts";
import { type ModelReply, toPieces } from "./model-reply.ts";

const STOPS: Readonly<Record<string, string>> = {
  answer: "end_turn",
  tools: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
};

/** Write a reply as Anthropic answers a Messages request that does not stream. */
export function toMessage(reply: ModelReply): object {
  return {
    ...toHead(reply),
    content: toBlocks(reply).map(({ block }) => block),
    stop_reason: toStopReason(reply),
    stop_sequence: null,
    usage: toUsage(reply),
  };
}

/** Write a reply as the events of a stream. */
export function toMessageEvents(reply: ModelReply): string[] {
  const blocks = toBlocks(reply).map(({ start, deltas }, index) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
  return [
    {
      type: "message_start",
      message: {
        ...toHead(reply),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...toUsage(reply), output_tokens: 1 },
      },
    },
    ...(blocks[0] ?? []).slice(0, 1),
    { type: "ping" },
    ...(blocks[0] ?? []).slice(1),
    ...blocks.slice(1).flat(),
    {
      type: "message_delta",
      delta: { stop_reason: toStopReason(reply), stop_sequence: null },
      usage: { output_tokens: reply.usage?.output ?? 1 },
    },
    { type: "message_stop" },
  ].map(toMessageEvent);
}

/** Write one event of a stream. */
export function toMessageEvent(data: { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

interface Block {
  /** As it is in the end. */
  readonly block: object;
  /** As a stream begins it. */
  readonly start: object;
  readonly deltas: readonly object[];
}

function toBlocks({ thinking, text, calls }: ModelReply): readonly Block[] {
  const signature = sign(thinking);
  return [
    ...(thinking === ""
      ? []
      : [
          {
            block: { type: "thinking", thinking, signature },
            start: { type: "thinking", thinking: "", signature: "" },
            deltas: [
              ...toPieces(thinking).map((piece) => ({ type: "thinking_delta", thinking: piece })),
              { type: "signature_delta", signature },
            ],
          },
        ]),
    ...(text === ""
      ? []
      : [
          {
            block: { type: "text", text },
            start: { type: "text", text: "" },
            deltas: toPieces(text).map((piece) => ({ type: "text_delta", text: piece })),
          },
        ]),
    ...calls.map(({ id, name, args }) => ({
      block: { type: "tool_use", id, name, input: parseInput(args) },
      start: { type: "tool_use", id, name, input: {} },
      // A call without arguments has no more than the first, empty delta.
      deltas: ["", ...(args === "{}" ? [] : toPieces(args))].map((piece) => ({
        type: "input_json_delta",
        partial_json: piece,
      })),
    })),
  ];
}

/** Text that is no JSON is shown as it is, which is against the documentation, as everything is that a model breaks. */
function parseInput(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

function toHead({ id, model }: ModelReply): object {
  return { id, type: "message", role: "assistant", model };
}

function toStopReason({ stop }: ModelReply): string {
  return STOPS[stop] ?? stop;
}

/** Tokens that were read from the cache are not in `input_tokens` there. */
function toUsage({ usage }: ModelReply): object {
  const { input, output, cached = 0 } = usage ?? { input: 1, output: 1 };
  return {
    input_tokens: input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
    service_tier: "standard",
  };
}

const SIGNED = "c2lnbmVk";

/** Stands for the signature that Anthropic puts under thoughts. */
function sign(thinking: string): string {
  let hash = 0x811c9dc5;
  for (const character of thinking) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  return `${SIGNED}${hash.toString(36)}==`;
}

/** Find a thought that is not what was signed: Anthropic refuses a conversation with one. Other signatures are believed. */
export function findForgedThought(body: unknown): string | null {
  const { messages } = body as { messages: readonly { content: unknown }[] };
  for (const [index, { content }] of messages.entries())
    for (const [position, block] of (Array.isArray(content) ? content : []).entries()) {
      if (!isObject(block) || block["type"] !== "thinking") continue;
      const signature = String(block["signature"]);
      if (signature.startsWith(SIGNED) && signature !== sign(String(block["thinking"])))
        return `messages.${index}.content.${position}: Invalid \`signature\` in \`thinking\` block`;
    }
  return null;
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Say why a request is refused. */
export function toMessagesError({ status, message }: { readonly status: number; readonly message: string }) {
  const fallback = status < 500 ? "invalid_request_error" : "api_error";
  return { type: "error", error: { type: ERROR_TYPES[status] ?? fallback, message } };
}
