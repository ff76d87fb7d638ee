import * as z from "zod";

import { createCatalog } from "./create-catalog.ts";
import { defineTool, type ToolDeclaration } from "../../src/core/catalog/define-tool.ts";

/** A read that anyone may call at any time. */
export const searchOrders = defineTool({
  name: "search_orders",
  summary: "Find orders by what was bought",
  description: "Find orders by what was bought; gives their ids.",
  category: "orders",
  actions: ["search"],
  isWrite: false,
  execution: "sync",
  input: z.strictObject({ query: z.string().min(1), limit: z.int().min(1).max(50).default(10) }),
  hosts: ["orders.example.com"],
  timeoutMs: 5_000,
  orchestration: { mode: "parallel-safe" },
  run: async ({ query }) => ({ query, ids: [] }),
});

/** A read whose `order_id` comes from the search. */
export const getOrder = defineTool({
  name: "get_order",
  summary: "Show one order",
  description: "Show one order with its items.",
  category: "orders",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  input: z.strictObject({ order_id: z.string() }),
  hosts: ["orders.example.com"],
  orchestration: {
    mode: "dependent",
    depends_on: [{ tool: "search_orders", required_fields: ["order_id"], from: { order_id: "/ids/0" } }],
  },
  run: async ({ order_id }) => ({ order_id }),
});

/** A write that must be alone, and is a person's to allow. */
export const deleteOrder = defineTool({
  name: "delete_order",
  summary: "Delete one order",
  description: "Delete one order for good.",
  category: "orders",
  actions: ["delete"],
  isWrite: true,
  execution: "sync",
  input: z.strictObject({ order_id: z.string() }),
  hosts: ["orders.example.com"],
  orchestration: { mode: "sequential-only" },
  run: async ({ order_id }) => ({ deleted: order_id }),
});

/** A write that goes on in the background, with nothing that must be sent. */
export const sendReceipt = defineTool({
  name: "send-receipt",
  summary: "Send a receipt by email",
  description: "Send a receipt by email, in the background.",
  category: "email",
  actions: ["send", "create"],
  isWrite: true,
  execution: "fire-and-forget",
  input: z.looseObject({ note: z.string().optional() }),
  hosts: ["mail.example.com"],
  orchestration: { mode: "fan-out-bounded", max_concurrency: 5 },
  run: async () => ({ sent: true }),
});

export const SAMPLE_TOOLS = [searchOrders, getOrder, deleteOrder, sendReceipt];

export const SAMPLE_CATALOG = createCatalog(SAMPLE_TOOLS);

/** A declaration that is right as it is, with the changes a test is about. */
export function declareTool(changes: Partial<ToolDeclaration> = {}): ToolDeclaration {
  return {
    name: "ping",
    summary: "Say whether the status page is up",
    description: "Fetch the status page and report its state.",
    category: "status",
    actions: ["read"],
    isWrite: false,
    execution: "sync",
    input: z.strictObject({ page: z.string() }),
    hosts: ["status.example.com"],
    orchestration: { mode: "parallel-safe" },
    run: async () => "up",
    ...changes,
  };
}
