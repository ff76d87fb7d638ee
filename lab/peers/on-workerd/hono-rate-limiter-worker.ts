import { DurableObjectRateLimiter, DurableObjectStore } from "@hono-rate-limiter/cloudflare";
import { Hono } from "hono";
import { rateLimiter } from "hono-rate-limiter";

import honoZod from "../../bench/hono-zod-worker.ts";

// Hono and Zod behind hono-rate-limiter, with its store in a Durable Object as its page sets it up: one count a caller.

interface Env {
  readonly Bindings: { readonly CACHE: DurableObjectNamespace<DurableObjectRateLimiter> };
}

const app = new Hono<Env>();

app.use((c, next) =>
  rateLimiter<Env>({
    windowMs: 15 * 60 * 1_000,
    limit: 1_000_000_000,
    standardHeaders: "draft-6",
    keyGenerator: (c) => c.req.header("authorization") ?? "",
    store: new DurableObjectStore({ namespace: c.env.CACHE }),
  })(c, next),
);

app.route("/", honoZod);

export { DurableObjectRateLimiter };
export default app;
