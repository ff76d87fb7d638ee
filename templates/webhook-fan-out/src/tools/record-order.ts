import { defineTool } from "volley";
import * as z from "zod";

/** A write that may be sent twice and happens once: its key is the order's. */
export const recordOrder = defineTool({
  name: "record_order",
  summary: "Record a paid order",
  description: "Record an order that was paid. Repeating it records none twice. Size: about 20 tokens.",
  category: "orders",
  actions: ["create"],
  isWrite: true,
  execution: "sync",
  input: z.strictObject({ customer: z.string().min(1).max(64), total: z.number().positive() }),
  hosts: [],
  bindings: ["ORDERS"],
  idempotent: "with-key",
  orchestration: { mode: "parallel-safe" },
  async run(order, ctx) {
    const id = ctx.idempotencyKey;
    await ctx.binding<KVNamespace>("ORDERS").put(id, JSON.stringify(order));
    return { order: id, ...order };
  },
});
