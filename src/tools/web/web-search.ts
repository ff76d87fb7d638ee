import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { cutText } from "../kit/cut-text.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { plainText } from "../kit/html-entities.ts";
import { countArgument, fanOut } from "../kit/arguments.ts";

const MAX_RESULTS = 10;
/** Longer links are trackers; cutting one would break it, so its result is left out. */
const MAX_URL_LENGTH = 400;

const answerSchema = looseSchema(() => ({
  /** Missing when nothing was found. */
  web: z.nullish(
    z.looseObject({
      results: z.array(
        z.looseObject({
          title: z.string(),
          url: z.string(),
          description: z.nullish(z.string()),
          age: z.nullish(z.string()),
        }),
      ),
    }),
  ),
}));

/**
 * Search the web with the Brave Search API.
 *
 * Source: https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
 */
export const webSearch = defineTool({
  name: "web-search",
  summary: "Search the web for pages on any topic",
  description:
    "Search the web. Gives title, url, snippet and, where known, age of each page; it does not open them. " +
    "Size: about 100 tokens per result, never over 250, at most 10 results.",
  category: "web",
  actions: ["search"],
  isWrite: false,
  input: () =>
    z.strictObject({
      query: z.string().check(
        z.trim(),
        z.minLength(1),
        z.maxLength(400),
        z.refine((query) => query.split(/\s+/).length <= 50, "at most 50 words"),
        z.describe("The words to search for, at most 50."),
      ),
      max_results: countArgument(MAX_RESULTS, 5, "How many results at most."),
    }),
  hosts: ["api.search.brave.com"],
  secrets: ["BRAVE_SEARCH_API_KEY"],
  timeoutMs: 8_000,
  typicalTokens: 500,
  // Plans allow from 1 to 50 requests a second: five at a time and a patient retry suit all but the smallest.
  orchestration: fanOut(5, 1_000),
  run: async ({ query, max_results }, ctx) => {
    const url = new URL("https://api.search.brave.com/res/v1/web/search");
    url.search = new URLSearchParams({
      q: query,
      count: String(max_results),
      result_filter: "web",
    }).toString();
    const response = await ctx.fetch(url, {
      headers: { Accept: "application/json", "X-Subscription-Token": ctx.secret("BRAVE_SEARCH_API_KEY") },
    });
    const found = parseUpstream(answerSchema(), response).web?.results ?? [];
    return {
      results: found
        .filter((result) => result.url.length <= MAX_URL_LENGTH)
        .slice(0, max_results)
        .map((result) => ({
          title: cutText(plainText(result.title), 120),
          url: result.url,
          snippet: cutText(plainText(result.description ?? ""), 300),
          ...(typeof result.age === "string" && { age: cutText(result.age, 30) }),
        })),
    };
  },
});
