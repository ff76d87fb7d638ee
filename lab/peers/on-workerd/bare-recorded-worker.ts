import { DurableObject } from "cloudflare:workers";

import type { Batch } from "./echo.ts";

// The least that makes calls after the answer and knows of each: a row for every call before it is promised, updated when it has
// ended. A lost call is not made again.

export class Gate extends DurableObject {
  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as Cloudflare.Env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS work (id TEXT PRIMARY KEY, state TEXT) WITHOUT ROWID");
  }

  record(ids: readonly string[]): void {
    for (const id of ids) this.ctx.storage.sql.exec("INSERT INTO work VALUES (?, 'running')", id);
  }

  settle(id: string): void {
    this.ctx.storage.sql.exec("UPDATE work SET state = 'done' WHERE id = ?", id);
  }
}

interface Env {
  readonly GATE: DurableObjectNamespace<Gate>;
  readonly UPSTREAM_ORIGIN: string;
}

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { actions } = await request.json<Batch>();
    const gate = env.GATE.getByName("tenant");
    const ids = actions.map(() => crypto.randomUUID());
    await gate.record(ids);
    const call = async (id: string, args: Batch["actions"][number]["args"]): Promise<void> => {
      const response = await fetch(`${env.UPSTREAM_ORIGIN}/background`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": id },
        body: JSON.stringify(args),
      });
      await response.json();
      await gate.settle(id);
    };
    ctx.waitUntil(Promise.all(actions.map(({ args }, i) => call(ids[i]!, args))));
    return Response.json({ results: actions.map(({ args }, i) => ({ n: args.n, job_id: ids[i] })) });
  },
};
