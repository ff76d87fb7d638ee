import * as z from "zod/mini";
import { defineTool, type ToolContext } from "../../core/catalog/define-tool.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { attempt } from "../../core/kit/result.ts";
import { Semaphore } from "../../core/kit/semaphore.ts";
import { cutText } from "../kit/cut-text.ts";
import { mayUseAccount, statusOf } from "../kit/google-access.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { plainText } from "../kit/html-entities.ts";
import { fetchMessages, GMAIL, headerOf, messageSchema } from "./gmail-api.ts";
import { countArgument, textArgument, fanOut } from "../kit/arguments.ts";

/** Messages that one search looks up at once: the calls beside it need header slots too. */
const AT_ONCE = 3;

const pageSchema = looseSchema(() => ({
  messages: z._default(z.array(z.looseObject({ id: z.string().check(z.regex(/^[\w-]+$/)) })), []),
  nextPageToken: z.nullish(z.string()),
}));

/**
 * Find messages of the account's own mailbox. Gmail lists ids only, so each message is looked up, a few at a time.
 *
 * Source: https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/list
 */
export const searchGmail = defineTool({
  ...GMAIL,
  ...mayUseAccount("gmail.readonly"),
  name: "search_gmail",
  summary: "Search the user's Gmail messages",
  description:
    "Find messages of the user's Gmail, the newest first: sender, subject, date and a snippet. The query is Gmail's own, " +
    "e.g. 'from:ann@example.com is:unread newer_than:7d invoice'. read_gmail reads one of them. " +
    "Size: about 120 tokens per message, never over 4000.",
  actions: ["search", "read"],
  isWrite: false,
  input: () =>
    z.strictObject({
      query: textArgument(500, "Words, and Gmail's search operators such as 'from:' or 'is:unread'."),
      limit: countArgument(25, 10, "How many at most, 1 to 25."),
    }),
  typicalTokens: 1_200,
  maxResponseBytes: 256 * 1024,
  orchestration: fanOut(4, 500),
  run: async ({ query, limit }, ctx) => {
    const page = [
      ["q", query],
      ["maxResults", String(limit)],
      ["fields", "messages(id),nextPageToken"],
    ] as const;
    const { messages, nextPageToken } = parseUpstream(pageSchema(), await fetchMessages(ctx, "", page));
    const turns = new Semaphore(AT_ONCE);
    const found = await Promise.all(messages.slice(0, limit).map(({ id }) => lookUp(id, turns, ctx)));
    const hasMore = typeof nextPageToken === "string" && nextPageToken !== "";
    return { messages: found.filter((message) => message !== null), ...(hasMore && { more: true }) };
  },
});

/** Look up a message's headers; null when it has been deleted meanwhile. */
async function lookUp(id: string, turns: Semaphore, ctx: ToolContext): Promise<object | null> {
  const release = await turns.acquire(ctx.signal);
  const answer = await attempt(() =>
    fetchMessages(ctx, `/${id}`, [
      ["format", "metadata"],
      ["metadataHeaders", "From"],
      ["metadataHeaders", "Subject"],
      ["metadataHeaders", "Date"],
      ["fields", "id,threadId,snippet,payload(headers)"],
    ]),
  );
  release();
  if (!answer.ok && statusOf(answer.error) === 404) return null;
  if (!answer.ok) throw answer.error;
  const message = parseUpstream(messageSchema(), answer.value);
  return {
    message_id: message.id,
    from: headerOf(message, "From", 100),
    subject: headerOf(message, "Subject", 160),
    date: headerOf(message, "Date", 60),
    snippet: cutText(plainText(message.snippet ?? ""), 200),
  };
}
