// The least a Worker can do between a caller, a model and its tools: it passes the model's answer on as it comes. Where the
// script has rounds it knows beforehand what the model will call, so it reads nothing of its answers, makes the same fetches
// and asks again.

export default {
  async fetch(request, env, ctx) {
    const url = new URL(request.url);
    const body = await request.text();
    const [, rounds, calls, delay] = /"model":"r(\d+)c(\d+)d(\d+)/.exec(body).map(Number);
    const ask = (text) =>
      fetch(env.MODEL_ORIGIN + url.pathname, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: text,
        signal: request.signal,
      });
    const conversation = rounds > 0 ? JSON.parse(body) : null;
    for (let round = 0; round < rounds; round += 1) {
      await (await ask(JSON.stringify(conversation))).text();
      const results = await Promise.all(
        Array.from({ length: calls }, async (_, n) =>
          (await fetch(`${env.UPSTREAM_ORIGIN}/echo?n=${n}&d=${delay}`)).text(),
        ),
      );
      conversation.messages.push(
        { role: "assistant" },
        ...results.map((content) => ({ role: "tool", content })),
      );
    }
    const { body: answer, headers } = await ask(conversation === null ? body : JSON.stringify(conversation));
    if (env.READS !== undefined) {
      const { readable, writable } = new IdentityTransformStream();
      ctx.waitUntil(copy(answer.getReader(), writable.getWriter()));
      return new Response(readable, { headers: { "content-type": headers.get("content-type") } });
    }
    return new Response(answer, { headers: { "content-type": headers.get("content-type") } });
  },
};

// What every Worker pays that looks at a stream before it passes it on, whatever it looks for.
async function copy(reader, writer) {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return writer.close();
    await writer.write(value);
  }
}
