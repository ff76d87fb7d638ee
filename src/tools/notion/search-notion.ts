import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { lazySchema, looseSchema } from "../../core/contract/lazy-schema.ts";
import { cutText } from "../kit/cut-text.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { countArgument, textArgument, fanOut } from "../kit/arguments.ts";

const textsSchema = lazySchema(() => z.array(z.looseObject({ plain_text: z.string() })));

const answerSchema = looseSchema(() => ({
  results: z.array(
    z.looseObject({
      object: z.string(),
      id: z.string(),
      url: z.nullish(z.string()),
      last_edited_time: z.nullish(z.string()),
      title: z.optional(z.unknown()),
      properties: z.nullish(
        z.record(z.string(), z.nullish(z.looseObject({ title: z.optional(z.unknown()) }))),
      ),
    }),
  ),
  has_more: z.nullish(z.boolean()),
}));

/**
 * Find pages by their titles, of those that the person shares with the app.
 *
 * Source: https://developers.notion.com/reference/post-search
 */
export const searchNotion = defineTool({
  name: "search_notion",
  summary: "Search the user's Notion pages and databases by title",
  description:
    "Find Notion pages and databases by their titles, the latest edited first, among those that the user shares: title, address and " +
    "when it was edited. Size: about 70 tokens per page, never over 2000.",
  category: "notion",
  actions: ["search", "read"],
  isWrite: false,
  input: () =>
    z.strictObject({
      query: textArgument(200, "Words of the title."),
      limit: countArgument(25, 10, "How many at most, 1 to 25."),
    }),
  hosts: ["api.notion.com"],
  connection: "notion",
  timeoutMs: 12_000,
  typicalTokens: 700,
  maxResponseBytes: 2 * 1024 * 1024,
  // It takes about three requests a second of a connection.
  orchestration: fanOut(3, 1_000),
  run: async ({ query, limit }, ctx) => {
    const response = await ctx.connection("notion").fetch("https://api.notion.com/v1/search", {
      method: "POST",
      headers: { "notion-version": "2025-09-03" },
      body: { query, page_size: limit, sort: { direction: "descending", timestamp: "last_edited_time" } },
      changesNothing: true,
    });
    const { results, has_more: hasMore } = parseUpstream(answerSchema(), response);
    const pages = results
      .slice(0, limit)
      .map(({ object, id, url, last_edited_time: edited, title, properties }) => ({
        page_id: id,
        kind: object === "page" ? "page" : "database",
        title: cutText(titleOf([title, ...Object.values(properties ?? {}).map((one) => one?.title)]), 160),
        ...(typeof edited === "string" && { edited }),
        ...(typeof url === "string" && { url }),
      }));
    return { pages, ...(hasMore === true && { more: true }) };
  },
});

/** A database has its title itself, a page in the one property that is of the type `title`. */
function titleOf(titles: readonly unknown[]): string {
  for (const one of titles) {
    const texts = textsSchema().safeParse(one);
    if (texts.success) return texts.data.map(({ plain_text: text }) => text).join("");
  }
  return "";
}
