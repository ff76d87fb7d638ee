import { parsePointer, follow } from "../../../core/kit/json/json-pointer.ts";
import type { ToolContext, UpstreamResponse } from "../../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../../core/catalog/tool-failure.ts";
import type { HttpCall } from "./declaration.ts";
import { makeRequest } from "./make-request.ts";
import { readAuth, senderOf } from "./read-auth.ts";

/** The parts of a request besides its arguments. */
export interface SendOptions {
  /** Send the action's idempotency key, unless the declaration sends a header of that name. */
  readonly withKey: boolean;
}

/** Send what a declaration makes of arguments, and give the part of the answer that is the tool's data. */
export async function sendHttp(
  http: HttpCall,
  args: Readonly<Record<string, unknown>>,
  ctx: ToolContext,
  { withKey }: SendOptions,
): Promise<unknown> {
  const auth = readAuth(http.auth, ctx);
  const { url, headers, body } = makeRequest(http, args, auth.query);
  const response = await senderOf(http.auth, ctx).fetch(url, {
    method: http.method,
    headers: { ...(withKey && { "idempotency-key": ctx.idempotencyKey }), ...headers, ...auth.headers },
    ...(body !== undefined && { body }),
  });
  return readResult(response, http.result);
}

/** Text that is data as it is: the markup of a page of HTML is not. */
const PLAIN_TEXT = /^(?:text\/(?!html\b)[\w.+-]+|application\/(?:[\w.-]+\+)?xml)\b/i;

/**
 * Read an answer: nothing is null, JSON is what it says, and what says of itself that it is text is a string unless it begins
 * as JSON does.
 */
function readResult(response: UpstreamResponse, result: string | undefined): unknown {
  const text = response.text();
  const isEmpty = text.trim() === "";
  if (isEmpty && (result === undefined || response.status === 204)) return null;
  const isText = PLAIN_TEXT.test(response.headers.get("content-type") ?? "") && !/^\s*[[{]/.test(text);
  if (result === undefined && isText) return text;
  const found = follow(isEmpty ? undefined : response.json(), parsePointer(result ?? "") ?? []);
  if (found.found && !isEmpty) return found.value;
  throw new ToolFailure("BAD_UPSTREAM_RESPONSE", {
    hint: `The service's answer has nothing at ${result}, where this tool's data should be; sending the same call again will not help.`,
  });
}
