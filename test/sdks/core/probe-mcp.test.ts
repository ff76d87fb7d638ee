import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeEach, expect, test } from "vitest";

import { mcpTools } from "../../../src/features/added-tools/mcp/mcp-tools.ts";
import { listServer } from "../../../src/features/added-tools/mcp/list-tools.ts";
import type { Auth } from "../../../src/features/added-tools/declared/declaration.ts";
import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import { MCP_SECRET, resetMcpServer } from "../../sandbox/upstreams/probe-mcp.ts";
import { PROBE_HOST } from "../../sandbox/upstreams/probe.ts";
import { routeUpstream } from "../../sandbox/upstreams/route-upstream.ts";
import { FakeToolContext } from "../../support/fake-tool-context.ts";
import { INSTANT_PORTS } from "../../support/instant-ports.ts";

beforeEach(resetMcpServer);

const SECRETS = { SANDBOX_SECRET: MCP_SECRET };
const BEARER: Auth = { secret: "SANDBOX_SECRET", as: "bearer" };

function send(request: Request): Promise<Response> {
  return routeUpstream(request, INSTANT_PORTS)!;
}

function contextOf(tool: Pick<Tool, "hosts" | "secrets">): FakeToolContext {
  return new FakeToolContext(tool, { answer: send, secrets: SECRETS });
}

/** The stand-in's tools as an author has them, by the server's names. */
async function toolsOf(path: string, auth?: Auth): Promise<Map<string, Tool>> {
  const url = `https://${PROBE_HOST}${path}`;
  const server = { url, ...(auth && { auth }) };
  const ctx = contextOf({ hosts: [PROBE_HOST], secrets: ["SANDBOX_SECRET"] });
  const { tools } = await listServer(server, ctx);
  const made = mcpTools({ prefix: "probe", ...server, tools: tools.map(({ entry }) => entry) });
  return new Map(made.map((tool) => [tool.name.replace("probe_", ""), tool]));
}

test.each([
  ["/mcp-server", undefined],
  ["/mcp-server-2025", undefined],
  ["/mcp-server-private", BEARER],
])("%s has the tools of the sandbox's documentation", async (path, auth) => {
  const tools = await toolsOf(path, auth);
  const run = (name: string, args: object) => tools.get(name)!.run(args, contextOf(tools.get(name)!));

  expect([...tools.values()].map(({ name, isWrite, confirm }) => [name, isWrite, confirm])).toEqual([
    ["probe_find_item", false, false],
    ["probe_delete_item", true, true],
    ["probe_save_note", true, false],
    ["probe_export_rows", false, false],
    ["probe_always_fails", false, false],
    ["probe_greet", false, false],
  ]);
  expect(await run("find_item", { id: "7" })).toEqual({ id: "7", name: "Item 7" });
  expect(await run("save_note", { text: "abc" })).toBe("saved 3 characters");
  await expect(run("always_fails", {})).rejects.toMatchObject({ failure: { code: "TOOL_FAILED" } });

  expect(await run("greet", { name: "Ada" })).toBe("Hello, Ada!");
  await send(new Request(`https://${PROBE_HOST}/mcp-server/change?description=Otherwise`));
  const again = await toolsOf(path, auth);
  const greet = again.get("greet")!;
  expect(await greet.run({ name: "Ada" }, contextOf(greet))).toBe("Hello, Ada!");
  await expect(run("greet", { name: "Ada" })).rejects.toMatchObject({ failure: { code: "TOOL_CHANGED" } });
});

test("only who shows the secret gets into the private one", async () => {
  await expect(toolsOf("/mcp-server-private")).rejects.toMatchObject({
    failure: { code: "UPSTREAM_ERROR", upstreamStatus: 401 },
  });
});

test("each speaks its own generation only, as an official client finds", async () => {
  const connect = async (path: string, mode: "auto" | "legacy"): Promise<unknown> => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(new URL(`https://${PROBE_HOST}${path}`), {
      fetch: (url, init) => send(new Request(url, init)),
    });
    await client.connect(transport);
    return client.getNegotiatedProtocolVersion();
  };
  expect(await connect("/mcp-server", "auto")).toBe("2026-07-28");
  expect(await connect("/mcp-server-2025", "auto")).toBe("2025-11-25");
  await expect(connect("/mcp-server", "legacy")).rejects.toThrow();
});
