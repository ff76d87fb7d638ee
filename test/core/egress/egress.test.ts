import { describe, expect, it } from "vitest";

import { defineTool, type ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { Semaphore } from "../../../src/core/kit/semaphore.ts";
import { ByteBudget, CallBytes } from "../../../src/core/egress/byte-budget.ts";
import { CallClock } from "../../../src/core/egress/call-clock.ts";
import { type CallTrace, createEgress } from "../../../src/core/egress/egress.ts";
import { UpstreamHealth } from "../../../src/core/egress/upstream-health.ts";
import { FakeBody, FakeUpstream, type OutgoingRequest, silence, STALL } from "../../support/fake-upstream.ts";
import { declareTool } from "../../support/sample-tools.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const URL_A = "https://a.example.com/v1?q=1";

interface Setup {
  readonly declaration?: Partial<ToolDeclaration>;
  readonly slots?: Semaphore;
  readonly time?: VirtualClock;
  readonly trusted?: readonly string[];
}

function start(
  answer: (request: OutgoingRequest) => Response | Promise<Response>,
  { declaration = {}, slots = new Semaphore(6), time = new VirtualClock(), trusted = [] }: Setup = {},
) {
  const hosts = ["a.example.com", "b.example.com"];
  const tool = defineTool(declareTool({ hosts, secrets: ["A_KEY"], ...declaration }));
  const upstream = new FakeUpstream(answer);
  const clock = new CallClock(time, 20_000);
  const trace: CallTrace = { sent: false, reached: false, status: null, retryAfterMs: null };
  const fetch = createEgress({
    tool,
    clock,
    time,
    slots,
    tenant: "acme",
    held: new CallBytes(new ByteBudget(1_000_000), false),
    fetch: upstream.fetch,
    options: {
      headerSlots: 6,
      headersTimeoutMs: 10_000,
      idleTimeoutMs: 5_000,
      requestResponseBytes: 1_000_000,
      trustedOrigins: new Set(trusted),
    },
    trace,
    health: new UpstreamHealth(time),
    hasItsTime: true,
  });
  return { fetch, upstream, time, clock, trace, slots };
}

function redirectTo(location: string, status = 302): Response {
  return new Response("moved", { status, headers: { location } });
}

async function failureOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ToolFailure);
  return (error as ToolFailure).failure;
}

describe("createEgress()", () => {
  it("sends one marked request and returns what was read", async () => {
    const { fetch, upstream, trace } = start(() =>
      Response.json({ n: 1 }, { status: 201, headers: { etag: "x" } }),
    );

    const response = await fetch(URL_A, { headers: { "X-Api-Key": "k" } });

    expect(response.status).toBe(201);
    expect(response.headers.get("etag")).toBe("x");
    expect(response.text()).toBe('{"n":1}');
    expect(response.json()).toEqual({ n: 1 });
    expect(trace).toEqual({ sent: true, reached: true, status: 201, retryAfterMs: null });
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]).toMatchObject({
      url: URL_A,
      method: "GET",
      body: undefined,
      redirect: "manual",
    });
    expect(Object.fromEntries(upstream.requests[0]!.headers)).toEqual({
      "user-agent": "volley",
      "volley-hop": "1",
      "x-api-key": "k",
    });
  });

  it.each([
    [{ body: { a: 1 } }, '{"a":1}', "application/json"],
    [{ body: null }, "null", "application/json"],
    [
      { body: "a=1", headers: { "content-type": "application/x-www-form-urlencoded" } },
      "a=1",
      "application/x-www-form-urlencoded",
    ],
    [
      { body: [1], headers: { "Content-Type": "application/vnd.api+json" } },
      "[1]",
      "application/vnd.api+json",
    ],
  ])("sends the body of %j", async (request, body, contentType) => {
    const { fetch, upstream } = start(() => new Response(null, { status: 204 }));

    const response = await fetch(URL_A, { method: "POST", ...request });

    expect(response.text()).toBe("");
    expect(upstream.requests[0]!.body).toBe(body);
    expect(upstream.requests[0]!.headers.get("content-type")).toBe(contentType);
  });

  it("lets a tool name itself", async () => {
    const { fetch, upstream } = start(() => new Response());

    await fetch(URL_A, { headers: { "User-Agent": "weather/1" } });

    expect(upstream.requests[0]!.headers.get("user-agent")).toBe("weather/1");
  });

  it.each([
    ["an undeclared host", "https://evil.com/", {}],
    ["an address", "https://169.254.169.254/", {}],
    ["a forbidden header", URL_A, { host: "evil.com" }],
    ["a line break in a header", URL_A, { "x-note": "a\r\nb: c" }],
  ])("sends nothing for %s", async (_, url, headers) => {
    const { fetch, upstream, trace } = start(() => new Response());

    expect((await failureOf(fetch(url, { headers }))).code).toMatch(/^(?:EGRESS_DENIED|INVALID_ARGS)$/);
    expect(upstream.requests).toEqual([]);
    expect(trace).toEqual({ sent: false, reached: false, status: null, retryAfterMs: null });
  });

  it("takes a body on a GET for a bug of the tool", async () => {
    const { fetch } = start(() => new Response());

    const withBody = { body: "x" };
    await expect(fetch(URL_A, withBody)).rejects.toThrow(TypeError);
  });

  it("sends to the address it checked, even if the tool changes its URL object meanwhile", async () => {
    const slots = new Semaphore(1);
    const release = slots.tryAcquire()!;
    const { fetch, upstream } = start(() => new Response(), { slots });
    const url = new URL(URL_A);

    const sending = fetch(url);
    url.hostname = "evil.com";
    release();
    await sending;

    expect(upstream.requests[0]!.url).toBe(URL_A);
  });

  it("reaches a trusted development origin", async () => {
    const origin = "http://127.0.0.1:9911";
    const { fetch } = start(() => new Response("ok"), {
      declaration: { hosts: [origin] },
      trusted: [origin],
    });

    expect((await fetch(`${origin}/echo`)).text()).toBe("ok");
  });

  it("throws a status that is not 2xx and reads nothing of a body that is no JSON", async () => {
    const body = new FakeBody(["secret details"]);
    const { fetch, trace } = start(() => new Response(body.stream, { status: 403 }));

    const failure = await failureOf(fetch(URL_A));

    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: false, upstreamStatus: 403 });
    expect(failure.hint).toContain("A_KEY");
    expect(body).toMatchObject({ chunksRead: 0, cancelled: true });
    expect(trace.status).toBe(403);
  });

  it("notes how long the upstream asked to be left alone, even for a tool that swallows the refusal", async () => {
    const headers = { "retry-after": "7" };
    const { fetch, trace } = start(() => new Response(null, { status: 503, headers }));

    await fetch(URL_A).catch(() => {});

    expect(trace).toMatchObject({ retryAfterMs: 7_000 });
  });

  it("measures a Retry-After date from the time it arrives", async () => {
    const time = new VirtualClock(Date.UTC(2026, 0, 1));
    const headers = { "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" };
    const { fetch } = start(() => new Response(null, { status: 429, headers }), { time });

    expect(await failureOf(fetch(URL_A))).toMatchObject({ code: "RATE_LIMITED", retryAfterMs: 30_000 });
  });

  it("says nothing of a network error's own text", async () => {
    const { fetch, trace } = start(() => Promise.reject(new TypeError("connect a.example.com?key=s3cret")));

    const failure = await failureOf(fetch(URL_A));

    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(JSON.stringify(failure)).not.toContain("s3cret");
    expect(trace).toEqual({ sent: true, reached: true, status: null, retryAfterMs: null, inDoubt: true });
  });

  it("T56 holds nothing as sent whose connection was never made, unless another request of the call was", async () => {
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const refused = new TypeError("fetch failed", { cause });
    const { fetch, trace } = start(({ url }) =>
      url === URL_A ? Promise.reject(refused) : new Response("{}"),
    );
    const post = { method: "POST", body: "x" } as const;

    await failureOf(fetch(URL_A, post));
    expect(trace).toEqual({ sent: false, reached: false, status: null, retryAfterMs: null });

    await fetch(`${URL_A}/other`, post);
    await failureOf(fetch(URL_A, post));
    expect(trace).toEqual({ sent: true, reached: true, status: null, retryAfterMs: null });
  });

  it.each([408, 500, 503, 520, 530])(
    "T56 keeps a request in doubt that was answered %d, whatever comes after it",
    async (status) => {
      let asked = 0;
      const { fetch, trace } = start(() => new Response(null, { status: (asked += 1) === 1 ? status : 400 }));

      await failureOf(fetch(URL_A, { method: "POST", body: "x" }));
      expect(trace).toMatchObject({ status, inDoubt: true });
      await failureOf(fetch(URL_A, { method: "POST", body: "x" }));

      expect(trace).toMatchObject({ sent: true, status: 400, inDoubt: true });
    },
  );

  it("refuses a body over the tool's own cap", async () => {
    const { fetch } = start(() => new Response("x".repeat(11)), { declaration: { maxResponseBytes: 10 } });

    expect((await failureOf(fetch(URL_A))).code).toBe("RESPONSE_TOO_LARGE");
  });
});

describe("P8: T10 createEgress() following redirects", () => {
  it("follows three hops, giving up their bodies, and not a fourth", async () => {
    const bodies: FakeBody[] = [];
    const { fetch, upstream } = start(({ url }) => {
      const left = Number(new URL(url).searchParams.get("left"));
      if (left === 0) return new Response("there");
      const body = new FakeBody(["moved"]);
      bodies.push(body);
      return new Response(body.stream, { status: 302, headers: { location: `?left=${left - 1}` } });
    });

    expect((await fetch("https://a.example.com/?left=3")).text()).toBe("there");
    expect(bodies.every(({ cancelled, chunksRead }) => cancelled && chunksRead === 0)).toBe(true);

    upstream.requests.length = 0;
    expect(await failureOf(fetch("https://a.example.com/?left=4"))).toMatchObject({
      code: "UPSTREAM_ERROR",
      retryable: false,
      upstreamStatus: 302,
    });
    expect(upstream.requests).toHaveLength(4);
  });

  it.each([
    "https://169.254.169.254/latest/meta-data/",
    "https://evil.com/",
    "http://a.example.com/",
    "https://localhost/",
    "https://user:pass@a.example.com/",
    "file:///etc/passwd",
    "data:text/plain,x",
    "//evil.com/",
  ])("refuses a redirect to %s", async (location) => {
    const { fetch, upstream } = start(() => redirectTo(location));

    expect((await failureOf(fetch(URL_A))).code).toBe("EGRESS_DENIED");
    expect(upstream.requests).toHaveLength(1);
  });

  it("refuses to leave https even for a trusted origin", async () => {
    const dev = "http://127.0.0.1:9911";
    const { fetch } = start(() => redirectTo(`${dev}/`), {
      declaration: { hosts: ["a.example.com", dev] },
      trusted: [dev],
    });

    expect((await failureOf(fetch(URL_A))).code).toBe("EGRESS_DENIED");
  });

  it("leaves credentials behind on the way to another declared host, and keeps the mark", async () => {
    const { fetch, upstream } = start(({ url }) =>
      url === URL_A ? redirectTo("https://b.example.com/", 307) : new Response("ok"),
    );

    await fetch(URL_A, {
      method: "POST",
      body: { a: 1 },
      headers: { authorization: "Bearer s3cret", "x-api-key": "s3cret" },
    });

    expect(upstream.requests[1]).toMatchObject({ method: "POST", body: '{"a":1}' });
    expect(Object.fromEntries(upstream.requests[1]!.headers)).toEqual({
      "content-type": "application/json",
      "user-agent": "volley",
      "volley-hop": "1",
    });
  });

  it("holds no status while a hop is unanswered, since its effect is in doubt", async () => {
    const { fetch, trace } = start(({ url }) =>
      url === URL_A ? redirectTo("/next", 307) : Promise.reject(new Error("reset")),
    );

    await failureOf(fetch(URL_A, { method: "POST", body: "x" }));

    expect(trace).toEqual({ sent: true, reached: true, status: null, retryAfterMs: null, inDoubt: true });
  });
});

describe("createEgress() under its clock and slots", () => {
  it("T13 F01 times out waiting for headers and frees the slot", async () => {
    const { fetch, time, slots } = start(() => silence(), { slots: new Semaphore(1) });

    const failure = await failureOf(time.runUntil(fetch(URL_A)));

    expect(failure).toMatchObject({ code: "TIMEOUT", phase: "headers" });
    expect(time.now()).toBe(1_010_000);
    expect(slots.tryAcquire()).not.toBeNull();
    expect(time.pending).toBe(0);
  });

  it("waits for headers as long as the tool says", async () => {
    const time = new VirtualClock();
    const answer = () => time.sleep(14_000).then(() => Response.json({ done: true }));
    const patient = start(answer, { time, declaration: { headersTimeoutMs: 15_000 } });
    const response = await time.runUntil(patient.fetch(URL_A));
    expect(response.json()).toEqual({ done: true });

    const other = start(answer, { time, declaration: { headersTimeoutMs: 1_000 } });
    const before = time.now();
    expect(await failureOf(time.runUntil(other.fetch(URL_A)))).toMatchObject({ phase: "headers" });
    expect(time.now() - before).toBe(1_000);
  });

  it("frees the slot and gives up the late answer of a fetch that ignores its signal", async () => {
    const time = new VirtualClock();
    const tool = defineTool(declareTool({ hosts: ["a.example.com"] }));
    const slots = new Semaphore(1);
    const body = new FakeBody(["late"]);
    const options = {
      headerSlots: 1,
      headersTimeoutMs: 100,
      idleTimeoutMs: 100,
      requestResponseBytes: 100,
      trustedOrigins: new Set<string>(),
    };
    const fetch = createEgress({
      tool,
      clock: new CallClock(time, 1_000),
      time,
      slots,
      tenant: "acme",
      held: new CallBytes(new ByteBudget(100), false),
      fetch: () => time.sleep(5_000).then(() => new Response(body.stream)),
      options,
      trace: { sent: false, reached: false, status: null, retryAfterMs: null },
      health: new UpstreamHealth(time),
      hasItsTime: true,
    });

    expect((await failureOf(time.runUntil(fetch(URL_A)))).code).toBe("TIMEOUT");
    expect(slots.tryAcquire()).not.toBeNull();
    await time.advance(5_000);
    expect(body.cancelled).toBe(true);
  });

  it("P6: parses no JSON of more values than one response may have", async () => {
    const { fetch } = start(() => new Response(`[${"{},".repeat(300_000)}{}]`));

    const response = await fetch(URL_A);
    expect(response.text()).toHaveLength(900_004);
    expect(() => response.json()).toThrow(ToolFailure);
  });

  it("times out inside a silent body", async () => {
    const { fetch, time } = start(() => new Response(new FakeBody(["{", STALL]).stream));

    expect(await failureOf(time.runUntil(fetch(URL_A)))).toMatchObject({ code: "TIMEOUT", phase: "idle" });
  });

  it("has at most six requests without headers, and frees a slot when headers come, not the body", async () => {
    const time = new VirtualClock();
    const { fetch, upstream } = start(
      () => time.sleep(10).then(() => new Response(new FakeBody([{ waitMs: 1_000 }, "x"], time).stream)),
      { time },
    );

    const all = Promise.all(Array.from({ length: 20 }, () => fetch(URL_A)));
    await time.runUntil(all);

    expect(upstream.maxWaiting).toBe(6);
    expect(time.now()).toBe(1_000_000 + 4 * 10 + 1_000);
  });

  it("does not burn the call's time while it waits for a slot", async () => {
    const slots = new Semaphore(1);
    const release = slots.tryAcquire()!;
    const { fetch, time, clock } = start(() => new Response("ok"), { slots });

    const sending = fetch(URL_A);
    await time.advance(60_000);
    release();

    expect((await sending).text()).toBe("ok");
    expect(clock.pausedMs).toBe(60_000);
  });

  it("does not count the wait for a slot for the time that headers may take", async () => {
    const slots = new Semaphore(1);
    const release = slots.tryAcquire()!;
    const { fetch, time } = start(() => time.sleep(9_999).then(() => new Response("ok")), { slots });

    const sending = fetch(URL_A);
    await time.advance(60_000);
    release();

    expect((await time.runUntil(sending)).text()).toBe("ok");
  });

  it("gives a request all the time for its headers, from when it has its slot, while another of its call is under way", async () => {
    const { fetch, time, upstream } = start(
      ({ url }) => (url.endsWith("/first") ? time.sleep(6_000).then(() => new Response("ok")) : silence()),
      { slots: new Semaphore(1) },
    );
    const began = time.now();

    const first = fetch(`${URL_A}/first`);
    const second = failureOf(fetch(URL_A));
    expect((await time.runUntil(first)).text()).toBe("ok");
    expect(upstream.requests).toHaveLength(2);

    expect(await time.runUntil(second)).toMatchObject({ code: "TIMEOUT", phase: "headers" });
    expect(time.now() - began).toBe(16_000);
  });

  it("ends a request whose body falls silent, while another of its call goes on", async () => {
    const { fetch, time } = start(({ url }) =>
      url.endsWith("/first")
        ? new Response(new FakeBody(["a", STALL]).stream)
        : time.sleep(4_000).then(() => new Response("ok")),
    );
    const began = time.now();

    const silent = failureOf(fetch(`${URL_A}/first`));
    expect((await time.runUntil(fetch(URL_A))).text()).toBe("ok");

    expect(await time.runUntil(silent)).toMatchObject({ code: "TIMEOUT", phase: "idle" });
    expect(time.now() - began).toBe(5_000);
  });

  it("leaves the time for headers unbegun when a breaker keeps the request in", async () => {
    const { fetch, time, clock } = start(() => new Response(null, { status: 500 }));
    const fail = async (): Promise<string> => (await failureOf(fetch(URL_A))).code;

    for (let sent = 0; sent < LIMITS.breakerCalls; sent += 1) expect(await fail()).toBe("UPSTREAM_ERROR");
    expect(await fail()).toBe("CIRCUIT_OPEN");
    await time.advance(19_999);

    expect(clock.ended).toBeNull();
  });

  it("does not count the wait for a slot for a request's own limit, at none of its redirects", async () => {
    const slots = new Semaphore(1);
    let release = slots.tryAcquire()!;
    const { fetch, time, upstream } = start(
      ({ url }) => {
        if (!url.endsWith("/first")) return new Response("ok");
        // Another request of the isolate takes the slot before the redirect is followed.
        void slots.acquire(new AbortController().signal).then((taken) => (release = taken));
        return new Response(null, { status: 302, headers: { location: URL_A } });
      },
      { slots },
    );

    const sending = fetch(`${URL_A}/first`, { timeoutMs: 50 });
    await time.advance(60_000);
    release();
    await time.advance(60_000);
    expect(upstream.requests).toHaveLength(1);
    release();

    expect((await time.runUntil(sending)).text()).toBe("ok");
  });

  it("leaves the queue and sends nothing when the call is ended while it waits", async () => {
    const slots = new Semaphore(1);
    const release = slots.tryAcquire()!;
    const { fetch, clock, upstream, trace } = start(() => new Response("ok"), { slots });

    const failure = failureOf(fetch(URL_A));
    clock.end(makeFailure("DEADLINE_EXCEEDED"));
    release();

    expect((await failure).code).toBe("DEADLINE_EXCEEDED");
    expect(upstream.requests).toEqual([]);
    expect(trace.sent).toBe(false);
    expect(slots.tryAcquire()).not.toBeNull();
  });

  it("sends nothing when the call ends in the moment its slot is granted", async () => {
    const slots = new Semaphore(1);
    const release = slots.tryAcquire()!;
    const { fetch, clock, upstream } = start(() => new Response("ok"), { slots });

    const failure = failureOf(fetch(URL_A));
    release();
    clock.end(makeFailure("CANCELLED"));

    expect((await failure).code).toBe("CANCELLED");
    expect(upstream.requests).toEqual([]);
    expect(slots.tryAcquire()).not.toBeNull();
  });

  it("sends nothing once the call is over", async () => {
    const { fetch, clock, upstream } = start(() => new Response("ok"));

    clock.end(makeFailure("ABORTED"));

    expect((await failureOf(fetch(URL_A))).code).toBe("ABORTED");
    expect(upstream.requests).toEqual([]);
  });

  it("frees the slot after a network error", async () => {
    const { fetch, slots } = start(() => Promise.reject(new Error("reset")), { slots: new Semaphore(1) });

    await failureOf(fetch(URL_A));

    expect(slots.tryAcquire()).not.toBeNull();
  });
});

describe("a request that changes nothing", () => {
  it("leaves no trace, so that a write which sent only such has sent nothing", async () => {
    const { fetch, trace } = start((request) =>
      request.method === "GET" ? new Response("no", { status: 503 }) : new Response("ok"),
    );

    await failureOf(fetch(URL_A, { changesNothing: true }));
    expect(trace).toMatchObject({ sent: false, status: null });

    await fetch(URL_A, { method: "POST", body: {} });
    await failureOf(fetch(URL_A, { changesNothing: true }));
    expect(trace).toMatchObject({ sent: true, status: 200 });
  });
});

describe("onEvents", () => {
  const EVENTS = { headers: { "content-type": "Text/Event-Stream; charset=utf-8" } };

  it("is told an event stream as it comes, characters whole, and leaves the rest once it has enough", async () => {
    const time = new VirtualClock();
    const told: [number, string][] = [];
    const body = new FakeBody(
      ["data: caf", new Uint8Array([0xc3]), new Uint8Array([0xa9]), { waitMs: 12_000 }, "!", "more", STALL],
      time,
    );
    const { fetch, slots } = start(() => new Response(body.stream, EVENTS), { time });

    const sending = fetch(URL_A, {
      onEvents: (piece) => told.push([time.now(), piece]) > 0 && piece === "!",
    });
    const response = await time.runUntil(sending);

    expect(told.map(([, piece]) => piece).join("")).toBe("data: café!");
    // Twelve seconds of silence are more than any other body may have.
    expect(told.at(-1)![0] - told[0]![0]).toBe(12_000);
    expect(response.text()).toBe("data: café!");
    expect(body.cancelled).toBe(true);
    expect(slots.tryAcquire()).not.toBeNull();
  });

  it("reads JSON of a stream under the same limits as any body, and what it throws ends the stream", async () => {
    const body = new FakeBody(["[9007199254740993]", STALL]);
    const parsed: unknown[] = [];
    const { fetch } = start(() => new Response(body.stream, EVENTS));

    const failure = failureOf(
      fetch(URL_A, { onEvents: (piece, parse) => parsed.push(parse(piece)) > 0 && parse("{") === 1 }),
    );

    expect((await failure).code).toBe("BAD_UPSTREAM_RESPONSE");
    expect(JSON.stringify(parsed)).toBe("[[9007199254740993]]");
    expect(body.cancelled).toBe(true);
  });

  it("never goes on beyond the call's time or the tool's bytes", async () => {
    const time = new VirtualClock();
    const silent = start(() => new Response(new FakeBody(["a", STALL]).stream, EVENTS), { time });
    const late = failureOf(silent.fetch(URL_A, { onEvents: () => false }));
    await time.advance(20_000);
    expect(await late).toMatchObject({ code: "TIMEOUT", phase: "total" });

    const endless = new FakeBody(
      (function* () {
        for (;;) yield "x".repeat(1_000);
      })(),
    );
    const { fetch } = start(() => new Response(endless.stream, EVENTS), {
      declaration: { maxResponseBytes: 10_000 },
    });
    expect((await failureOf(fetch(URL_A, { onEvents: () => false }))).code).toBe("RESPONSE_TOO_LARGE");
    expect(endless.cancelled).toBe(true);
  });

  it("is told nothing of any other answer", async () => {
    const { fetch } = start(() => Response.json({ n: 1 }));
    const response = await fetch(URL_A, { onEvents: () => expect.unreachable() });
    expect(response.json()).toEqual({ n: 1 });
  });
});
