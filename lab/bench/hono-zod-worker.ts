import { Hono } from "hono";
import * as z from "zod";

import { behindSlots } from "./header-slots.js";

// Baseline (b): (a) on the libraries Volley stands on: what routing and checking a batch cost by themselves.

const batchSchema = z.strictObject({
  actions: z
    .array(
      z.strictObject({
        tool: z.string(),
        args: z.strictObject({ n: z.int(), d: z.int().min(0).optional() }),
      }),
    )
    .min(1)
    .max(50),
});

const app = new Hono<{ Bindings: { UPSTREAM_ORIGIN: string; HEADER_SLOTS?: string } }>();

app.post("/v1/execute_actions", async (c) => {
  const batch = batchSchema.safeParse(await c.req.json());
  if (!batch.success) return c.json({ error: z.treeifyError(batch.error) }, 422);
  const send = behindSlots(c.env.HEADER_SLOTS);
  const results = await Promise.all(
    batch.data.actions.map(async ({ args }) => {
      const response = await send(`${c.env.UPSTREAM_ORIGIN}/echo?n=${args.n}&d=${args.d ?? 0}`);
      return await response.json();
    }),
  );
  return c.json({ results });
});

export default app;
