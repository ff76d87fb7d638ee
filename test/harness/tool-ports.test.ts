import { expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const { volley } = await setUpSandbox({ VOLLEY_TOOL_PORTS: "443,9443" });
const admin = new TestCaller(volley.url, "sandbox-admin-key");

async function put(port: number): Promise<{ readonly status: number; readonly text: string }> {
  const declaration = {
    summary: "Find an item",
    description: "An item by its id.",
    category: "items",
    actions: ["search"],
    is_write: false,
    input_schema: { type: "object", properties: {} },
    http: { method: "GET", url: `https://api.example.com:${port}/items` },
  };
  return admin.send({ method: "PUT", path: `/v1/tools/find_at_${port}`, body: JSON.stringify(declaration) });
}

test("a tool of a tenant calls the ports that the operator lists, and no other", async () => {
  expect((await put(9443)).status).toBe(201);
  for (const port of [8443, 6379]) {
    const refused = await put(port);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("Declared tools may call port 443 or 9443");
  }
});

test("an MCP server on another port is not asked for its tools", async () => {
  const body = JSON.stringify({ prefix: "odd", mcp: { url: "https://mcp.example.com:6379/mcp" } });
  const { status, text } = await admin.send({ path: "/v1/tools/import", body });
  expect([status, text]).toEqual([422, expect.stringContaining("VOLLEY_TOOL_PORTS")]);
});
