import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

/** The services that a team has already: an API with a document, and an MCP server. */
export interface OwnServices {
  readonly origin: string;
  close(): Promise<void>;
}

const ORDERS = [
  { order_id: "o-1", item: "Cargo bike", parcel: "PX-1001" },
  { order_id: "o-2", item: "Rain cape", parcel: "PX-1002" },
  { order_id: "o-3", item: "Bell", parcel: "PX-1003" },
];
const PLACES: Readonly<Record<string, string>> = {
  "PX-1001": "Phoenix",
  "PX-1002": "Utrecht",
  "PX-1003": "Leipzig",
};

/** Start both on a port of this machine. */
export async function startOwnServices(): Promise<OwnServices> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = "GET", url = "/", headers } = incoming;
  const body = await text(incoming);
  const request = new Request(`http://${headers.host}${url}`, {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ...(body !== "" && { body }),
  });
  const response = url.startsWith("/mcp") ? await mcp.fetch(request) : await answerShop(new URL(request.url));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(await response.text());
}

async function answerShop({ pathname, searchParams }: URL): Promise<Response> {
  await sleep(80);
  const email = searchParams.get("email");
  if (pathname === "/customers") return Response.json({ customer_id: "c-7", email, name: "Ada" });
  if (/^\/customers\/[^/]+\/orders$/.test(pathname)) return Response.json({ orders: ORDERS });
  return new Response(null, { status: 404 });
}

const mcp = createMcpHandler(() => {
  const server = new McpServer({ name: "parcels", version: "1.0.0" });
  server.registerTool(
    "track",
    {
      description: "Tell where a parcel is.",
      inputSchema: z.object({ parcel: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ parcel }) => {
      await sleep(120);
      const found = { parcel, city: PLACES[parcel] ?? "unknown" };
      return { content: [{ type: "text", text: JSON.stringify(found) }], structuredContent: found };
    },
  );
  server.registerTool(
    "return_to_sender",
    {
      description: "Send a parcel back.",
      inputSchema: z.object({ parcel: z.string() }),
      annotations: { destructiveHint: true },
    },
    () => ({ content: [{ type: "text", text: "On its way back." }] }),
  );
  return server;
});
