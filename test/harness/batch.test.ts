import { describe, expect, test } from "vitest";

import { sleep } from "../support/eventually.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { upstream, caller } = await setUpSandbox();

/** So many calls of a probe, numbered, each of which the upstream takes `d` ms for. */
const calls = (tool: string, count: number, d: number): object[] =>
  Array.from({ length: count }, (_, n) => ({ tool, args: { n, d } }));
const flaky = (key: string, fail: number): object => ({ tool: "probe-flaky", args: { key, fail } });
const numbers = (count: number): object[] => Array.from({ length: count }, (_, n) => ({ n }));

describe("A batch", () => {
  test("P1: is answered in the order asked, whatever ends first", async () => {
    const delays = [150, 0, 100, 50];
    const { batch_id, results, summary } = await caller.execute(
      delays.map((d, n) => ({ tool: "probe-echo", args: { n, d }, id: `call-${n}` })),
    );

    expect(results.map(({ id, data }) => [id, data])).toEqual(
      delays.map((_, n) => [`call-${n}`, { path: "/echo", n }]),
    );
    expect(summary).toEqual({
      total: 4,
      ok: 4,
      error: 0,
      initiated: 0,
      skipped: 0,
      pending_confirmation: 0,
      unknown: 0,
    });
    expect(batch_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("runs what is independent at once, and says what that gained", async () => {
    // Each is answered once all six have arrived.
    upstream.gather("/read", 6);
    const { results, stats } = await caller.execute(calls("probe-read", 6, 500));

    expect(upstream.peakOf("/read")).toBe(6);
    expect(stats["max_parallelism"]).toBe(6);
    expect(stats["sequential_ms"]).toBeGreaterThanOrEqual(6 * 490);
    expect(stats["duration_ms"]).toBeLessThan(stats["sequential_ms"]!);
    for (const { meta } of results) {
      expect(meta).toMatchObject({ attempts: 1, bytes: 22 });
      expect(meta.queued_ms).toBeGreaterThanOrEqual(0);
      expect(meta.duration_ms).toBeGreaterThanOrEqual(490);
    }
  });

  test("waits for what an action depends on, and skips what depends on a failure", async () => {
    const { results } = await caller.execute([
      { tool: "probe-echo", args: { n: 3 }, id: "last", depends_on: ["middle"] },
      { tool: "probe-echo", args: { n: 2, d: 50 }, id: "middle", depends_on: ["first"] },
      { tool: "probe-echo", args: { n: 1, d: 50 }, id: "first" },
      { tool: "probe-any", args: { path: "/status/500" }, id: "broken" },
      { tool: "probe-echo", args: { n: 4 }, id: "after", depends_on: ["first", "broken"] },
    ]);

    const chain = upstream.requestsTo("/echo").slice(-3);
    expect(chain.map(({ query }) => query.get("n"))).toEqual(["1", "2", "3"]);
    expect(results.map(({ status }) => status)).toEqual([
      "success",
      "success",
      "success",
      "error",
      "skipped",
    ]);
    expect(results[4]).toMatchObject({ because: "broken", error: { code: "DEPENDENCY_FAILED" } });
  });

  test("stops at its first failure when asked to, and omits nothing", async () => {
    const before = upstream.requestsTo("/serial").length;
    const answer = upstream.hold("/serial");
    const { results } = await caller.execute(
      [{ tool: "probe-any", args: { path: "/status/400" } }, ...calls("probe-serial", 3, 0)],
      { on_error: "fail-fast" },
    );
    answer();

    expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([
      "UPSTREAM_ERROR",
      "ABORTED",
      "ABORTED",
      "ABORTED",
    ]);
    expect(upstream.requestsTo("/serial").length - before).toBeLessThanOrEqual(1);
  });

  test("ends at its deadline with what there is by then", async () => {
    const answer = upstream.hold("/read");
    const { results } = await caller.execute(
      [
        ...calls("probe-echo", 1, 0),
        { id: "slow", tool: "probe-read", args: { n: 1 } },
        { tool: "probe-echo", args: { n: { $ref: "slow#/n" } } },
      ],
      { deadline_ms: 2_000 },
    );
    answer();

    expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([
      "success",
      "initiated",
      "DEADLINE_EXCEEDED",
    ]);
  });

  test("calls a write that was sent and not answered by the deadline unknown, and lets it finish", async () => {
    const answer = upstream.hold("/write", 77);
    const { results } = await caller.execute([{ tool: "probe-write", args: { n: 77 } }], {
      deadline_ms: 2_000,
    });
    answer();

    expect(results[0]).toMatchObject({ status: "unknown", error: { code: "DEADLINE_EXCEEDED" } });
    const write = upstream.requestsTo("/write").at(-1)!;
    expect(write.body).toContain('"n":77');
    expect(await write.end).toBe("answered");
  });

  test("gives an action no more time than it asks for", async () => {
    const answer = upstream.hold("/echo", 1);
    const { results } = await caller.execute([
      { tool: "probe-echo", args: { n: 1 }, timeout_ms: 100 },
      ...calls("probe-echo", 1, 0),
    ]);
    answer();

    expect(results.map(({ status, error }) => error?.code ?? status)).toEqual(["TIMEOUT", "success"]);
  });
});

describe("Caps", () => {
  test("F07 let at most six requests wait for headers, and report the time the others queued", async () => {
    const before = upstream.requestsTo("/echo").length;
    upstream.gather("/echo", 6);
    const { results, stats } = await caller.execute(calls("probe-echo", 20, 100));

    expect(upstream.peakOf("/echo")).toBe(6);
    expect(results.map(({ data }) => data)).toMatchObject(numbers(20));
    const arrived = upstream.requestsTo("/echo").slice(before);
    expect(
      arrived
        .map(({ query }) => Number(query.get("n")))
        .slice(0, 6)
        .sort((a, b) => a - b),
    ).toEqual([0, 1, 2, 3, 4, 5]);
    const queued = results.map(({ meta }) => meta.queued_ms!);
    // The last ones waited for three rounds of 100 ms that the first ones did not wait for.
    for (const ms of queued.slice(-2)) {
      expect(ms).toBeGreaterThanOrEqual(250);
      for (const first of queued.slice(0, 6)) expect(ms - first).toBeGreaterThanOrEqual(250);
    }
    // Their own clocks began after that: twice the wait would not fit into the batch. A millisecond each for rounding.
    for (const { meta } of results)
      expect(meta.queued_ms! + meta.duration_ms!).toBeLessThanOrEqual(stats["duration_ms"]! + 3);
  });

  test("F07 a time limit begins when the request is sent, not while it queues", async () => {
    // The last two queue for eight rounds of 400 ms, longer than their limit; a call has six times what it takes.
    const { results } = await caller.execute(
      calls("probe-echo", 50, 400).map((action) => ({ ...action, timeout_ms: 2_600 })),
    );

    expect(results.map(({ status }) => status)).toEqual(Array<string>(50).fill("success"));
    for (const { meta } of results.slice(-2)) expect(meta.queued_ms).toBeGreaterThan(2_600);
  });

  test("three at once for a tool that allows three", async () => {
    upstream.gather("/limited", 3);
    const { results } = await caller.execute(calls("probe-limited", 9, 50));

    expect(upstream.peakOf("/limited")).toBe(3);
    expect(results.map(({ data }) => data)).toMatchObject(numbers(9));
  });

  test("one after the other, in the order asked, for a tool that is sequential", async () => {
    const before = upstream.requestsTo("/serial").length;
    const { results } = await caller.execute(calls("probe-serial", 5, 30));

    expect(upstream.peakOf("/serial")).toBe(1);
    const arrived = upstream.requestsTo("/serial").slice(before);
    expect(arrived.map(({ query }) => Number(query.get("n")))).toEqual([0, 1, 2, 3, 4]);
    expect(results.map(({ status }) => status)).toEqual(Array<string>(5).fill("success"));
  });

  test("a tool's rate limit turns away what is over it, and the time it names is enough", async () => {
    const draws = Array.from({ length: 8 }, (_, n) => ({ tool: "probe-quota", args: { n } }));
    const { results, summary } = await caller.execute(draws);

    expect(summary).toMatchObject({ ok: 5, error: 3 });
    expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([
      ...Array<string>(5).fill("success"),
      ...Array<string>(3).fill("RATE_LIMITED"),
    ]);
    expect(upstream.requestsTo("/quota")).toHaveLength(5);

    const { retry_after_ms, retryable } = results[5]!.error!;
    expect(retryable).toBe(true);
    expect(retry_after_ms).toBeGreaterThan(0);
    expect(retry_after_ms).toBeLessThanOrEqual(2_000);
    await sleep(retry_after_ms!);
    const again = await caller.execute(draws.slice(5, 6));
    expect(again.results[0]).toMatchObject({ status: "success", data: { n: 5 } });
  });
});

describe("A retry", () => {
  test("F03 repairs one failure, and is counted", async () => {
    const { results } = await caller.execute([flaky("once", 1)]);

    expect(results[0]).toMatchObject({ status: "success", meta: { attempts: 2 } });
  });

  test("is made once, not twice", async () => {
    const { results } = await caller.execute([flaky("twice", 2)]);

    expect(results[0]).toMatchObject({
      status: "error",
      error: { code: "UPSTREAM_ERROR", upstream_status: 503, retryable: true },
      meta: { attempts: 2 },
    });
    expect(upstream.requestsTo("/flaky").filter(({ query }) => query.get("key") === "twice")).toHaveLength(2);
  });

  test("F03 is never made for a write", async () => {
    const { results } = await caller.execute([{ tool: "probe-write", args: { n: 8, status: 503 } }]);

    expect(results[0]).toMatchObject({ status: "error", error: { retryable: false }, meta: { attempts: 1 } });
    expect(upstream.requestsTo("/write").filter(({ body }) => body.includes('"n":8,'))).toHaveLength(1);
  });

  test("F04 waits as long as the upstream asks", async () => {
    upstream.script("/flaky", (query, response) => {
      if (upstream.requestsTo("/flaky").filter((seen) => seen.query.get("key") === "patient").length > 1)
        response.writeHead(200, { "content-type": "application/json" }).end('{"fine":true}');
      else response.writeHead(503, { "retry-after": query.get("fail") ?? "" }).end();
    });
    const { results } = await caller.execute([flaky("patient", 1)]);

    expect(results[0]).toMatchObject({ status: "success", meta: { attempts: 2 } });
    const [first, second] = upstream
      .requestsTo("/flaky")
      .filter(({ query }) => query.get("key") === "patient");
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(990);
  });

  test("F04 is left to the caller when the upstream asks for more than there is time", async () => {
    upstream.script("/flaky", (_, response) => void response.writeHead(503, { "retry-after": "60" }).end());
    const { results } = await caller.execute([flaky("impatient", 1)]);

    expect(results[0]).toMatchObject({
      status: "error",
      error: { code: "UPSTREAM_ERROR", retry_after_ms: 60_000 },
      meta: { attempts: 1 },
    });
  });
});
