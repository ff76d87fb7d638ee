import {
  createMcpHandler,
  McpServer,
  type McpHttpHandler,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import * as z from "zod";

/** The secret that `/mcp-server-private` asks for: the value of the sandbox's `SANDBOX_SECRET`. */
export const MCP_SECRET = "whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=";

/** As many sessions as a test needs; the oldest is forgotten, as a server that restarts forgets all. */
const SESSIONS = 100;

const GREETING = "Says hello to somebody.";
let greeting = GREETING;
const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
let modern: McpHttpHandler | undefined;

/** Forget every session, and what `/mcp-server/change` changed. */
export function resetMcpServer(): void {
  greeting = GREETING;
  sessions.clear();
}

/**
 * Answer as MCP servers do, which the official library makes: `/mcp-server` and, behind a bearer token, `/mcp-server-private`
 * speak revision 2026-07-28 alone, and `/mcp-server-2025` the ones before it alone, with sessions. `GET
 * /mcp-server/change?description=…` describes the tool `greet` otherwise from then on, and ends all sessions, as `GET
 * /mcp-server/forget` does alone.
 */
export async function answerMcpServer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  switch (pathname) {
    case "/mcp-server":
      return answerModern(request);
    case "/mcp-server-private":
      if (request.headers.get("authorization") === `Bearer ${MCP_SECRET}`) return answerModern(request);
      return new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
    case "/mcp-server-2025":
      return answerSession(request);
    case "/mcp-server/change":
      greeting = searchParams.get("description") ?? GREETING;
      // A changed server is deployed anew.
      sessions.clear();
      return Response.json({ description: greeting });
    case "/mcp-server/forget":
      sessions.clear();
      return Response.json({ sessions: 0 });
    default:
      return Response.json({ error: "not found" }, { status: 404 });
  }
}

function answerModern(request: Request): Promise<Response> {
  modern ??= createMcpHandler(makeServer, { legacy: "reject" });
  return modern.fetch(request);
}

async function answerSession(request: Request): Promise<Response> {
  const id = request.headers.get("mcp-session-id");
  if (id !== null) return sessions.get(id)?.handleRequest(request) ?? sessionNotFound();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized(session) {
      sessions.set(session, transport);
      const [oldest] = sessions.keys();
      if (sessions.size > SESSIONS) sessions.delete(oldest!);
    },
  });
  await makeServer().connect(transport);
  return transport.handleRequest(request);
}

function sessionNotFound(): Response {
  const error = { code: -32001, message: "Session not found" };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 404 });
}

/** A read, a deletion, a tool that says nothing of itself, one that takes its time, one that fails and one that changes. */
function makeServer(): McpServer {
  const server = new McpServer({ name: "probe", version: "1" });
  server.registerTool(
    "find_item",
    {
      title: "Find an item",
      description: "Finds an item by its id.",
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ id: z.string(), name: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ id }) => ({ content: [{ type: "text", text: id }], structuredContent: { id, name: `Item ${id}` } }),
  );
  server.registerTool(
    "delete_item",
    {
      description: "Deletes an item.",
      inputSchema: z.object({ id: z.string() }),
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    ({ id }) => ({ content: [{ type: "text", text: `deleted ${id}` }] }),
  );
  server.registerTool(
    "save_note",
    { description: "Saves a note.", inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({ content: [{ type: "text", text: `saved ${text.length} characters` }] }),
  );
  server.registerTool(
    "export_rows",
    {
      description: "Exports rows, and says how far it has come.",
      inputSchema: z.object({ rows: z.int().min(0).max(100) }),
      annotations: { readOnlyHint: true },
    },
    async ({ rows }, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      const told = progressToken === undefined ? [] : Array.from({ length: rows }, (_, at) => at + 1);
      for (const progress of told)
        await ctx.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken: progressToken!, progress, total: rows, message: `row ${progress}` },
        });
      return { content: [{ type: "text", text: `exported ${rows} rows` }] };
    },
  );
  server.registerTool(
    "always_fails",
    { description: "Fails.", inputSchema: z.object({}), annotations: { readOnlyHint: true } },
    () => ({ content: [{ type: "text", text: "the reason is the server's own" }], isError: true }),
  );
  server.registerTool(
    "greet",
    {
      description: greeting,
      inputSchema: z.object({ name: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ name }) => ({ content: [{ type: "text", text: `Hello, ${name}!` }] }),
  );
  return server;
}
