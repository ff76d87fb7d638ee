import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { cutText } from "../kit/cut-text.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { countArgument, fanOut } from "../kit/arguments.ts";

const answerSchema = looseSchema(() => ({
  value: z.array(
    z.looseObject({
      id: z.string(),
      subject: z.nullish(z.string()),
      bodyPreview: z.nullish(z.string()),
      receivedDateTime: z.nullish(z.string()),
      from: z.nullish(
        z.looseObject({
          emailAddress: z.looseObject({ name: z.nullish(z.string()), address: z.nullish(z.string()) }),
        }),
      ),
    }),
  ),
  "@odata.nextLink": z.nullish(z.string()),
}));

/**
 * Find messages of the person's own Outlook mailbox.
 *
 * Source: https://learn.microsoft.com/graph/api/user-list-messages and https://learn.microsoft.com/graph/search-query-parameter
 */
export const searchOutlook = defineTool({
  name: "search_outlook",
  summary: "Search the user's Outlook messages",
  description:
    "Find messages of the user's Outlook mailbox: sender, subject, time and the beginning of the text. The query is Outlook's own, e.g. " +
    "'from:ann@example.com subject:invoice'. Size: about 120 tokens per message, never over 4000.",
  category: "outlook",
  actions: ["search", "read"],
  isWrite: false,
  input: () =>
    z.strictObject({
      query: z
        .string()
        .check(
          z.trim(),
          z.minLength(1),
          z.maxLength(500),
          z.regex(/^[^"\\]*$/, "without double quotes and backslashes"),
          z.describe("Words, and Outlook's properties such as 'from:' or 'subject:'."),
        ),
      limit: countArgument(25, 10, "How many at most, 1 to 25."),
    }),
  hosts: ["graph.microsoft.com"],
  connection: { microsoft: ["Mail.Read"] },
  timeoutMs: 15_000,
  typicalTokens: 1_200,
  maxResponseBytes: 256 * 1024,
  // A mailbox takes four requests at once.
  orchestration: fanOut(4, 500),
  run: async ({ query, limit }, ctx) => {
    const search = new URLSearchParams({
      $search: `"${query}"`,
      $top: String(limit),
      $select: "id,subject,from,receivedDateTime,bodyPreview",
    });
    // OData has no `+` for a blank.
    const url = `https://graph.microsoft.com/v1.0/me/messages?${search.toString().replaceAll("+", "%20")}`;
    const answer = parseUpstream(answerSchema(), await ctx.connection("microsoft").fetch(url));
    const messages = answer.value.slice(0, limit).map((message) => ({
      message_id: message.id,
      from: cutText(sayAddress(message.from?.emailAddress), 100),
      subject: cutText(message.subject ?? "", 160),
      date: message.receivedDateTime ?? "",
      snippet: cutText(message.bodyPreview ?? "", 200),
    }));
    return { messages, ...(typeof answer["@odata.nextLink"] === "string" && { more: true }) };
  },
});

function sayAddress(
  from: { readonly name?: string | null | undefined; readonly address?: string | null | undefined } = {},
): string {
  const { name, address } = from;
  return name === null || name === undefined || name === "" ? (address ?? "") : `${name} <${address ?? ""}>`;
}
