import { behindSlots } from "./header-slots.js";

// Baseline (a): the least a worker can do for a batch. Everything Volley adds is measured against this.

export default {
  async fetch(request, env) {
    const batch = await request.json();
    const send = behindSlots(env.HEADER_SLOTS);
    const results = await Promise.all(
      batch.actions.map(async ({ args }) => {
        const response = await send(`${env.UPSTREAM_ORIGIN}/echo?n=${args.n}&d=${args.d ?? 0}`);
        return await response.json();
      }),
    );
    return Response.json({ results });
  },
};
