import { DOORS } from "../../test/pairs/doors.ts";
import type { Ask } from "./caller.ts";
import type { ExportPages } from "./export-pages.ts";
import type { Filled } from "./fill.ts";

export interface Read {
  readonly name: string;
  readonly ask: Ask;
  /** It is a stream that goes on until its reader leaves. */
  readonly isEndless?: boolean;
}

const STREAM = { accept: "text/event-stream" };
const WATCHED_MS = 3_000;
/** A stream of events has no end: it is left after a while. */
const ENDLESS = "GET /v1/events/stream";
/** Doors that answer with what a bucket has, which raw workerd has none of. */
const WITHOUT: readonly string[] = ["GET /v1/objects/:id"];

/** Every door that lists, exports, streams or shows something, as a reader asks it for the most that it gives. */
export function readsOf(filled: Filled, { largest }: ExportPages): readonly Read[] {
  const get = (path: string, more: Omit<Ask, "path"> = {}): Ask => ({ path, ...more });
  const post = (path: string, body: object, more: Omit<Ask, "path"> = {}): Ask => ({
    method: "POST",
    path,
    body: JSON.stringify(body),
    ...more,
  });
  const portal = { key: filled.portal };
  const rpc = (method: string, params: object): Ask =>
    post(
      "/mcp",
      { jsonrpc: "2.0", id: 1, method, params },
      {
        headers: { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
      },
    );
  const most = {
    actions: Array.from({ length: 2 }, () => ({
      tool: "probe-any",
      args: { path: "/4k" },
      for_each: Array.from({ length: 25 }, (_, n) => n),
    })),
  };
  const asked: Readonly<Record<string, Ask>> = {
    "GET /v1/jobs": get("/v1/jobs?limit=100"),
    "GET /v1/jobs/:id": get(`/v1/jobs/${filled.background}`),
    "GET /v1/jobs/:id/results": get(`/v1/jobs/${filled.background}/results`),
    "GET /v1/tools": get("/v1/tools"),
    "GET /v1/tools (openai)": get("/v1/tools?format=openai"),
    "GET /v1/tools/:id": get("/v1/tools/full-1"),
    "POST /v1/discover_tools": post("/v1/discover_tools", { limit: 50, detail: "schema" }),
    "POST /v1/get_tool_schema": post("/v1/get_tool_schema", { tool_name: "full-1" }),
    "POST /mcp (tools/list)": rpc("tools/list", {}),
    "GET /v1/models": get("/v1/models"),
    "GET /v1/confirmations": get("/v1/confirmations?limit=100"),
    "GET /v1/confirmations/:id": get(`/v1/confirmations/${filled.question}`),
    "GET /v1/confirmations/:id (with results)": get(`/v1/confirmations/${filled.answered}`),
    "GET /approvals/ (page)": get(filled.link),
    "GET /v1/remembered": get("/v1/remembered?limit=100"),
    "GET /v1/flows": get("/v1/flows"),
    "GET /v1/flows/:id": get("/v1/flows/flow-1"),
    "GET /v1/keys": get("/v1/keys?limit=100"),
    "GET /v1/sign_ins": get("/v1/sign_ins"),
    "GET /v1/runs": get("/v1/runs?limit=100"),
    "GET /v1/runs (a rare filter)": get("/v1/runs?limit=100&tag=none"),
    "GET /v1/runs/:id": get(`/v1/runs/${filled.run}`),
    "GET /v1/runs/:id (stream)": get(`/v1/runs/${filled.run}`, {
      headers: STREAM,
      leaveAfterMs: 10 * WATCHED_MS,
    }),
    "GET /v1/operator/overview": get("/v1/operator/overview", { key: "operator" }),
    "GET /v1/endpoints": get("/v1/endpoints?limit=100"),
    "GET /v1/endpoints (of large ones)": get("/v1/endpoints?limit=100&customer=c1"),
    "GET /v1/endpoints/:id": get("/v1/endpoints/large-1"),
    "GET /v1/deliveries": get("/v1/deliveries?limit=100"),
    "GET /v1/deliveries/:id": get(`/v1/deliveries/${filled.delivery}`),
    "GET /v1/events": get("/v1/events?limit=100"),
    "GET /v1/events/stream": get("/v1/events/stream", {
      headers: { ...STREAM, "last-event-id": "0" },
      leaveAfterMs: WATCHED_MS,
    }),
    "GET /v1/events/:id": get(`/v1/events/${filled.event}`),
    "GET /v1/event_types": get("/v1/event_types?limit=100"),
    "GET /v1/event_types/:id": get("/v1/event_types/type-1"),
    "GET /v1/portal": get("/v1/portal", portal),
    "GET /v1/portal/endpoints": get("/v1/portal/endpoints?limit=100", portal),
    "GET /v1/portal/deliveries": get("/v1/portal/deliveries?limit=100", portal),
    "GET /v1/portal/deliveries/:id": get(`/v1/portal/deliveries/${filled.delivery}`, portal),
    "GET /v1/portal/event_types": get("/v1/portal/event_types?limit=100", portal),
    "GET /v1/connections": get("/v1/connections?limit=100"),
    "GET /v1/connections/:id": get(`/v1/connections/${filled.connection}`),
    "GET /v1/usage": get("/v1/usage"),
    "GET /openapi.json": get("/openapi.json"),
    "GET / (front page)": get("/"),
    "POST /v1/execute_actions (200 KiB)": post("/v1/execute_actions", most),
    "POST /v1/execute_actions (stream)": post("/v1/execute_actions", most, { headers: STREAM }),
    "GET /v1/export": get("/v1/export"),
    "GET /v1/export (its largest page)": get(largest),
  };
  const names = Object.keys(asked);
  for (const door of Object.keys(DOORS))
    if (door.startsWith("GET ") && !WITHOUT.includes(door) && !names.includes(door))
      throw new Error(`Cannot read every door: '${door}' has no row`);
  return Object.entries(asked).map(([name, ask]) => ({ name, ask, isEndless: name === ENDLESS }));
}
