// Baseline (a): the least a worker can do for a batch. Everything Volley adds is measured against this.

export default {
  async fetch(request, env) {
    const batch = await request.json();
    const send = env.HEADER_SLOTS === undefined ? fetch : behindSlots(Number(env.HEADER_SLOTS));
    const results = await Promise.all(
      batch.actions.map(async ({ args }) => {
        const response = await send(`${env.UPSTREAM_ORIGIN}/echo?n=${args.n}&d=${args.d ?? 0}`);
        return await response.json();
      }),
    );
    return Response.json({ results });
  },
};

// On Cloudflare the seventh fetch of a request waits for the headers of one of the first six. Raw workerd has no such
// rule, so where the wait is what is measured, the baseline keeps it itself.
function behindSlots(free) {
  const waiting = [];
  return async (url) => {
    if (free > 0) free -= 1;
    else await new Promise((resolve) => waiting.push(resolve));
    try {
      return await fetch(url);
    } finally {
      if (waiting.length > 0) waiting.shift()();
      else free += 1;
    }
  };
}
