import { confirmations } from "volley/confirmations";
import { discovery } from "volley/discovery";
import { mcp } from "volley/mcp";
import { createTestVolley } from "volley/testing";
import { expect, test } from "vitest";

import batch from "../batch.json";
import { getExchangeRate } from "../src/tools/get-exchange-rate.ts";
import { inventoryTools } from "../src/tools/inventory-tools.ts";

const openGateway = () =>
  createTestVolley({
    tools: [getExchangeRate, ...inventoryTools],
    features: [discovery(), mcp(), confirmations()],
    env: { INVENTORY_TOKEN: "of the test" },
    routes: {
      "GET https://api.frankfurter.dev/v1/latest": ({ url }) => ({
        rates: { [new URL(url).searchParams.get("symbols") ?? ""]: 0.9 },
      }),
      "GET https://inventory.example.com/items": { items: [{ id: "pump-1" }] },
    },
  });

async function ask(volley: Awaited<ReturnType<typeof openGateway>>, method: string, params: object) {
  const response = await volley.fetch("/mcp?surface=flat", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return ((await response.json()) as { result: Record<string, unknown> }).result;
}

test("an MCP client is offered each tool, and calls it", async () => {
  const volley = await openGateway();
  const { tools } = await ask(volley, "tools/list", {});
  const names = (tools as { name: string }[]).map(({ name }) => name);
  for (const name of ["get_exchange_rate", "inventory_findItems", "inventory_deleteItem"])
    expect(names).toContain(name);

  const found = await ask(volley, "tools/call", { name: "inventory_findItems", arguments: { q: "pump" } });
  expect(found).toMatchObject({ structuredContent: { items: [{ id: "pump-1" }] } });
  expect(volley.requests.at(-1)?.headers["authorization"]).toBe("Bearer of the test");
});

test("several calls are one batch, and what deletes something waits for a person", async () => {
  const volley = await openGateway();
  const { results } = await volley.run({
    actions: [...batch.actions, { tool: "inventory_deleteItem", args: { id: "pump-1" } }],
  });
  expect(results.map(({ status }) => status)).toEqual(["success", "success", "pending_confirmation"]);
});
