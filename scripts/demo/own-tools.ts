import { readFile } from "node:fs/promises";

import { drawPlan } from "./draw-plan.ts";
import { heading, show, summarise } from "./print.ts";
import type { ImportedTool, VolleyClient } from "./volley-client.ts";
import { paint } from "./waterfall.ts";

/** Import a document and an MCP server while everything runs, and call both in one batch. */
export async function showOwnTools(client: VolleyClient, origin: string): Promise<void> {
  heading("1. An API that you have: its OpenAPI document");
  const openapi = await readFile(new URL("shop.yaml", import.meta.url), "utf8");
  list(await client.importTools({ prefix: "shop", openapi, base_url: origin }));

  heading("2. An MCP server that you have: its address");
  list(await client.importTools({ prefix: "parcel", mcp: { url: `${origin}/mcp` } }));

  heading("3. Both in one batch, beside the tools that ship, with references between them");
  const actions = [
    { id: "customer", tool: "shop_findCustomer", args: { email: "ada@example.com" } },
    { id: "orders", tool: "shop_listOrders", args: { customer_id: { $ref: "customer#/customer_id" } } },
    {
      id: "parcels",
      tool: "parcel_track",
      for_each: { $ref: "orders#/orders" },
      args: { parcel: { $ref: "item#/parcel" } },
    },
    { id: "weather", tool: "get_weather", args: { city: { $ref: "parcels#/0/data/city" } } },
    { id: "news", tool: "web-search", args: { query: "cargo bikes", max_results: 2 } },
  ];
  const { plan } = await client.plan(actions);
  for (const line of drawPlan(actions, plan)) console.log(`  ${line}`);
  console.log();
  const envelope = await show(client, actions, { nameOf: ({ id }) => id });
  summarise(envelope);
  const { duration_ms: took, sequential_ms: sequential } = envelope.stats;
  console.log(
    `  ${sequential} ms of calls in ${took} ms, and ${paint("bold", "one model round instead of four")}.`,
  );
}

function list({ tools, skipped }: { tools: readonly ImportedTool[]; skipped: readonly unknown[] }): void {
  for (const { name, summary, is_write, actions } of tools) {
    const kind = is_write ? (actions.includes("delete") ? "write, asks a person" : "write") : "read";
    console.log(`  ${paint("green", name.padEnd(24))} ${kind.padEnd(21)} ${summary}`);
  }
  for (const operation of skipped) console.log(`  skipped ${JSON.stringify(operation)}`);
}
