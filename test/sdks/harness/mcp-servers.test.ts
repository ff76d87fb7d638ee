import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, test } from "vitest";

import { MCP_SECRET } from "../../sandbox/upstreams/probe-mcp.ts";
import { startMcpUpstream } from "../../support/mcp-upstream.ts";
import { startSandbox } from "../../support/sandbox.ts";
import { TestCaller } from "../../support/test-caller.ts";

const upstream = await startMcpUpstream();
const volley = await startSandbox({
  config: "test/mcp/mcp-tools.toml",
  vars: { PROBE_ORIGIN: upstream.url, MCP_SECRET },
});
const caller = new TestCaller(volley.url);
afterAll(async () => {
  await volley[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** Run the script that prints a server's list. */
async function list(...args: readonly string[]) {
  const env = { ...process.env, MCP_SECRET };
  return promisify(execFile)(process.execPath, ["scripts/list-mcp-server.ts", ...args], { env });
}

describe("npm run mcp:list", () => {
  test("prints what mcpTools takes", async () => {
    const { stdout, stderr } = await list(`${upstream.url}/mcp-server`);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(JSON.parse(await readFile("test/fixtures/mcp-server.json", "utf8")));
    const shown = await list(`${upstream.url}/mcp-server-private`, "--bearer", "MCP_SECRET");
    expect(shown.stdout).toBe(stdout);
  });

  test("says what is wrong without the secret", async () => {
    await expect(list(`${upstream.url}/mcp-server-private`)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^UPSTREAM_ERROR \(status 401\)/),
    });
    await expect(list("nowhere")).rejects.toMatchObject({
      code: 2,
      stderr: "'nowhere' is no address; one looks like https://mcp.example.com/mcp.\n",
    });
  });
});

describe.each(["new", "old", "private"])("tools of the %s server, in workerd", (prefix) => {
  test("run in a batch, and what they answer can be referred to", async () => {
    const { results } = await caller.execute([
      { id: "found", tool: `${prefix}_find_item`, args: { id: "7" } },
      { tool: `${prefix}_greet`, args: { name: { $ref: "found#/name" } } },
      { tool: `${prefix}_export_rows`, args: { rows: 2 } },
      { tool: `${prefix}_save_note`, args: { text: "abc" } },
      { tool: `${prefix}_delete_item`, args: { id: "7" } },
      { tool: `${prefix}_always_fails` },
      { tool: `${prefix}_find_item`, args: {} },
    ]);
    expect(results).toMatchObject([
      { status: "success", data: { id: "7", name: "Item 7" } },
      { status: "success", data: "Hello, Item 7!" },
      { status: "success", data: "exported 2 rows" },
      { status: "success", data: "saved 3 characters" },
      { status: "pending_confirmation" },
      { status: "error", error: { code: "TOOL_FAILED" } },
      { status: "error", error: { code: "INVALID_ARGS" } },
    ]);
    // The words of a server stand apart, as data.
    const upstream = { status: 200, message: "the reason is the server's own" };
    expect(results[5]).toMatchObject({ error: { upstream } });
    expect(JSON.stringify(results).split("the server's own")).toHaveLength(2);
  });

  test("tell an MCP client of ours how far they have come", async () => {
    const client = new Client(
      { name: "test", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${volley.url}/mcp?surface=flat`), {
        requestInit: { headers: { authorization: "Bearer sandbox-key" } },
      }),
    );
    const seen: unknown[] = [];
    const onprogress = (progress: unknown): void => void seen.push(progress);
    await client.callTool({ name: `${prefix}_export_rows`, arguments: { rows: 3 } }, { onprogress });
    // Progress that comes faster than a client is told is left out.
    expect(seen[0]).toMatchObject({ progress: 1, total: 3, message: "row 1" });
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === `${prefix}_delete_item`)).toMatchObject({
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    });
    await client.close();
  });
});

test("a server that ends its sessions is not noticed", async () => {
  await fetch(`${upstream.url}/mcp-server/forget`);
  const { results } = await caller.execute([{ tool: "old_save_note", args: { text: "x" } }]);
  expect(results).toMatchObject([{ status: "success", data: "saved 1 characters" }]);
});

test("T36 a tool that its server describes otherwise is not called, wherever that is noticed", async () => {
  await fetch(`${upstream.url}/mcp-server/change?description=Otherwise`);
  // An isolate that has not heard of the server yet asks it.
  await using fresh = await startSandbox({
    config: "test/mcp/mcp-tools.toml",
    vars: { PROBE_ORIGIN: upstream.url, MCP_SECRET },
  });
  const { results } = await new TestCaller(fresh.url).execute([
    { tool: "new_greet", args: { name: "Ada" } },
    { tool: "old_greet", args: { name: "Ada" } },
    { tool: "new_find_item", args: { id: "7" } },
  ]);
  expect(results).toMatchObject([
    { status: "error", error: { code: "TOOL_CHANGED", retryable: false } },
    { status: "error", error: { code: "TOOL_CHANGED", retryable: false } },
    { status: "success" },
  ]);
});
