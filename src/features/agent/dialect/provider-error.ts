import * as z from "zod/mini";

import { REFUSAL_CODES, REFUSALS } from "../../../core/contract/failure-codes.ts";
import { strictSchema, type Written } from "../../../feature/schema.ts";
import { makeRefusal, type Refusal } from "../../../feature/refuse.ts";

/** The error types that both providers' clients know, by status. */
const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  405: "invalid_request_error",
  409: "invalid_request_error",
  413: "request_too_large",
  415: "invalid_request_error",
  422: "invalid_request_error",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
};

/** The provider's own word for a thread that is not kept: its clients send the whole conversation again when they read it. */
const THREAD_LOST = "thread_not_found";
const THREAD_PATH = "/thread/previous_message_id";

/** The error of both providers: a sentence for people, a type of theirs, a code of ours. */
export const providerErrorSchema = strictSchema("ProviderError", () => ({
  type: z.optional(z.literal("error")).check(z.describe("Where Anthropic's API is spoken")),
  error: z.strictObject({
    message: z.string(),
    type: z.string(),
    code: z.enum(REFUSAL_CODES),
    param: z.nullable(z.string()),
    details: z
      .optional(z.strictObject({ error_code: z.literal(THREAD_LOST) }))
      .check(z.describe("Where Anthropic's API is spoken: why a thread does not go on")),
    volley: z.optional(z.looseObject({})).check(z.describe("The actions that had run before the error")),
  }),
  request_id: z.string(),
  volley: z.optional(z.looseObject({})).check(z.describe("The same as in `error`")),
}));

type ProviderError = Omit<Written<typeof providerErrorSchema>, "request_id">;

/** Translate a refusal into an error as OpenAI writes one. Source: https://platform.openai.com/docs/guides/error-codes */
export function toChatError(refusal: Refusal): ProviderError {
  const { status, title } = REFUSALS[refusal.code];
  const message = `${title} ${refusal.hint}`;
  return {
    error: {
      message,
      type: TYPES[status] ?? "api_error",
      code: refusal.code,
      param: refusal.issue?.path || null,
    },
  };
}

/** Translate a refusal into an error as Anthropic writes one. Source: https://docs.anthropic.com/en/api/errors */
export function toMessagesError(refusal: Refusal): ProviderError {
  const { error } = toChatError(refusal);
  const isThread = refusal.issue?.path === THREAD_PATH;
  return { type: "error", error: { ...error, ...(isThread && { details: { error_code: THREAD_LOST } }) } };
}

/** Write an error as JSON, with what had run before it inside: official clients give their callers no other part of it. */
export function writeError({ error, ...rest }: { readonly error?: object }, report: string | null): string {
  if (report === null) return JSON.stringify({ ...rest, error });
  const json = JSON.stringify(error);
  const head = JSON.stringify(rest).slice(0, -1);
  return `${head}${head === "{" ? "" : ","}"error":${json.slice(0, -1)},"volley":${report}}}`;
}

/** Refuse to go on with a thread, so that the client sends all of it. */
export function makeThreadRefusal(): Refusal {
  const issue = { path: THREAD_PATH, expected: "no thread to go on with", received: "one" };
  const hint =
    'Threads are not kept here. Send the whole conversation again, with `"thread": {"type": "create"}` or without; official clients do that by themselves.';
  return makeRefusal("NOT_FOUND", hint, { issue });
}
