import { toChatError, toChatEvent, toChatEvents, toCompletion } from "./chat-reply.ts";
import { checkChatRequest } from "./check-chat-request.ts";
import { checkMessagesRequest } from "./check-messages-request.ts";
import { checkResponsesRequest } from "./check-responses-request.ts";
import {
  findForgedThought,
  toMessage,
  toMessageEvent,
  toMessageEvents,
  toMessagesError,
} from "./messages-reply.ts";
import type { ModelReply } from "./model-reply.ts";
import { toResponse, toResponseEvent, toResponseEvents } from "./responses-reply.ts";

export { toChatError } from "./chat-reply.ts";

/** Why a request is refused. */
export interface Problem {
  readonly status: number;
  readonly message: string;
}

/** The differences between the providers. */
export interface Dialect {
  readonly check: (body: unknown) => Problem | null;
  readonly json: (reply: ModelReply) => object;
  readonly events: (reply: ModelReply, body: Readonly<Record<string, unknown>>) => readonly string[];
  readonly error: (problem: Problem) => object;
  readonly errorEvent: (problem: Problem) => string;
  /** The status that a failure in the middle of an answer would have had. */
  readonly failure: number;
  readonly requestId: string;
  readonly ids: { readonly turn: string; readonly call: string };
}

const CHAT: Dialect = {
  check: checkChatRequest,
  json: toCompletion,
  events: (reply, { stream_options: options }) =>
    toChatEvents(reply, (options as { include_usage?: boolean } | undefined)?.include_usage === true),
  error: toChatError,
  errorEvent: (problem) => toChatEvent(toChatError(problem)),
  failure: 500,
  requestId: "x-request-id",
  ids: { turn: "chatcmpl-", call: "call_" },
};

const MESSAGES: Dialect = {
  check: (body) => checkMessagesRequest(body) ?? checkThoughts(body),
  json: toMessage,
  events: toMessageEvents,
  error: toMessagesError,
  errorEvent: (problem) => toMessageEvent(toMessagesError(problem)),
  failure: 529,
  requestId: "request-id",
  ids: { turn: "msg_", call: "toolu_" },
};

const RESPONSES: Dialect = {
  check: checkResponsesRequest,
  json: toResponse,
  events: toResponseEvents,
  error: toChatError,
  errorEvent: ({ message }) =>
    toResponseEvent({ type: "error", code: "server_error", message, param: null, sequence_number: 0 }),
  failure: 500,
  requestId: "x-request-id",
  ids: { turn: "resp_", call: "call_" },
};

function checkThoughts(body: unknown): Problem | null {
  const message = findForgedThought(body);
  return message === null ? null : { status: 400, message };
}

/** The dialect of a method and a path, such as `POST /v1/messages`; undefined when it is no model's. */
export function dialectOf(call: string): Dialect | undefined {
  switch (call.replace(/\?.*/s, "")) {
    case "POST /v1/chat/completions":
      return CHAT;
    case "POST /v1/messages":
      return MESSAGES;
    case "POST /v1/responses":
      return RESPONSES;
    default:
      return undefined;
  }
}
