import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { fetchGithub, GITHUB } from "./github-api.ts";
import { textArgument } from "../kit/arguments.ts";

const answerSchema = looseSchema(() => ({ number: z.int(), html_url: z.string() }));

/**
 * Open an issue. GitHub takes no key for it, so it is sent once, and one whose answer is lost is `unknown`; and it asks that what
 * makes something is sent one after another.
 *
 * Source: https://docs.github.com/rest/issues/issues#create-an-issue
 */
export const createGithubIssue = defineTool({
  ...GITHUB,
  name: "create_github_issue",
  summary: "Open a GitHub issue as the user",
  description:
    "Open an issue in a GitHub repository with the user's account; people who watch it are told. It is sent once: a result of status " +
    "`unknown` may have made it, so look with search_github_issues before sending it again. Size: about 50 tokens.",
  actions: ["create", "write"],
  isWrite: true,
  input: () =>
    z.strictObject({
      repository: z
        .string()
        .check(
          z.trim(),
          z.maxLength(140),
          z.regex(/^[A-Za-z0-9][A-Za-z0-9-]*\/(?!\.{1,2}$)[\w.-]+$/, "owner/name"),
          z.describe("Repository as 'owner/name'."),
        ),
      title: textArgument(256, "Title of the issue."),
      body: z.optional(z.string().check(z.maxLength(60_000))).check(z.describe("Its text, in Markdown.")),
    }),
  typicalTokens: 50,
  maxResponseBytes: 256 * 1024,
  idempotent: false,
  orchestration: { mode: "sequential-only" },
  run: async ({ repository, title, body }, ctx) => {
    const issue = { title, ...(body !== undefined && body !== "" && { body }) };
    const response = await fetchGithub(ctx, `/repos/${repository}/issues`, { method: "POST", body: issue });
    const { number, html_url: url } = parseUpstream(answerSchema(), response);
    return { success: true, number, url };
  },
});
