import { DurableObject } from "cloudflare:workers";

// Baseline (c): (a) behind one call to one Durable Object that writes nothing. No system that asks an object before
// every batch can be faster than this.

export class Gate extends DurableObject {
  #admitted = 0;

  admit(request) {
    this.#admitted += request.cost;
    return { allowed: true, admitted: this.#admitted };
  }
}

export default {
  async fetch(request, env) {
    const batch = await request.json();
    await env.GATE.getByName("tenant").admit({ cost: 1 });
    const results = await Promise.all(
      batch.actions.map(async ({ args }) => {
        const response = await fetch(`${env.PROBE_ORIGIN}/echo?n=${args.n}&d=${args.d ?? 0}`);
        return await response.json();
      }),
    );
    return Response.json({ results });
  },
};
