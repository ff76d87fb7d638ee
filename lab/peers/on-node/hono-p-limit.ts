import { serve } from "@hono/node-server";
import { Hono } from "hono";
import pLimit from "p-limit";

import { type Batch, fetchEcho, tellPort } from "./echo.ts";

// Hono on Node with p-limit: of each batch at most ten calls at once, so none of the largest that is sent here waits.

const app = new Hono();

app.post("/v1/execute_actions", async (c) => {
  const { actions } = await c.req.json<Batch>();
  const limit = pLimit(10);
  return c.json({ results: await limit.map(actions, ({ args }) => fetchEcho(args.n)) });
});

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, tellPort);
