import { REAL_PORTS, type StandInPorts } from "./stand-in.ts";

/** Where the example tools call; `.test` resolves nowhere. */
export const EXAMPLES_HOST = "examples.sandbox.test";

/** Every webhook is signed with it. Public: development and tests only. */
export const WEBHOOK_SECRET = "sandbox-webhook-secret";

const LATENCY_MS = 60;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

interface RouteStats {
  requests: number;
  active: number;
  /** The most requests that were under way at once. */
  peak: number;
}

const stats = new Map<string, RouteStats>();
const contacts: object[] = [];
/** Events that hooks took, by hook and then id: an id that comes again is not another event. */
const deliveries = new Map<string, Map<string, unknown>>();
const flakyIds = new Set<string>();

/** Forget every call, contact and delivery. */
export function resetExamples(): void {
  stats.clear();
  contacts.length = 0;
  deliveries.clear();
  flakyIds.clear();
}

/**
 * Answer the example tools: documents, vectors, a reranker, contacts that are created all or none, and webhooks that check
 * their signature. The hook `/hooks/down` always fails, `/hooks/flaky` fails once per event. `GET /stats` reports what
 * happened and is not counted itself.
 */
export async function answerExamples(request: Request, ports: StandInPorts = REAL_PORTS): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/stats") return Response.json(readStats());
  const [, folder = "", name = ""] = pathname.split("/");
  const route = `${request.method} /${folder}${folder === "documents" && name !== "" ? "/:id" : ""}`;
  const text = await request.text();

  const seen = statsOf(route);
  seen.requests += 1;
  seen.active += 1;
  seen.peak = Math.max(seen.peak, seen.active);
  try {
    await ports.sleep(LATENCY_MS);
    switch (route) {
      case "GET /documents":
        return searchDocuments(searchParams);
      case "GET /documents/:id":
        return fetchDocument(decodeURIComponent(name));
      case "GET /vectors":
        return searchVectors(searchParams);
      case "POST /rerank":
        return rerank(parseObject(text));
      case "POST /contacts":
        return createContacts(parseObject(text));
      case "POST /hooks":
        return await receiveEvent(name, request.headers, text);
      default:
        return refuse(404);
    }
  } finally {
    seen.active -= 1;
  }
}

function searchDocuments(query: URLSearchParams): Response {
  const q = query.get("q") ?? "";
  const documents = Array.from({ length: Number(query.get("limit") ?? 3) }, (_, index) => ({
    document_id: `${q}-${index + 1}`,
    title: `About ${q}, part ${index + 1}`,
  }));
  return Response.json({ documents });
}

function fetchDocument(id: string): Response {
  if (!/-\d+$/.test(id)) return refuse(404);
  return Response.json({ document_id: id, text: `All there is to say about ${id}.` });
}

function searchVectors(query: URLSearchParams): Response {
  const q = query.get("q") ?? "";
  return Response.json({ matches: [1, 2, 3].map((n) => ({ id: `${q}/${n}`, score: 1 - n / 10 })) });
}

function rerank({ ids }: Readonly<Record<string, unknown>>): Response {
  return Array.isArray(ids) ? Response.json({ ids: ids.toReversed() }) : refuse(400);
}

/** One transaction: every row or none. */
function createContacts({ contacts: rows }: Readonly<Record<string, unknown>>): Response {
  if (!Array.isArray(rows)) return refuse(400);
  const isGood = (row: { readonly email?: unknown }): boolean => EMAIL.test(String(row.email));
  if (!rows.every(isGood)) return refuse(422);
  const created = rows.map((row: object, index) => ({
    contact_id: `c-${contacts.length + index + 1}`,
    ...row,
  }));
  contacts.push(...created);
  return Response.json({ contacts: created }, { status: 201 });
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
    contacts,
    deliveries: Object.fromEntries(Array.from(deliveries, ([hook, events]) => [hook, [...events.values()]])),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const body: unknown = JSON.parse(text);
  return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
}

function refuse(status: number): Response {
  return Response.json({ error: "as documented" }, { status });
}
