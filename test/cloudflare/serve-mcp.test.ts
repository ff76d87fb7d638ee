import { afterEach, expect, test, vi } from "vitest";

import { createCatalog } from "../support/create-catalog.ts";
import { serveMcp } from "../../src/features/mcp/http/serve-mcp.ts";
import type { RequestContext } from "../../src/cloudflare/http/request-context.ts";

afterEach(() => vi.restoreAllMocks());

test("a bug of ours is told to the operator, and to the client by the request's id alone", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "execute_actions", arguments: { actions: [{ tool: "nothing" }] } },
  };
  const request = new Request("https://volley.example.com/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify(body),
  });
  const context = {
    requestId: "request-1",
    catalog: createCatalog([]),
    get ports(): never {
      throw new Error("a table's name");
    },
  } as unknown as RequestContext;

  const response = await serveMcp(request, context, {
    surface: "meta",
    body,
    bodyBytes: 0,
    keyed: () => ({}),
    headers: {},
    parts: {},
  });
  const text = await response.text();
  expect(text).toContain('"code":-32603');
  expect(text).toContain('"request_id":"request-1"');
  expect(text).not.toContain("table");
  expect(log.mock.calls.map(([line]) => JSON.parse(line as string) as unknown)).toEqual([
    { level: "error", event: "bug", request_id: "request-1", path: "/mcp", error: "Error: a table's name" },
  ]);
});
