import type { ToolContext, UpstreamRequest, UpstreamResponse } from "../../core/catalog/define-tool.ts";

/** The declaration that the tools of GitHub share. The scope `repo` is the only one that lets an app write issues of private repositories. */
export const GITHUB = {
  category: "github",
  hosts: ["api.github.com"],
  connection: { github: ["repo"] },
  timeoutMs: 12_000,
} as const;

/** Send a request to GitHub's REST API as the subject of the call. */
export function fetchGithub(
  ctx: ToolContext,
  path: string,
  request: UpstreamRequest = {},
): Promise<UpstreamResponse> {
  const headers = {
    accept: "application/vnd.github+json",
    "user-agent": "volley",
    "x-github-api-version": "2022-11-28",
  };
  return ctx.connection("github").fetch(`https://api.github.com${path}`, { ...request, headers });
}
