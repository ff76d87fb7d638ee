import { describe, expect, it } from "vitest";

import { defineTool, type ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { CallClock } from "../../../src/core/egress/call-clock.ts";
import { createEgress } from "../../../src/core/egress/egress.ts";
import { ByteBudget, CallBytes } from "../../../src/core/egress/byte-budget.ts";
import { UpstreamHealth } from "../../../src/core/egress/upstream-health.ts";
import { Semaphore } from "../../../src/core/kit/semaphore.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import {
  type BodyStep,
  FakeBody,
  FakeUpstream,
  type OutgoingRequest,
  silence,
  STALL,
} from "../../support/fake-upstream.ts";
import { declareTool } from "../../support/sample-tools.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const URL_A = "https://a.example.com/v1";
const ORIGIN_A = "https://a.example.com";
const EVENTS = { headers: { "content-type": "text/event-stream" } };

function start(
  answer: (request: OutgoingRequest) => Response | Promise<Response>,
  {
    slots = new Semaphore(6),
    time = new VirtualClock(),
    mayLinger,
    idle,
    declaration = {},
  }: {
    slots?: Semaphore;
    time?: VirtualClock;
    mayLinger?: boolean;
    idle?: AbortController[];
    declaration?: Partial<ToolDeclaration>;
  } = {},
) {
  const tool = defineTool(declareTool({ hosts: ["a.example.com", "b.example.com"], ...declaration }));
  const upstream = new FakeUpstream(answer);
  const signals: unknown[] = [];
  const clock = new CallClock(time, 20_000);
  const health = new UpstreamHealth(time);
  const fetch = createEgress({
    tool,
    clock,
    time,
    slots,
    tenant: "acme",
    held: new CallBytes(new ByteBudget(1_000_000), false),
    fetch: (url, init) => {
      signals.push(init.signal);
      return upstream.fetch(url, init);
    },
    options: {
      headerSlots: 6,
      headersTimeoutMs: 10_000,
      idleTimeoutMs: 5_000,
      requestResponseBytes: 1_000_000,
      trustedOrigins: new Set<string>(),
    },
    trace: { sent: false, reached: false, status: null, retryAfterMs: null },
    health,
    hasItsTime: true,
    idle,
    ...(mayLinger !== undefined && { mayLinger }),
  });
  return { fetch, upstream, signals, time, clock, slots, health, tool };
}

async function failureOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ToolFailure);
  return (error as ToolFailure).failure;
}

describe("the slot of a request", () => {
  const URLS = ["https://a.example.com/1", "https://a.example.com/2"] as const;
  const announced = (steps: readonly BodyStep[], time: VirtualClock, length = "2") =>
    new Response(new FakeBody(steps, time).stream, { headers: { "content-length": length } });

  it.each([
    { body: "comes with its headers", waitMs: 0, sentAfterMs: 0 },
    { body: "is slow", waitMs: 400, sentAfterMs: LIMITS.slotKeptMs },
  ])("is kept for a small body that $body, and no longer than a moment", async ({ waitMs, sentAfterMs }) => {
    const time = new VirtualClock();
    const slots = new Semaphore(1);
    const sentAt: number[] = [];
    const began = time.now();
    const answer = () => {
      sentAt.push(time.now() - began);
      return announced([{ waitMs }, "{}"], time);
    };
    const calls = URLS.map((url) => start(answer, { slots, time }).fetch(url));
    const answers = await time.runUntil(Promise.all(calls));
    expect(answers.map((response) => response.json())).toEqual([{}, {}]);
    expect(sentAt).toEqual([0, sentAfterMs]);
  });

  it.each([
    { body: "large", headers: { "content-length": "70000" } },
    { body: "of no known length", headers: {} },
  ])("is free at the status line of a body that is $body", async ({ headers }) => {
    const time = new VirtualClock();
    const slots = new Semaphore(1);
    const { fetch, upstream } = start(() => new Response(new FakeBody([STALL]).stream, { headers }), {
      slots,
      time,
    });
    const other = start(() => new Response("{}"), { slots, time });
    const began = time.now();
    void fetch(URLS[0]).catch(() => {});
    await time.runUntil(other.fetch(URLS[1]));
    expect(time.now()).toBe(began);
    expect([upstream.requests.length, other.upstream.requests.length]).toEqual([1, 1]);
  });

  it("is free when its body breaks off, and when its call ends", async () => {
    const time = new VirtualClock();
    const slots = new Semaphore(1);
    const broken = start(() => announced([new Error("reset")], time), { slots, time });
    const ended = start(() => announced([STALL], time), { slots, time });
    const last = start(() => new Response("{}"), { slots, time });
    const all = [broken.fetch(URLS[0]), ended.fetch(URLS[0]), last.fetch(URLS[1])];
    const settled = Promise.allSettled(all);
    await time.advance(0);
    ended.clock.end(makeFailure("CANCELLED"));
    const began = time.now();
    await time.runUntil(all[2]!);
    expect(time.now()).toBe(began);
    await time.runUntil(settled);
    expect(slots.tryAcquire()).not.toBeNull();
    expect(slots.tryAcquire()).toBeNull();
  });
});

describe("the requests of one call", () => {
  it("leave the clock standing while one waits for a slot, after others that are over", async () => {
    const slots = new Semaphore(1);
    const { fetch, time, clock } = start(() => new Response("ok"), { slots });
    await fetch(URL_A);
    await fetch(URL_A, { timeoutMs: 1_000 });
    const release = slots.tryAcquire()!;

    const sending = fetch(URL_A);
    await time.advance(60_000);
    release();
    await sending;
    const again = slots.tryAcquire()!;
    const later = fetch(URL_A);
    await time.advance(30_000);
    again();
    await later;

    expect([clock.pausedMs, clock.remainingMs]).toEqual([90_000, 20_000]);
  });

  it("leave the clock standing while all of them wait for a slot", async () => {
    const slots = new Semaphore(1);
    const release = slots.tryAcquire()!;
    const { fetch, time, clock } = start(() => new Response("ok"), { slots });

    const all = Promise.all([fetch(URL_A), fetch(URL_A), fetch(URL_A)]);
    await time.advance(60_000);
    release();
    await all;

    expect(clock.pausedMs).toBe(60_000);
  });

  it("leave no timer behind but the call's own", async () => {
    const { fetch, time, clock } = start(() => new Response("ok"));
    await fetch(URL_A, { timeoutMs: 1_000 });
    expect(time.pending).toBe(1);
    clock.stop();
    expect(time.pending).toBe(0);
  });
});

describe("a request that may linger", () => {
  it("has no signal, and keeps its slot until the network is done with it", async () => {
    const time = new VirtualClock();
    const slots = new Semaphore(1);
    const { fetch, signals } = start(() => time.sleep(60_000).then(() => new Response("late")), {
      slots,
      time,
      mayLinger: true,
    });

    expect((await failureOf(time.runUntil(fetch(URL_A)))).code).toBe("TIMEOUT");
    expect(signals).toEqual([undefined]);
    expect(slots.tryAcquire()).toBeNull();
    await time.advance(60_000);
    expect(slots.tryAcquire()).not.toBeNull();
  });

  it("keeps no slot once it was answered", async () => {
    const slots = new Semaphore(1);
    const { fetch } = start(() => new Response("ok"), { slots, mayLinger: true });

    for (let sent = 0; sent < 3; sent += 1) expect((await fetch(URL_A)).text()).toBe("ok");
    expect(slots.tryAcquire()).not.toBeNull();
  });

  it("is the only one of its call, and has no time of its own", async () => {
    const slots = new Semaphore(2);
    const { fetch, signals, time } = start(() => silence(), { slots, mayLinger: true });

    const both = [failureOf(fetch(URL_A)), failureOf(fetch(URL_A))];
    await time.advance(10_000);
    await Promise.all(both);
    expect(signals.map((signal) => signal === undefined)).toEqual([true, false]);

    const own = start(() => silence(), { mayLinger: true });
    const failed = failureOf(own.fetch(URL_A, { timeoutMs: 100 }));
    await own.time.advance(100);
    await failed;
    expect(own.signals).toEqual([expect.any(AbortSignal)]);
    expect(own.slots.tryAcquire()).not.toBeNull();
  });

  it("is none once another request of its call is under way before it is sent", async () => {
    const slots = new Semaphore(1);
    const release = slots.tryAcquire()!;
    const { fetch, signals } = start(() => new Response("ok"), { slots, mayLinger: true });
    const both = Promise.all([fetch(URL_A), fetch(URL_A)]);
    release();
    await both;
    expect(signals).toEqual([expect.any(AbortSignal), expect.any(AbortSignal)]);
  });

  it("is none where that was not said", async () => {
    const { fetch, signals } = start(() => new Response("ok"));
    await fetch(URL_A);
    expect(signals).toEqual([expect.any(AbortSignal)]);
  });
});

describe("the signal of a request", () => {
  it("is lent to the next one of the same calls, unless it gave one up or is in use", async () => {
    const idle: AbortController[] = [];
    const time = new VirtualClock();
    const answer = ({ url }: OutgoingRequest) => (url === URL_A ? new Response("ok") : silence());
    const first = start(answer, { idle, time });
    await first.fetch(URL_A);
    const second = start(answer, { idle, time });
    await Promise.all([second.fetch(URL_A), second.fetch(URL_A)]);
    expect(second.signals[0]).toBe(first.signals[0]);
    expect(second.signals[1]).not.toBe(first.signals[0]);

    const third = start(answer, { idle, time });
    const failed = failureOf(third.fetch(`${ORIGIN_A}/silent`));
    third.clock.end(makeFailure("CANCELLED"));
    await failed;
    const lent = third.signals[0] as AbortSignal;
    expect(second.signals).toContain(lent);
    expect(lent.aborted).toBe(true);
    expect(idle.map(({ signal }) => signal.aborted)).toEqual([false]);
  });

  it("is aborted where its answer is refused, and lent to nobody", async () => {
    const idle: AbortController[] = [];
    const { fetch, signals } = start(() => new Response("no", { status: 500 }), { idle });
    await failureOf(fetch(URL_A));
    expect((signals[0] as AbortSignal).aborted).toBe(true);
    expect(idle).toEqual([]);
  });
});

describe("an answer", () => {
  it("is read as bytes where those are asked for, which may be read as text", async () => {
    const { fetch } = start(() => new Response("caf\u00e9"));
    const response = await fetch(URL_A, { reads: "bytes" });
    expect(response.bytes()).toEqual(new TextEncoder().encode("caf\u00e9"));
    expect(response.text()).toBe("caf\u00e9");
    expect((await fetch(URL_A)).bytes()).toEqual(new Uint8Array());
  });

  it("is refused where it is only a part, unless its status is all that is read", async () => {
    const { fetch } = start(() => new Response("part", { status: 206 }));
    expect(await failureOf(fetch(URL_A))).toMatchObject({
      code: "UPSTREAM_ERROR",
      upstreamStatus: 206,
      hint: expect.stringContaining("a part only"),
    });
    expect((await fetch(URL_A, { reads: "status" })).status).toBe(206);
  });

  it("is no stream for a request that does not listen to events", async () => {
    const { fetch } = start(() => new Response("data: 1", EVENTS));
    expect((await fetch(URL_A)).text()).toBe("data: 1");
  });

  it.each([
    ["text/event-stream", true],
    ["TEXT/EVENT-STREAM ; charset=utf-8", true],
    ["text/event-stream;charset=utf-8", true],
    ["text/event-streaming", false],
    ["text/event-stream-of;x=y", false],
    ["x-text/event-stream", false],
    ["multipart/mixed; text/event-stream", false],
    ["text/plain", false],
  ])("of type %s is a stream: %s", async (type, isStream) => {
    const told: string[] = [];
    const { fetch } = start(() => new Response("data: 1", { headers: { "content-type": type } }));
    await fetch(URL_A, { onEvents: (piece) => told.push(piece) === 0 });
    expect(told.length > 0).toBe(isStream);
  });

  it("that is no stream says so without a type, too", async () => {
    const { fetch } = start(() => new Response(new TextEncoder().encode("data: 1")));
    const response = await fetch(URL_A, { onEvents: () => expect.unreachable() });
    expect(response.text()).toBe("data: 1");
  });

  it("says that a service could not be reached", async () => {
    const { fetch } = start(() => Promise.reject(new TypeError("connect")));
    expect((await failureOf(fetch(URL_A))).hint).toContain("could not be reached");
  });
});

describe("the breaker of an origin", () => {
  const breakAndWait = async (answer: () => Response) => {
    const weather = { answer: () => new Response(null, { status: 500 }) };
    const world = start(({ url }) => (url.startsWith(ORIGIN_A) ? weather.answer() : new Response("there")));
    for (let sent = 0; sent < LIMITS.breakerCalls; sent += 1) await failureOf(world.fetch(URL_A));
    expect((await failureOf(world.fetch(URL_A))).code).toBe("CIRCUIT_OPEN");
    await world.time.advance(LIMITS.breakerPauseMs);
    weather.answer = answer;
    return world;
  };

  it("closes again with a redirect, which is an answer", async () => {
    const location = "https://b.example.com/";
    const { fetch } = await breakAndWait(() => new Response(null, { status: 302, headers: { location } }));
    for (let sent = 0; sent < 2; sent += 1) expect((await fetch(URL_A)).text()).toBe("there");
  });

  it("has found nothing out when what reads the answer fails itself", async () => {
    const { fetch, health, tool } = await breakAndWait(() => new Response("data: 1", EVENTS));
    const flawed = new TypeError("a bug of the tool");
    const reading = fetch(URL_A, {
      onEvents: () => {
        throw flawed;
      },
    });
    await expect(reading).rejects.toBe(flawed);
    // The next request is the one that looks.
    expect(health.openOf([tool], "acme")).toHaveLength(1);
    expect((await fetch(URL_A)).text()).toBe("data: 1");
    expect(health.openOf([tool], "acme")).toEqual([]);
  });
});
