import { answerProbeAccounts } from "./account-providers.ts";
import { REAL_PORTS, type StandInPorts } from "./stand-in.ts";

/** Where the probe tools call unless they are pointed elsewhere; `.test` resolves nowhere. */
export const PROBE_HOST = "probe.sandbox.test";

interface PathStats {
  /** Requests received. */
  requests: number;
  /** Things done: like `requests`, but a repeated idempotency key counts once. */
  calls: number;
  /** The most requests that were under way at once. */
  peak: number;
  active: number;
}

/** The calls that one upstream remembers. */
export class ProbeMemory {
  readonly stats = new Map<string, PathStats>();
  readonly keyedAnswers = new Map<string, { readonly body: string; readonly status: number }>();
  /** The numbers that `POST /verified` was given and `GET /found` finds. */
  readonly written = new Set<number>();
  /** The bookings by their ids, and whether they were taken back. */
  readonly bookings = new Map<string, { readonly n: unknown; live: boolean }>();
  readonly flakyFailures = new Map<string, number>();
}

/** The one of the sandbox. */
let ownMemory = new ProbeMemory();

/** Forget every call, key and failure. */
export function resetProbe(): void {
  ownMemory = new ProbeMemory();
}

/**
 * Answer the probe tools. Every path takes `d` (a delay in milliseconds) and `status` (the status to answer with), from
 * the query or the JSON body. Below `/mcp-server` are MCP servers (`probe-mcp`). `GET /stats` reports calls and peak concurrency by path and is not counted itself.
 */
export async function answerProbe(
  request: Request,
  ports: StandInPorts = REAL_PORTS,
  memory: ProbeMemory = ownMemory,
): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/stats") return Response.json(readStats(memory));
  if (pathname.startsWith("/mcp-server")) {
    statsOf(memory, pathname).requests += 1;
    // The library is large, and few need it.
    return (await import("./probe-mcp.ts")).answerMcpServer(request);
  }

  const account = await answerProbeAccounts(request, ports);
  if (account !== null) return account;
  const body = request.method === "POST" ? await readObject(request) : {};
  const path = statsOf(memory, pathname);
  path.requests += 1;
  path.active += 1;
  path.peak = Math.max(path.peak, path.active);
  const writes = pathname === "/verified" && body["status"] === undefined;
  if (writes && body["late"] !== true) memory.written.add(Number(body["n"]));
  try {
    await ports.sleep(Number(searchParams.get("d") ?? body["d"] ?? 0));
    if (writes) memory.written.add(Number(body["n"]));
    return answer({
      route: `${request.method} ${pathname.startsWith("/tool/") ? "/tool" : pathname}`,
      pathname,
      query: searchParams,
      body,
      idempotencyKey: request.headers.get("Idempotency-Key"),
      authorization: request.headers.get("Authorization"),
      path,
      memory,
    });
  } finally {
    path.active -= 1;
  }
}

interface Call {
  readonly route: string;
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  readonly authorization: string | null;
  readonly path: PathStats;
  readonly memory: ProbeMemory;
}

/** Where the same idempotency key acts once. */
const KEYED_ROUTES: ReadonlySet<string> = new Set([
  "POST /background",
  "POST /global-background",
  "POST /keyed",
  "POST /book",
  "POST /unbook",
]);

function answer(call: Call): Response {
  const { route, pathname: path, query, body, memory } = call;
  if (KEYED_ROUTES.has(route)) return answerKeyed(call);
  call.path.calls += 1;

  const status = Number(query.get("status") ?? body["status"] ?? 200);
  if (status !== 200) return reply({ path, error: "as asked" }, status);
  switch (route) {
    case "GET /echo":
    case "GET /limited":
    case "GET /serial":
    case "GET /read":
    case "GET /cached":
    case "GET /quota":
    case "GET /global":
    case "GET /global-rate":
      return Response.json({ path, n: Number(query.get("n") ?? 0) });
    case "GET /secret":
      return Response.json({ path, n: Number(query.get("n") ?? 0), authorization: call.authorization });
    case "GET /found":
      return memory.written.has(Number(query.get("n")))
        ? Response.json({ path, n: Number(query.get("n")) })
        : reply({ path, error: "not found" }, 404);
    case "POST /verified":
    case "POST /write":
    case "POST /cached-write":
      return Response.json({ path, n: body["n"] ?? null });
    case "GET /bookings":
      return Response.json({
        bookings: Array.from(memory.bookings, ([id, booking]) => ({ id, ...booking })),
      });
    case "POST /hook":
      return new Response(null, { status: 204 });
    case "GET /search":
      return Response.json({ items: findItems(query.get("q") ?? "") });
    case "GET /item":
      return Response.json({ path, id: query.get("id"), name: `Item ${query.get("id")}` });
    case "DELETE /item":
      return Response.json({ path, id: query.get("id"), deleted: true });
    case "GET /flaky":
      return answerFlaky(call);
    case "POST /tool":
      return Response.json({ path, input: body });
    default:
      return reply({ path, error: "not found" }, 404);
  }
}

/** The first answer to a key is the answer to that key; a refusal is not remembered, so a retry may succeed. */
function answerKeyed({ pathname, body, idempotencyKey, path, memory }: Call): Response {
  const known = idempotencyKey === null ? undefined : memory.keyedAnswers.get(idempotencyKey);
  if (known !== undefined) return reply(JSON.parse(known.body), known.status);
  path.calls += 1;
  const { status = 200, ...made } = act(memory, pathname, body);
  if (idempotencyKey !== null && status < 300)
    memory.keyedAnswers.set(idempotencyKey, { body: JSON.stringify(made), status });
  return reply(made, status);
}

/** Do what a keyed request asks, and give the answer with its status. */
function act(
  { bookings }: ProbeMemory,
  path: string,
  body: Call["body"],
): { readonly status?: number; readonly [field: string]: unknown } {
  if (path === "/book") {
    const id = `booking-${bookings.size + 1}`;
    bookings.set(id, { n: body["n"] ?? null, live: true });
    return { id };
  }
  if (path === "/unbook") {
    const id = String(body["id"]);
    const booking = bookings.get(id);
    if (booking?.live !== true) return { path, error: "not found", status: 404 };
    booking.live = false;
    return { id };
  }
  const status = Number(body["status"] ?? 200);
  return status < 300 ? { path, n: body["n"] ?? null, status } : { path, error: "as asked", status };
}

function answerFlaky({ query, memory: { flakyFailures } }: Call): Response {
  const key = query.get("key") ?? "";
  const failed = flakyFailures.get(key) ?? 0;
  if (failed < Number(query.get("fail") ?? 0)) {
    flakyFailures.set(key, failed + 1);
    return reply({ path: "/flaky", key, error: "not yet" }, 503);
  }
  return Response.json({ path: "/flaky", key, failed });
}

function findItems(q: string): readonly object[] {
  return [1, 2, 3].map((number) => ({ id: `${q}-${number}`, name: `${q} ${number}` }));
}

function reply(body: unknown, status: number): Response {
  const hasNoBody = status === 204 || status === 205 || status === 304;
  return hasNoBody ? new Response(null, { status }) : Response.json(body, { status });
}

function statsOf({ stats }: ProbeMemory, pathname: string): PathStats {
  let path = stats.get(pathname);
  if (path === undefined) stats.set(pathname, (path = { requests: 0, calls: 0, peak: 0, active: 0 }));
  return path;
}

function readStats({ stats }: ProbeMemory): object {
  return Object.fromEntries(
    Array.from(stats, ([path, { requests, calls, peak }]) => [path, { requests, calls, peak }]),
  );
}

async function readObject(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = await request.json().catch(() => null);
  return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
}
