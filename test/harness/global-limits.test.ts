import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { eventually, sleep } from "../support/eventually.ts";
import type { WireEnvelope } from "../support/execute-batch.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { sendAndHold } from "../support/raw-client.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";
import type { Workerd } from "../support/workerd.ts";

/*
 * Two instances of the built Worker, each in an isolate of its own, on the same Durable Objects: what isolates on two
 * machines are to each other. The upstream counts for itself how many calls it has at once.
 */

let upstream: HostileUpstream;
let volley: Workerd;
let callers: readonly [TestCaller, TestCaller];

beforeAll(async () => {
  upstream = await HostileUpstream.start();
  volley = await startRawSandbox({ vars: { PROBE_ORIGIN: upstream.url }, twin: true });
  callers = [new TestCaller(volley.url), new TestCaller(volley.twinUrl!, "sandbox-other-key")];
});

afterAll(async () => {
  await volley?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

const actionsOf = (count: number, action: (n: number) => object): object[] =>
  Array.from({ length: count }, (_, n) => action(n));
const call = (n: number, d = 40) => ({ tool: "probe-global", args: { n, d } });

/** Send the same batches to both instances at once. */
function sendToBoth(batches: readonly (readonly object[])[], fields: object = {}): Promise<WireEnvelope[]> {
  return Promise.all(callers.flatMap((caller) => batches.map((actions) => caller.execute(actions, fields))));
}

const resultsOf = (envelopes: readonly WireEnvelope[]) => envelopes.flatMap(({ results }) => results);

describe("a tool that two calls at once are all of", () => {
  test("never has a third, whichever instance, tenant, batch or loop the calls come from", async () => {
    const loop = { tool: "probe-global", for_each: [1, 2, 3, 4, 5], args: { n: { $ref: "item#" }, d: 40 } };
    upstream.gather("/global", 2);
    const envelopes = await sendToBoth([actionsOf(6, (n) => call(n)), [loop], [call(9), call(10)]]);
    const results = resultsOf(envelopes);
    expect(results.map(({ status }) => status)).toEqual(results.map(() => "success"));
    expect(upstream.requestsTo("/global")).toHaveLength(26);
    expect(upstream.peakOf("/global")).toBe(2);
    // Waiting for a place is not charged: not to the tool, and not to the call's duration. Counted twice, the longest wait would
    // not fit into its batch. A millisecond each for rounding.
    for (const { results, stats } of envelopes)
      for (const { meta } of results.filter(({ data }) => !Array.isArray(data)))
        expect(meta.queued_ms! + meta.duration_ms!).toBeLessThanOrEqual(stats["duration_ms"]! + 3);
    expect(Math.max(...results.map(({ meta }) => meta.queued_ms ?? 0))).toBeGreaterThan(100);
  });
});

describe("a tenant whose batches wait for the places", () => {
  test("T33 costs another tenant's call no more than two turns of each place", async () => {
    const answer = upstream.hold("/global", 500, 501);
    const numberOf = ({ query }: { query: URLSearchParams }): number => Number(query.get("n"));
    const here = () =>
      upstream
        .requestsTo("/global")
        .map(numberOf)
        .filter((n) => n >= 500);
    const floods = Array.from({ length: 20 }, (_, batch) =>
      callers[0].execute([call(500 + 2 * batch, 5), call(501 + 2 * batch, 5)]),
    );
    await eventually("both places to be taken", () => (here().length === 2 ? true : undefined));
    const quiet = callers[1].execute([call(600, 5)]);
    // Most of the others wait by now; if not, they are behind it all the more.
    await sleep(300);
    answer();
    expect((await quiet).summary).toMatchObject({ ok: 1 });
    for (const { summary } of await Promise.all(floods)) expect(summary).toMatchObject({ ok: 2 });
    expect(here().indexOf(600)).toBeLessThanOrEqual(2 + 2 * 2);
  });
});

describe("a caller that goes away", () => {
  test("leaves its places to others at once, not when their time is over", async () => {
    const numbers = [1_001, 1_002, 1_003];
    const answer = upstream.hold("/global", ...numbers);
    const long = numbers.map((n) => call(n));
    const client = await sendAndHold(volley.twinUrl!, long);
    await eventually("both places to be taken", () =>
      upstream.requestsTo("/global").filter(({ query }) => Number(query.get("n")) > 1_000).length === 2
        ? true
        : undefined,
    );
    client.resetAndDestroy();
    // More than this batch's time is left of their ten seconds.
    const { results } = await callers[0].execute([call(1), call(2), call(3)], { deadline_ms: 8_000 });
    expect(results.map(({ status }) => status)).toEqual(["success", "success", "success"]);
    answer();
  });
});

describe("background attempts", () => {
  test("F22 share the places too: first ones after the answer, and three of each tenant that its alarm repeats", async () => {
    let active = 0;
    let peak = 0;
    upstream.gather("/global-background", 2);
    const refusedOnce = new Set<string>();
    upstream.script("/global-background", (_, response, __, { headers, body }) => {
      peak = Math.max(peak, (active += 1));
      const key = String(headers["idempotency-key"]);
      const status = /"n":[012]/.test(body) && !refusedOnce.has(key) ? 503 : 200;
      if (status === 503) refusedOnce.add(key);
      setTimeout(() => {
        active -= 1;
        response.writeHead(status, { "content-type": "application/json" }).end("{}");
      }, 50);
    });
    const job = (n: number): object => ({ tool: "probe-global-background", args: { n } });
    const jobs = await Promise.all(
      callers.map(async (caller) => {
        const { results } = await caller.execute(actionsOf(5, job));
        expect(results.map(({ status }) => status)).toEqual(results.map(() => "initiated"));
        return results.map(({ job_id }, n) => ({ caller, path: `/v1/jobs/${job_id}`, n }));
      }),
    );
    for (const { caller, path, n } of jobs.flat()) {
      const ended = await eventually(`${path} to succeed`, async () => {
        const { status, attempts } = JSON.parse((await caller.get(path)).text) as Record<string, unknown>;
        return status === "succeeded" ? { attempts } : undefined;
      });
      expect(ended).toEqual({ attempts: n < 3 ? 2 : 1 });
    }
    expect(upstream.requestsTo("/global-background")).toHaveLength(16);
    expect(peak).toBe(2);
  });
});

describe("an upstream that asks one instance to wait", () => {
  test("is left alone by the other one too, and who cannot wait that long is told so", async () => {
    let refused = 0;
    upstream.script("/global", (_, response) => {
      if (refused === 0) response.writeHead(429, { "retry-after": "4" }).end();
      else response.writeHead(200, { "content-type": "application/json" }).end('{"n":1}');
      refused += 1;
    });
    const before = upstream.requestsTo("/global").length;
    const [first] = (await callers[0].execute([call(1)])).results;
    expect(first!.error).toMatchObject({ code: "RATE_LIMITED", upstream_status: 429, retry_after_ms: 4_000 });

    const [hasty, patient] = await Promise.all([
      callers[1].execute([call(2)], { deadline_ms: 1_500 }),
      callers[1].execute([call(3)]),
    ]);
    expect(hasty.results[0]!.error).toMatchObject({
      code: "RATE_LIMITED",
      retry_after_ms: expect.any(Number),
      hint: expect.stringContaining("asked all callers to wait"),
    });
    expect(patient.results[0]).toMatchObject({ status: "success" });
    const [refusedAt, servedAt] = upstream
      .requestsTo("/global")
      .slice(before)
      .map(({ at }) => at);
    // The wait is counted from the refusal's end on the gate's clock, not from its request.
    expect(servedAt! - refusedAt!).toBeGreaterThanOrEqual(3_990);
    expect(upstream.requestsTo("/global")).toHaveLength(before + 2);
  });
});

describe("a rate that all callers share", () => {
  test("is drawn by both instances from one bucket; what has no room in time says when", async () => {
    const action = (n: number): object => ({ tool: "probe-global-rate", args: { n } });
    const startedAt = performance.now();
    const results = resultsOf(await sendToBoth([actionsOf(6, action)], { deadline_ms: 3_500 }));
    const tookMs = performance.now() - startedAt;
    const ok = results.filter(({ status }) => status === "success");
    const denied = results.filter(({ status }) => status === "error");
    // Five at once, then one every two seconds: a sixth waits in time, and a slow machine has time for more.
    expect(ok.length).toBeGreaterThanOrEqual(6);
    expect(ok.length).toBeLessThanOrEqual(5 + Math.floor(tookMs / 2_000));
    expect(upstream.requestsTo("/global-rate")).toHaveLength(ok.length);
    for (const { error } of denied) {
      expect(error).toMatchObject({ code: "RATE_LIMITED", retryable: true });
      expect(error!.retry_after_ms).toBeGreaterThan(1_500);
    }
  });
});

test("the cap of a batch is that batch's alone: what the tests above see is not the instances' own doing", async () => {
  // One batch alone never has a fourth: its three would be answered nothing.
  upstream.gather("/limited", 4);
  await sendToBoth([actionsOf(6, (n) => ({ tool: "probe-limited", args: { n, d: 60 } }))]);
  expect(upstream.peakOf("/limited")).toBeGreaterThan(3);
});
