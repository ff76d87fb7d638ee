import type { Access } from "./account-server.ts";

interface Issue {
  readonly number: number;
  readonly repository: string;
  readonly title: string;
  readonly body: string;
  readonly login: string;
}

/** Issues by who opened them: everybody has a private repository, which no other sees. */
const issues = new Map<string, Issue[]>();

/** Answer as GitHub's REST API for issues: https://docs.github.com/rest/search/search and https://docs.github.com/rest/issues/issues */
export async function answerGithub(request: Request, access: Access): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (!(request.headers.get("accept") ?? "").includes("json")) return refuse(415, "Unsupported Media Type");
  const own = issuesOf(access.account);
  if (request.method === "GET" && pathname === "/search/issues") return search(own, searchParams);
  const [, repository] = /^\/repos\/([^/]+\/[^/]+)\/issues$/.exec(pathname) ?? [];
  if (repository === undefined || request.method !== "POST") return refuse(404, "Not Found");
  // One that the token may not see is as if it were not there.
  if (repository !== `${access.account}/shop` || !access.scopes.includes("repo"))
    return refuse(404, "Not Found");
  const { title, body = "", ...others } = (await request.json()) as Record<string, unknown>;
  if (typeof title !== "string" || typeof body !== "string" || Object.keys(others).length > 0)
    return refuse(422, "Validation Failed");
  const issue = { number: own.length + 1, repository, title, body, login: access.account };
  own.push(issue);
  return Response.json(show(issue), { status: 201 });
}

function issuesOf(login: string): Issue[] {
  const repository = `${login}/shop`;
  const title = `The checkout of ${login} loses its basket`;
  const own = issues.get(login) ?? [{ number: 1, repository, title, body: "", login }];
  issues.set(login, own);
  return own;
}

function search(own: readonly Issue[], query: URLSearchParams): Response {
  const q = query.get("q") ?? "";
  const size = Number(query.get("per_page") ?? "30");
  if (q === "" || q.length > 256 || !(size >= 1 && size <= 100)) return refuse(422, "Validation Failed");
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => !/^(?:is|state|in|label|sort):/.test(word));
  const found = own.filter(({ title, repository }) =>
    words.every((word) =>
      word.startsWith("repo:") ? `repo:${repository}` === word : title.toLowerCase().includes(word),
    ),
  );
  const items = found.slice(0, size).map(show);
  return Response.json({ total_count: found.length, incomplete_results: false, items });
}

function show({ number, repository, title, body, login }: Issue): object {
  return {
    number,
    title,
    body,
    state: "open",
    html_url: `https://github.com/${repository}/issues/${number}`,
    repository_url: `https://api.github.com/repos/${repository}`,
    updated_at: "2026-11-02T09:00:00Z",
    user: { login, id: 1 },
  };
}

function refuse(status: number, message: string): Response {
  return Response.json({ message, documentation_url: "https://docs.github.com/rest" }, { status });
}
