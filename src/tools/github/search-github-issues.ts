import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { cutText } from "../kit/cut-text.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { fetchGithub, GITHUB } from "./github-api.ts";
import { countArgument, textArgument, fanOut } from "../kit/arguments.ts";

const answerSchema = looseSchema(() => ({
  total_count: z.int(),
  items: z.array(
    z.looseObject({
      number: z.int(),
      title: z.string(),
      state: z.string(),
      html_url: z.string(),
      repository_url: z.string(),
      updated_at: z.string(),
      user: z.nullish(z.looseObject({ login: z.string() })),
    }),
  ),
}));

/**
 * Find issues and pull requests that a person's account sees.
 *
 * Source: https://docs.github.com/rest/search/search#search-issues-and-pull-requests
 */
export const searchGithubIssues = defineTool({
  ...GITHUB,
  name: "search_github_issues",
  summary: "Search GitHub issues and pull requests that the user can see",
  description:
    "Find issues and pull requests with the user's GitHub account: repository, number, title, state, author and address. The query is " +
    "GitHub's own, e.g. 'repo:acme/shop is:issue is:open label:bug checkout'. Size: about 80 tokens per issue, never over 2500.",
  actions: ["search", "read"],
  isWrite: false,
  input: () =>
    z.strictObject({
      query: textArgument(256, "Words, and GitHub's qualifiers such as 'repo:' or 'is:open'."),
      limit: countArgument(25, 10, "How many at most, 1 to 25."),
    }),
  typicalTokens: 800,
  // The body of each issue comes with it.
  maxResponseBytes: 4 * 1024 * 1024,
  orchestration: fanOut(2, 1_000),
  run: async ({ query, limit }, ctx) => {
    const search = new URLSearchParams({ q: query, per_page: String(limit) });
    const answer = parseUpstream(answerSchema(), await fetchGithub(ctx, `/search/issues?${search}`));
    const issues = answer.items.slice(0, limit).map((item) => ({
      repository: cutText(item.repository_url.split("/").slice(-2).join("/"), 140),
      number: item.number,
      title: cutText(item.title, 160),
      state: item.state,
      author: item.user?.login ?? "",
      updated: item.updated_at,
      url: item.html_url,
    }));
    return { total: answer.total_count, issues };
  },
});
