import { beforeEach, describe, expect, test, vi } from "vitest";

import * as LIMITS from "../../src/core/contract/limits.ts";
import { makeRefusal } from "../../src/core/contract/refusal.ts";
import { type Listener, respondEvents, type Run } from "../../src/cloudflare/http/event-stream.ts";
import type { RequestContext } from "../../src/cloudflare/http/request-context.ts";
import { type Ran, setBaseHeaders } from "../../src/cloudflare/http/respond.ts";
import { respondRun } from "../../src/cloudflare/http/respond-run.ts";
import { attempt, err, ok, type Result } from "../../src/core/kit/result.ts";
import type { Refused } from "../../src/core/gate/admit-plan.ts";
import { readEvents } from "../support/read-events.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const QUOTA = { allowed: true, remaining: 7, resetMs: 1_000, retryAfterMs: 0 };
const END: Result<Ran, Refused> = ok({ json: '{"all":true}', quota: QUOTA, replayed: false });

const CONTEXT = {
  caller: {
    name: "tester",
    tenant: "acme",
    tools: ["*"],
    quota: { limit: 10, windowS: 60 },
    flags: [],
  },
  dialect: null,
  requestId: "request-1",
};

let clock: VirtualClock;
let deferred: Promise<unknown>[];
let client: AbortController;

beforeEach(() => {
  clock = new VirtualClock(0);
  deferred = [];
  client = new AbortController();
});

function answer(run: Run): Promise<Response> {
  return respondEvents(
    run,
    new Request("https://volley.test/v1/execute_actions", { method: "POST", signal: client.signal }),
    { ...CONTEXT, ports: { clock }, defer: (work) => void deferred.push(work) },
  );
}

/** A run that is admitted at once and over after so long, with results on the way. */
function running(totalMs: number, results: Readonly<Record<number, string>> = {}): Run {
  return async ({ listener, onResult }) => {
    listener?.onAdmitted?.(QUOTA);
    for (const [atMs, json] of Object.entries(results)) clock.after(Number(atMs), () => onResult!(json));
    await clock.sleep(totalMs);
    return END;
  };
}

/** Everything a client gets: when, and the event with its data or the comment. */
async function readAll(response: Response): Promise<(readonly [number, string])[]> {
  const seen: (readonly [number, string])[] = [];
  const note = (text: string): void => void seen.push([clock.now(), text]);
  const reading = (async () => {
    for await (const { event, data } of readEvents(response.body!, (comment) => note(`: ${comment}`)))
      note(`${event} ${data}`);
  })();
  await Promise.all([reading, clock.advance(100_000)]);
  return seen;
}

describe("A stream of events", () => {
  test("tells each result at once, and the whole answer at the end", async () => {
    const seen = await readAll(await answer(running(900, { 100: '{"n":1}', 700: '{"n":2}' })));
    expect(seen).toEqual([
      [100, 'result {"n":1}'],
      [700, 'result {"n":2}'],
      [900, 'done {"all":true}'],
    ]);
  });

  test("T44 holds what its answer takes until the client has read all of it", async () => {
    let held = 2;
    const response = await answer(async ({ listener }) => {
      listener!.onAdmitted!(QUOTA);
      for (let batch = 0; batch < 2; batch += 1) listener!.onWritten!(() => (held -= 1));
      return END;
    });
    await vi.waitFor(() => expect(clock.pending).toBeGreaterThan(0), { timeout: 50_000 });
    expect(held).toBe(2);
    await readAll(response);
    await Promise.all(deferred);
    expect(held).toBe(0);
  });

  test("T44 takes a client that reads nothing for gone, and gives back what its answer held", async () => {
    let held = 1;
    let heard: AbortSignal | undefined;
    const response = await answer(async ({ listener, onResult, signal }) => {
      heard = signal;
      listener!.onAdmitted!(QUOTA);
      onResult?.('{"n":1}');
      listener!.onWritten!(() => (held -= 1));
      return END;
    });
    await clock.advance(LIMITS.answerIdleMs - 1);
    expect([heard!.aborted, held]).toEqual([false, 1]);
    await clock.advance(1);
    await Promise.all(deferred);
    expect([heard!.aborted, held]).toEqual([true, 0]);
    await expect(response.text()).rejects.toThrow();
  });

  test("comments every 15 s, sooner in the beginning, as long as nothing is said and no longer", async () => {
    const seen = await readAll(await answer(running(46_000)));
    expect(seen).toEqual([
      ...[1_000, 3_000, 7_000, 15_000, 30_000, 45_000].map((at) => [at, ": still running"]),
      [46_000, 'done {"all":true}'],
    ]);
    expect(clock.pending).toBe(0);
  });

  test("begins when the run is admitted, with headers that keep proxies from holding it back", async () => {
    const response = await answer(running(60_000));
    setBaseHeaders(response, "request-1");

    expect(clock.now()).toBe(0);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      "cache-control": "no-store, no-transform",
      "content-type": "text/event-stream",
      ratelimit: '"requests";r=7;t=1',
      "ratelimit-policy": '"requests";q=10;w=60',
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
      "x-request-id": "request-1",
    });
    await response.body!.cancel();
  });

  test("of a run that is over without being admitted is all there at once", async () => {
    const response = await answer(async ({ onResult }) => {
      onResult!('{"n":1}');
      return ok({ json: "{}", quota: null, replayed: true });
    });

    expect(response.headers.get("idempotency-replayed")).toBe("true");
    expect(response.headers.has("ratelimit")).toBe(false);
    expect(await readAll(response)).toEqual([
      [0, 'result {"n":1}'],
      [0, "done {}"],
    ]);
  });

  test("of a run that is refused is a problem document, whatever was told before", async () => {
    const refusal = makeRefusal("QUOTA_EXCEEDED", "Wait.", { retryAfterMs: 2_000 });
    const response = await answer(async ({ onResult }) => {
      onResult!('{"n":1}');
      return err({ refusal, quota: { ...QUOTA, remaining: 0 } });
    });

    expect(response.status).toBe(429);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect(clock.pending).toBe(0);
    expect(deferred).toEqual([]);
  });

  test("breaks off where the run has a bug, without a 'done', and the log says so", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const response = await answer(async ({ listener }) => {
      listener!.onAdmitted!(QUOTA);
      await clock.sleep(100);
      throw new Error("bug");
    });

    await expect(readAll(response)).rejects.toThrow("bug");
    expect(clock.pending).toBe(0);
    await Promise.all(deferred);
    expect(JSON.parse(String(log.mock.lastCall))).toEqual({
      level: "error",
      event: "bug",
      request_id: "request-1",
      path: "/v1/execute_actions",
      error: "Error: bug",
    });
    log.mockRestore();
  });
});

test.each([
  ["its events", "text/event-stream"],
  ["one document", "application/json"],
])("T44 A run that breaks off after it has taken bytes for %s gives them back", async (_, accept) => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  const give = vi.fn();
  const broken: Run = async ({ listener }) => {
    listener!.onWritten!(give);
    listener!.onAdmitted?.(QUOTA);
    await Promise.resolve();
    throw new Error("a bug");
  };
  const request = new Request("https://volley.test/v1/execute_actions", {
    method: "POST",
    headers: { accept },
  });
  const context = {
    ...CONTEXT,
    ports: { clock },
    defer: (work: Promise<unknown>) => void deferred.push(work),
  };
  await attempt(() => respondRun(broken, request, context as unknown as RequestContext));
  await Promise.allSettled(deferred);
  expect(give).toHaveBeenCalledOnce();
  log.mockRestore();
});

describe("The run behind a stream is told that its reader is gone", () => {
  async function listening(): Promise<{ listener: Listener; response: Response }> {
    const { promise, resolve } = Promise.withResolvers<Listener>();
    const response = await answer(async (listener) => {
      resolve(listener);
      return running(60_000)(listener);
    });
    return { listener: await promise, response };
  }

  test("when the request was aborted before it began", async () => {
    client.abort();
    const { listener } = await listening();
    expect(listener.signal.aborted).toBe(true);
  });

  test("when the request is aborted", async () => {
    const { listener } = await listening();
    expect(listener.signal.aborted).toBe(false);
    client.abort();
    expect(listener.signal.aborted).toBe(true);
  });

  test("when its stream was cancelled and something is written to it", async () => {
    const { listener, response } = await listening();
    await response.body!.cancel();
    await clock.advance(999);
    expect(listener.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(listener.signal.aborted).toBe(true);
    await clock.advance(60_000);
    await Promise.all(deferred);
  });
});
