import { Seeded } from "./seeded.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 180;

/** Whose pages are found; `answerPages` has them. */
export const SITES = [
  { host: "forums.example", name: "Owners' Forum", path: "threads" },
  { host: "www.reviews.example", name: "Reviews", path: "guides" },
  { host: "encyclopedia.example", name: "Encyclopedia", path: "wiki" },
  { host: "news.example", name: "Daily News", path: "articles" },
  { host: "www.answers.example", name: "Answers", path: "q" },
  { host: "blog.example", name: "The Blog", path: "posts" },
];
const ANGLES = [
  "what to know first",
  "a complete guide",
  "problems people report and how they fixed them",
  "costs, compared",
  "frequently asked questions",
  "the long-term view",
];
const AGES = ["2 days ago", "3 weeks ago", "March 14, 2026", "November 2, 2025", "July 21, 2024"];

/** Answer as web search: https://api-dashboard.search.brave.com/app/documentation/web-search/get-started */
export async function answerBraveSearch(request: Request, ports: StandInPorts): Promise<Response> {
  await ports.sleep(LATENCY_MS);
  const { pathname, searchParams } = new URL(request.url);
  if (pathname !== "/res/v1/web/search") return refuse(404, "NOT_FOUND", "Not Found");
  if (request.method !== "GET") return refuse(405, "METHOD_NOT_ALLOWED", "Method Not Allowed");

  // Brave answers 422 for a missing or wrong token, never 401.
  const token = request.headers.get("X-Subscription-Token") ?? "";
  if (token === "") return refuseField(["header", "x-subscription-token"], "Field required");
  if (token.startsWith("invalid"))
    return refuse(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.");

  const query = (searchParams.get("q") ?? "").trim();
  if (query === "") return refuseField(["query", "q"], "Field required");
  if (query.length > 400) return refuseField(["query", "q"], "String should have at most 400 characters");
  if (query.split(/\s+/).length > 50) return refuseField(["query", "q"], "Should have at most 50 words");
  const count = Number(searchParams.get("count") ?? "20");
  if (!Number.isInteger(count) || count < 1 || count > 20)
    return refuseField(["query", "count"], "Input should be from 1 to 20");

  const results = findPages(query, count);
  return Response.json({
    type: "search",
    query: { original: query, more_results_available: results.length > 0, is_navigational: false },
    ...(results.length > 0 && { web: { type: "search", results, family_friendly: true } }),
  });
}

/** Make pages up from the query, highlighted as Brave does it; a query for `nowhere` finds nothing. */
function findPages(query: string, count: number): readonly object[] {
  if (/\bnowhere\b/i.test(query)) return [];
  const seeded = new Seeded(query.toLowerCase());
  const slug = query
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 80);
  return Array.from({ length: count }, (_, index) => {
    const site = SITES[index % SITES.length]!;
    const angle = ANGLES[(seeded.int(0, 5) + index) % ANGLES.length]!;
    const id = seeded.text(6, "0123456789abcdef");
    return {
      title: `${escapeHtml(query)}: ${angle} | ${escapeHtml(site.name)}`,
      url: `https://${site.host}/${site.path}/${encodeURIComponent(slug)}-${id}`,
      is_source_local: false,
      is_source_both: false,
      description: `Here&#x27;s what we found on <strong>${escapeHtml(query)}</strong>: ${angle}, from ${seeded.int(12, 900)} readers &amp; our own tests.`,
      ...(seeded.next() < 0.7 && { age: seeded.pick(AGES), page_age: "2026-03-14T09:00:00" }),
      language: "en",
      family_friendly: true,
      type: "search_result",
      subtype: "generic",
      profile: { name: site.name, long_name: site.host, url: `https://${site.host}/` },
    };
  });
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#x27;");
}

function refuseField(loc: readonly string[], msg: string): Response {
  return refuse(422, "VALIDATION", "Unable to validate request parameter(s)", {
    errors: [{ type: "value_error", loc, msg }],
  });
}

function refuse(status: number, code: string, detail: string, meta: object = {}): Response {
  const id = "00000000-0000-4000-8000-000000000000";
  return Response.json({ type: "ErrorResponse", error: { id, status, code, detail, meta } }, { status });
}
