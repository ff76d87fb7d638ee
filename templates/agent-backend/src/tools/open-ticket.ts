import { defineTool } from "volley";
import * as z from "zod";

/** A write that needs a person's yes: the model is told that it waits, and answers meanwhile. */
export const openTicket = defineTool({
  name: "open_ticket",
  summary: "Open a ticket for a customer",
  description:
    "Open a ticket, which a person of the team reads. Repeating it opens none twice. Size: about 20 tokens.",
  category: "support",
  actions: ["create"],
  isWrite: true,
  execution: "sync",
  input: z.strictObject({ customer: z.string().min(1).max(64), subject: z.string().min(1).max(200) }),
  hosts: [],
  bindings: ["TICKETS"],
  idempotent: "with-key",
  orchestration: { mode: "sequential-only", confirm: "always" },
  async run(ticket, ctx) {
    const id = ctx.idempotencyKey;
    await ctx.binding<KVNamespace>("TICKETS").put(id, JSON.stringify(ticket));
    return { ticket: id, ...ticket };
  },
});
