import { describe, expect, test } from "vitest";

import type { Envelope, StreamEvent } from "../../src/package/client.ts";
import { createClient, VolleyError } from "../../src/package/client.ts";

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** The answers to one request after the other; an error breaks the connection. */
type Script = readonly (Response | Error)[];

const ENVELOPE = { batch_id: "b", results: [], summary: {}, stats: {} } as unknown as Envelope;
const RESULT = { index: 0, id: "a0", tool: "t", status: "success", data: 1, meta: {} };
const LOST = new TypeError("fetch failed");

function problem(status: number, code: string, more: object = {}): Response {
  return Response.json({ code, detail: "Do otherwise.", status, ...more }, { status });
}

function clientOf(script: Script) {
  const sent: Sent[] = [];
  const waits: number[] = [];
  const left = [...script];
  const client = createClient({
    url: "https://volley.example.com/",
    key: "k",
    fetch: async (url, init) => {
      init.signal?.throwIfAborted();
      const body: unknown = init.body === undefined ? undefined : JSON.parse(String(init.body));
      sent.push({ url, method: init.method!, headers: new Headers(init.headers), body });
      const next = left.shift();
      if (next === undefined) throw new Error("The script is over");
      if (next instanceof Error) throw next;
      return next;
    },
    sleep: async (ms) => void waits.push(ms),
  });
  return { client, sent, waits };
}

/** A stream that tells these events and then ends, or breaks. */
function events(texts: readonly (string | Uint8Array<ArrayBuffer>)[], { breaks = false } = {}): Response {
  const pieces = texts.values();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = pieces.next();
      if (done !== true)
        controller.enqueue(typeof value === "string" ? new TextEncoder().encode(value) : value);
      else if (breaks) controller.error(LOST);
      else controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

async function collect(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const all: StreamEvent[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

const BATCH = { actions: [{ tool: "t", args: { n: 1 } }] };

test("A batch in the background is recorded, and its results come in pages", async () => {
  const recorded = { run_id: "r", job_id: "j/1" };
  const page = { results: [RESULT], next_cursor: "0.24" };
  const { client, sent } = clientOf([
    Response.json(recorded, { status: 202 }),
    Response.json(page),
    Response.json({ ...page, next_cursor: null }),
  ]);
  expect(await client.begin(BATCH, { idempotencyKey: "k-1" })).toEqual(recorded);
  expect(await client.results(recorded.job_id)).toEqual(page);
  expect(await client.results(recorded.job_id, { cursor: "0.24" })).toMatchObject({ next_cursor: null });
  expect(sent.map(({ method, url, body }) => [method, url, body])).toEqual([
    ["POST", "https://volley.example.com/v1/execute_actions", { ...BATCH, background: true }],
    ["GET", "https://volley.example.com/v1/jobs/j%2F1/results", undefined],
    ["GET", "https://volley.example.com/v1/jobs/j%2F1/results?cursor=0.24", undefined],
  ]);
  expect(sent[0]!.headers.get("idempotency-key")).toBe("k-1");
});

describe("A batch", () => {
  test("is sent with the key, and its answer is the envelope", async () => {
    const { client, sent } = clientOf([Response.json(ENVELOPE)]);
    expect(await client.execute(BATCH, { idempotencyKey: "once" })).toEqual(ENVELOPE);
    expect(sent).toMatchObject([
      { url: "https://volley.example.com/v1/execute_actions", method: "POST", body: BATCH },
    ]);
    expect(sent[0]!.headers.get("authorization")).toBe("Bearer k");
    expect(sent[0]!.headers.get("idempotency-key")).toBe("once");
  });

  test("whose connection is lost is sent again under its idempotency key, after a pause that grows", async () => {
    const { client, sent, waits } = clientOf([LOST, LOST, Response.json(ENVELOPE)]);
    expect(await client.execute(BATCH, { idempotencyKey: "once" })).toEqual(ENVELOPE);
    expect(sent.map(({ headers }) => headers.get("idempotency-key"))).toEqual(["once", "once", "once"]);
    expect(waits).toEqual([250, 500]);
  });

  test("whose connection is lost is not sent again without one, because it may have run", async () => {
    const { client, sent } = clientOf([LOST, Response.json(ENVELOPE)]);
    await expect(client.execute(BATCH)).rejects.toMatchObject({ code: "CONNECTION_LOST", status: 0 });
    expect(sent).toHaveLength(1);
  });

  test("that still runs when it is sent again is asked for until it is over, when the server says", async () => {
    const running = problem(409, "IDEMPOTENCY_IN_PROGRESS", { retry_after_ms: 1_000 });
    const { client, waits } = clientOf([LOST, running, Response.json(ENVELOPE)]);
    expect(await client.execute(BATCH, { idempotencyKey: "once" })).toEqual(ENVELOPE);
    expect(waits).toEqual([250, 1_000]);
  });

  test("whose answer breaks off in the middle is a lost connection", async () => {
    const { client } = clientOf([events(['{"batch_id":'], { breaks: true }), Response.json(ENVELOPE)]);
    expect(await client.execute(BATCH, { idempotencyKey: "once" })).toEqual(ENVELOPE);
  });

  test("is given up after two repetitions", async () => {
    const { client, sent } = clientOf([LOST, LOST, LOST, Response.json(ENVELOPE)]);
    await expect(client.execute(BATCH, { idempotencyKey: "once" })).rejects.toBeInstanceOf(VolleyError);
    expect(sent).toHaveLength(3);
  });

  test("that is refused is an error with its code, hint, issues and wait, and is never sent again", async () => {
    const issues = [{ path: "/actions", expected: "an array", received: "nothing", hint: "Send one." }];
    const { client, sent } = clientOf([problem(429, "QUOTA_EXCEEDED", { retry_after_ms: 700, issues })]);
    await expect(client.execute(BATCH, { idempotencyKey: "once" })).rejects.toMatchObject({
      name: "VolleyError",
      message: "QUOTA_EXCEEDED: Do otherwise.",
      code: "QUOTA_EXCEEDED",
      hint: "Do otherwise.",
      status: 429,
      retryAfterMs: 700,
      issues,
    });
    expect(sent).toHaveLength(1);
  });

  test("that something else answers is told without its words", async () => {
    for (const answer of [
      new Response("<h1>secret</h1>", { status: 502 }),
      new Response("<h1>secret</h1>"),
    ]) {
      const { client } = clientOf([answer]);
      const refused = await client.execute(BATCH).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: "UNEXPECTED_ANSWER", status: answer.status });
      expect(String(refused)).not.toContain("secret");
    }
  });

  test("whose caller gives up rejects with the signal's reason, and is not sent again", async () => {
    const { client, sent } = clientOf([Response.json(ENVELOPE)]);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(client.execute(BATCH, { idempotencyKey: "once", signal })).rejects.toThrow("enough");
    expect(sent).toEqual([]);
  });

  test("is only planned where that is asked, and that question is asked again", async () => {
    const { client, sent } = clientOf([LOST, Response.json({ dry_run: true })]);
    expect(await client.plan(BATCH)).toEqual({ dry_run: true });
    expect(sent[1]!.body).toEqual({ ...BATCH, dry_run: true });
  });
});

const NONE = { total: 0, ok: 0, error: 0, initiated: 0, skipped: 0, pending_confirmation: 0, unknown: 0 };

/** The envelope of a stream that told a result and broke off, and went on in a run whose result is another. */
async function envelopeAfter(told: { readonly status: string }, now: { readonly status: string }) {
  const summary = { ...NONE, total: 1, [now.status === "success" ? "ok" : now.status]: 1 };
  const { client } = clientOf([
    events([event("result", told)], { breaks: true }),
    events([event("result", now), event("done", { ...ENVELOPE, results: [now], summary })]),
  ]);
  const all = await collect(client.stream(BATCH, { idempotencyKey: "once" }));
  expect(all).toHaveLength(2);
  return (all[1] as Extract<StreamEvent, { event: "done" }>).envelope;
}

describe("A stream", () => {
  test("tells each result and then the envelope, however its bytes are cut, comments left out", async () => {
    const text = `: hello\n\n${event("result", RESULT)}${event("done", ENVELOPE)}`;
    const { client, sent } = clientOf([events(Array.from(text))]);
    expect(await collect(client.stream(BATCH))).toEqual([
      { event: "result", result: RESULT },
      { event: "done", envelope: ENVELOPE },
    ]);
    expect(sent[0]!.headers.get("accept")).toBe("text/event-stream");
  });

  test("has every character whole, whatever bytes of it a piece ends with", async () => {
    const result = { ...RESULT, data: "ünd ✓ 🚗" };
    const bytes = new TextEncoder().encode(event("result", result) + event("done", ENVELOPE));
    const { client } = clientOf([events(Array.from(bytes, (byte) => Uint8Array.of(byte)))]);
    expect(await collect(client.stream(BATCH))).toEqual([
      { event: "result", result },
      { event: "done", envelope: ENVELOPE },
    ]);
  });

  test("that breaks off goes on under its idempotency key, and tells nothing twice", async () => {
    const second = { ...RESULT, index: 1, id: "a1" };
    const { client } = clientOf([
      events([event("result", RESULT)], { breaks: true }),
      events([event("result", RESULT), event("result", second), event("done", ENVELOPE)]),
    ]);
    expect(await collect(client.stream(BATCH, { idempotencyKey: "once" }))).toEqual([
      { event: "result", result: RESULT },
      { event: "result", result: second },
      { event: "done", envelope: ENVELOPE },
    ]);
  });

  test.each([
    ["a success", {}, { status: "unknown" }, { status: "success", data: 1 }],
    ["a success", {}, { status: "error" }, { status: "success", data: 1 }],
    ["a failure", { status: "error" }, { status: "unknown" }, { status: "error" }],
    ["a skip", { status: "skipped" }, { status: "unknown" }, { status: "skipped" }],
  ])(
    "that goes on in another run keeps %s that it has told, counted as it was: %j, %j",
    async (_, first, came, kept) => {
      const [told, now] = [first, came].map((more) => ({ ...RESULT, ...more }));
      expect(await envelopeAfter(told!, now!)).toEqual({
        ...ENVELOPE,
        results: [{ ...RESULT, ...kept }],
        summary: { ...NONE, total: 1, [kept.status === "success" ? "ok" : kept.status]: 1 },
      });
    },
  );

  test.each([
    ["did what had failed", { status: "error" }, { status: "success" }],
    ["read anew", {}, { data: 2 }],
    ["asks anew", { status: "pending_confirmation" }, { status: "pending_confirmation", n: 2 }],
    ["may have done what waited for a person", { status: "pending_confirmation" }, { status: "unknown" }],
    ["knows what was not known", { status: "unknown" }, { status: "success" }],
  ])("that goes on in another run has the result of the run that %s", async (_, first, came) => {
    const [told, now] = [first, came].map((more) => ({ ...RESULT, ...more }));
    expect(await envelopeAfter(told!, now!)).toMatchObject({ results: [now] });
  });

  test("that goes on in another run says of what it has told whether it was taken back since", async () => {
    const now = { ...RESULT, status: "unknown", meta: { in_doubt: true, undone: true } };
    const { results } = await envelopeAfter(RESULT, now);
    expect(results).toEqual([{ ...RESULT, meta: { undone: true } }]);
  });

  test("that ends before the batch does is lost, after what it has told", async () => {
    const { client } = clientOf([events([event("result", RESULT)])]);
    const told: StreamEvent[] = [];
    const reading = (async () => {
      for await (const one of client.stream(BATCH)) told.push(one);
    })();
    await expect(reading).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    expect(told).toEqual([{ event: "result", result: RESULT }]);
  });

  test("that is not read on is taken back", async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(event("result", RESULT))),
      cancel: () => void (isCancelled = true),
    });
    let signal: AbortSignal | null | undefined;
    const client = createClient({
      url: "https://volley.example.com",
      key: "k",
      fetch: async (_, init) => {
        ({ signal } = init);
        signal?.addEventListener("abort", () => void (isCancelled = true));
        return new Response(body);
      },
    });
    for await (const one of client.stream(BATCH)) {
      expect(one.event).toBe("result");
      break;
    }
    expect(signal?.aborted).toBe(true);
    expect(isCancelled).toBe(true);
  });

  test("that is refused is an error like any other", async () => {
    const { client } = clientOf([problem(401, "UNAUTHORIZED")]);
    await expect(collect(client.stream(BATCH))).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });
});

describe("A job", () => {
  const job = (status: string, more: object = {}): Response =>
    Response.json({
      job_id: "j",
      status,
      updated_at: "2026-01-01T00:00:00Z",
      next_attempt_at: null,
      ...more,
    });

  test("is waited for until it is over, and not asked for before its next attempt", async () => {
    const retrying = job("retrying", { next_attempt_at: "2026-01-01T00:00:04Z" });
    const { client, sent, waits } = clientOf([job("running"), retrying, LOST, job("dead")]);
    expect(await client.waitFor("j")).toMatchObject({ status: "dead" });
    expect(sent.map(({ url }) => url)).toEqual(Array(4).fill("https://volley.example.com/v1/jobs/j"));
    expect(waits).toEqual([500, 4_000, 250]);
  });

  test("is listed, cancelled and redriven by its paths; what changes it is sent once", async () => {
    const { client, sent } = clientOf([
      Response.json({ jobs: [], next_cursor: null }),
      job("cancelled"),
      LOST,
    ]);
    await client.jobs({ status: "dead", tool: "t" });
    await client.cancel("a/b");
    await expect(client.redrive("j")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    expect(
      sent.map(({ method, url }) => `${method} ${url.slice("https://volley.example.com".length)}`),
    ).toEqual(["GET /v1/jobs?status=dead&tool=t", "POST /v1/jobs/a%2Fb/cancel", "POST /v1/jobs/j/redrive"]);
  });
});

test("A question is decided with what was shown, under a key where there is one", async () => {
  const { client, sent } = clientOf([LOST, Response.json(ENVELOPE)]);
  await client.decide("c", "approve", { idempotencyKey: "yes", argsHash: "h" });
  expect(sent[1]).toMatchObject({
    url: "https://volley.example.com/v1/confirmations/c",
    body: { decision: "approve", args_hash: "h" },
  });
});
