import type { ToolContext, UpstreamRequest, UpstreamResponse } from "../../core/catalog/define-tool.ts";
import { fetchGoogle, ofGoogle } from "../kit/google-access.ts";
import * as z from "zod/mini";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { cutText } from "../kit/cut-text.ts";

export const GMAIL = ofGoogle("gmail", "gmail.googleapis.com", 15_000);

/**
 * Send a request about messages of the account's own mailbox.
 *
 * Source: https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages
 *
 * @param path behind `messages`, such as `/send`; ids in it are checked to be ids
 */
export function fetchMessages(
  ctx: ToolContext,
  path: string,
  query: readonly (readonly [string, string])[] = [],
  request: UpstreamRequest = {},
): Promise<UpstreamResponse> {
  const url = new URL(`https://gmail.googleapis.com/gmail/v1/users/me/messages${path}`);
  url.search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
  return fetchGoogle(ctx, url, request);
}

/** A message as Gmail gives it, as far as it is read. */
export const messageSchema = looseSchema(() => ({
  id: z.string(),
  threadId: z.nullish(z.string()),
  snippet: z.nullish(z.string()),
  payload: z.nullish(
    z.looseObject({ headers: z.nullish(z.array(z.looseObject({ name: z.string(), value: z.string() }))) }),
  ),
}));

/** A header of a message on one line, cut; empty if it has none of that name. */
export function headerOf(
  message: z.output<ReturnType<typeof messageSchema>>,
  name: string,
  maxLength: number,
): string {
  const isIt = (header: { readonly name: string }): boolean =>
    header.name.toLowerCase() === name.toLowerCase();
  return cutText(message.payload?.headers?.find(isIt)?.value ?? "", maxLength);
}
