import { expect, test } from "vitest";

import { sleep } from "../support/eventually.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";

const { upstream, volley } = await setUpSandbox();

const POLICY = '"requests";q=20;w=60';
/** One structured-field item with the parameters of draft-ietf-httpapi-ratelimit-headers. */
const LEFT = /^"requests";r=(\d+);t=(\d+)$/;

test("T20 a key gets exactly its 20 of 60 requests at once, and is told when there will be more", async () => {
  const small = new TestCaller(volley.url, "sandbox-small-key");
  const startedAt = performance.now();
  // Half as spoofed: who asks is the key's matter, not the headers'.
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      small.send({
        body: JSON.stringify({ actions: [{ tool: "probe-echo", args: { n } }] }),
        headers: n % 2 === 0 ? {} : { "x-forwarded-for": `10.0.0.${n}`, "cf-connecting-ip": `10.0.0.${n}` },
      }),
    ),
  );

  const admitted = answers.filter(({ status }) => status === 200);
  const denied = answers.filter(({ status }) => status === 429);
  // One more for every three seconds that a slow machine took for them.
  const refilled = Math.floor((performance.now() - startedAt) / 3_000);
  expect(admitted.length).toBeGreaterThanOrEqual(20);
  expect(admitted.length).toBeLessThanOrEqual(20 + refilled);
  expect(admitted.length + denied.length).toBe(60);
  expect(upstream.requestsTo("/echo")).toHaveLength(admitted.length);

  for (const { headers } of answers) expect(headers["ratelimit-policy"]).toBe(POLICY);
  const left = admitted.map(({ headers }) => Number(LEFT.exec(String(headers["ratelimit"]))?.[1]));
  // Each of the twenty was told another number; what was refilled repeats one.
  expect([...new Set(left)].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  for (const answer of denied) {
    const [, r, t] = LEFT.exec(String(answer.headers["ratelimit"])) ?? [];
    expect(r).toBe("0");
    expect(answer.headers["retry-after"]).toBe(t);
    // One request every three seconds.
    expect(Number(t)).toBeGreaterThanOrEqual(1);
    expect(Number(t)).toBeLessThanOrEqual(3);
    expect(problemOf(answer)).toMatchObject({ code: "QUOTA_EXCEEDED", retry_after_ms: expect.any(Number) });
  }

  await sleep(1_000 * Number(denied.at(-1)!.headers["retry-after"]));
  const later = await small.execute([{ tool: "probe-echo", args: { n: 61 } }]);
  expect(later.summary).toMatchObject({ ok: 1 });
});

test("a key's quota is its own: another key of the same tenant, and another tenant, still have theirs", async () => {
  for (const key of ["sandbox-key", "sandbox-other-key"]) {
    const answer = await new TestCaller(volley.url, key).send({
      body: JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 1 } }] }),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "ratelimit-policy": '"requests";q=100000;w=60',
      ratelimit: expect.stringMatching(LEFT),
    });
    expect(answer.headers).not.toHaveProperty("retry-after");
  }
});

test("requests in bursts wait for one another's leases, also where the caller who asked for them hangs up", async () => {
  const caller = new TestCaller(volley.url, "sandbox-key");
  const send = () =>
    caller.send({ body: JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 1 } }] }) });
  for (let burst = 0; burst < 4; burst += 1) {
    const gone = new AbortController();
    const lost = fetch(`${volley.url}/v1/execute_actions`, {
      method: "POST",
      headers: { authorization: "Bearer sandbox-key", "content-type": "application/json" },
      body: JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 0 } }] }),
      signal: gone.signal,
    }).catch(() => null);
    const answers = Array.from({ length: 60 }, send);
    gone.abort();
    await lost;
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
    await sleep(700);
  }
});
