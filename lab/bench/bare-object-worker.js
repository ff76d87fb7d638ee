import { DurableObject } from "cloudflare:workers";

import { behindSlots } from "./header-slots.js";

// Baselines (c) to (e): (a) behind one call of one Durable Object. WRITES says what the object writes before the fetches
// begin: nothing, or one row. No system that asks an object before every batch can be faster. With WRITES=job the last
// call is instead a background one: its row is written before the answer, and updated when it has ended.

export class Gate extends DurableObject {
  #admitted = 0;

  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS work (id TEXT PRIMARY KEY, state TEXT) WITHOUT ROWID");
  }

  admit(request) {
    this.#admitted += request.cost;
    return { allowed: true, admitted: this.#admitted };
  }

  record(id) {
    this.ctx.storage.sql.exec("INSERT INTO work VALUES (?, 'running')", id);
  }

  settle(id) {
    this.ctx.storage.sql.exec("UPDATE work SET state = 'done' WHERE id = ?", id);
  }
}

export default {
  async fetch(request, env, ctx) {
    const { actions } = await request.json();
    const gate = env.GATE.getByName("tenant");
    const id = crypto.randomUUID();
    if (env.WRITES === "nothing") await gate.admit({ cost: 1 });
    else await gate.record(id);
    const send = behindSlots(env.HEADER_SLOTS);
    const call = async ({ args }) => {
      const response = await send(`${env.UPSTREAM_ORIGIN}/echo?n=${args.n}&d=${args.d ?? 0}`);
      return await response.json();
    };
    if (env.WRITES !== "job") return Response.json({ results: await Promise.all(actions.map(call)) });
    ctx.waitUntil(call(actions.at(-1)).then(() => gate.settle(id)));
    const results = await Promise.all(actions.slice(0, -1).map(call));
    return Response.json({ results: [...results, { n: actions.length - 1, job: id }] });
  },
};
