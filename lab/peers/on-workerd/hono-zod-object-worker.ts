import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";

import honoZod from "../../bench/hono-zod-worker.ts";

// Hono and Zod behind one call of one Durable Object, which writes a row first where WRITES says so: what counting or
// recording costs anybody who asks an object before each batch.

export class Gate extends DurableObject {
  #admitted = 0;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as Cloudflare.Env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS batches (id TEXT PRIMARY KEY) WITHOUT ROWID");
  }

  admit(): number {
    this.#admitted += 1;
    return this.#admitted;
  }

  record(id: string): void {
    this.ctx.storage.sql.exec("INSERT INTO batches VALUES (?)", id);
  }
}

interface Env {
  readonly Bindings: { readonly GATE: DurableObjectNamespace<Gate>; readonly WRITES: string };
}

const app = new Hono<Env>();

app.use(async (c, next) => {
  const gate = c.env.GATE.getByName("tenant");
  await (c.env.WRITES === "row" ? gate.record(crypto.randomUUID()) : gate.admit());
  await next();
});

app.route("/", honoZod);

export default app;
