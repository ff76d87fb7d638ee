import { REAL_PORTS, type StandInPorts } from "./stand-in.ts";

/** Where the example tools call; `.test` resolves nowhere. */
export const EXAMPLES_HOST = "examples.sandbox.test";

/** Every webhook is signed with it. Public: development and tests only. */
export const WEBHOOK_SECRET = "sandbox-webhook-secret";

const LATENCY_MS = 60;

interface RouteStats {
  requests: number;
  active: number;
  /** The most requests that were under way at once. */
  peak: number;
}

const stats = new Map<string, RouteStats>();
/** Events that hooks took, by hook and then id: an id that comes again is not another event. */
const deliveries = new Map<string, Map<string, unknown>>();
const flakyIds = new Set<string>();
const events = new Map<string, string>();

function resetEvents(): void {
  events.clear();
  events.set("abc123", "Meeting with John").set("def456", "Stand-up");
}
resetEvents();

/** Forget every call and delivery, and whatever became of the calendar. */
export function resetExamples(): void {
  stats.clear();
  deliveries.clear();
  flakyIds.clear();
  resetEvents();
}

/**
 * Answer the example tools: a calendar, vectors, and webhooks that check their signature. The hook `/hooks/down` always fails, `/hooks/flaky` fails once per event. `GET /stats` reports what
 * happened and is not counted itself.
 */
export async function answerExamples(request: Request, ports: StandInPorts = REAL_PORTS): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/stats") return Response.json(readStats());
  const [, folder = "", name = ""] = pathname.split("/");
  const route = `${request.method} /${folder}${folder === "events" && name !== "" ? "/:id" : ""}`;
  const text = await request.text();

  const seen = statsOf(route);
  seen.requests += 1;
  seen.active += 1;
  seen.peak = Math.max(seen.peak, seen.active);
  try {
    await ports.sleep(LATENCY_MS);
    switch (route) {
      case "GET /events":
        return Response.json({ events: [...events].map(([event_id, title]) => ({ event_id, title })) });
      case "DELETE /events/:id":
        return deleteEvent(decodeURIComponent(name));
      case "GET /vectors":
        return searchVectors(searchParams);
      case "POST /hooks":
        return await receiveEvent(name, request.headers, text);
      default:
        return refuse(404);
    }
  } finally {
    seen.active -= 1;
  }
}

function deleteEvent(event_id: string): Response {
  const title = events.get(event_id);
  if (title === undefined) return refuse(404);
  events.delete(event_id);
  return Response.json({ event_id, title });
}

function searchVectors(query: URLSearchParams): Response {
  const q = query.get("q") ?? "";
  return Response.json({ matches: [1, 2, 3].map((n) => ({ id: `${q}/${n}`, score: 1 - n / 10 })) });
}

/** Take an event as https://www.standardwebhooks.com says: the signature covers its id, its time and its body. */
async function receiveEvent(hook: string, headers: Headers, body: string): Promise<Response> {
  const id = headers.get("webhook-id") ?? "";
  const expected = await signWebhook(WEBHOOK_SECRET, id, headers.get("webhook-timestamp") ?? "", body);
  if (headers.get("webhook-signature") !== expected) return refuse(401);
  if (hook === "down") return refuse(503);
  if (hook === "flaky" && !flakyIds.has(id)) {
    flakyIds.add(id);
    return refuse(503);
  }
  const taken = deliveries.get(hook) ?? new Map<string, unknown>();
  deliveries.set(hook, taken.set(id, JSON.parse(body)));
  return Response.json({ received: true });
}

/** Sign an event: HMAC-SHA256 over `id.timestamp.body`, in base64, with its version in front. */
export async function signWebhook(
  secret: string,
  id: string,
  timestamp: string,
  body: string,
): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const digest = await crypto.subtle.sign("HMAC", key, encoder.encode(`${id}.${timestamp}.${body}`));
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}

function statsOf(route: string): RouteStats {
  let seen = stats.get(route);
  if (seen === undefined) stats.set(route, (seen = { requests: 0, active: 0, peak: 0 }));
  return seen;
}

function readStats(): object {
  return {
    routes: Object.fromEntries(
      Array.from(stats, ([route, { requests, peak }]) => [route, { requests, peak }]),
    ),
    deliveries: Object.fromEntries(Array.from(deliveries, ([hook, events]) => [hook, [...events.values()]])),
  };
}

function refuse(status: number): Response {
  return Response.json({ error: "as documented" }, { status });
}
