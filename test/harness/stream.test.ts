import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import type { WireEnvelope, WireResult } from "../support/execute-batch.ts";
import { sendAndHold } from "../support/raw-client.ts";
import { sendForEvents, type SendOptions } from "../support/send-for-events.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";

const { upstream, volley, caller } = await setUpSandbox();

const SSE = { accept: "text/event-stream" };

interface StreamOptions extends SendOptions {
  /** Fields of the batch beside its actions. */
  readonly fields?: object;
}

/** Stream a batch and read it to its end. */
async function stream(actions: readonly unknown[], { fields, ...options }: StreamOptions = {}) {
  const body = { actions, ...fields };
  const answer = await sendForEvents(`${volley.url}/v1/execute_actions`, body, options);
  return {
    ...answer,
    results: answer.results as readonly WireResult[],
    envelope: answer.done as WireEnvelope,
  };
}

describe("A streamed batch", () => {
  test("tells each result as it is known, and at last the whole envelope", async () => {
    const answerFirst = upstream.hold("/echo", 0);
    const { response, events, results, envelope } = await stream(
      [
        { tool: "probe-echo", args: { n: 0 } },
        { tool: "probe-nothing" },
        { tool: "probe-echo", args: { n: 2 } },
        { tool: "probe-background", args: { n: 3 } },
        { tool: "probe-echo", args: { n: 4 }, depends_on: ["a1"] },
      ],
      // It would end by its time limit if it held back anybody else's event.
      { onEvent: (count) => void (count === 4 && answerFirst()) },
    );

    expect(response.headers.get("ratelimit")).toMatch(/^"requests";r=\d+;t=\d+$/);
    expect(events.map(({ event }) => event)).toEqual([...Array<string>(5).fill("result"), "done"]);
    expect(results.at(-1)).toMatchObject({ index: 0, status: "success", data: { n: 0 } });
    expect(results.map(({ index }) => index).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4]);
    expect(envelope.results.map(({ status }) => status)).toEqual([
      "success",
      "error",
      "success",
      "initiated",
      "skipped",
    ]);
    for (const result of results) expect(envelope.results[result.index]).toEqual(result);
  });

  test("with progress tells each call when it begins, before its result, and says the time that the result says", async () => {
    const actions = [{ tool: "probe-echo", args: { n: 1 } }, { tool: "probe-nothing" }];
    const loop = { id: "loop", tool: "probe-echo", for_each: [2, 3], args: { n: { $ref: "item#" } } };
    const { events, envelope } = await stream([...actions, loop], { fields: { progress: true } });
    const started = events.flatMap(({ event, data }) => (event === "started" ? [data as object] : []));
    const { started_ms } = envelope.results[0]!.meta;
    expect(started[0]).toEqual({ index: 0, id: "a0", try: 1, started_ms });
    expect(started.slice(1)).toEqual(
      [0, 1].map((element) => ({ index: 2, id: "loop", element, try: 1, started_ms: expect.any(Number) })),
    );
    const names = events.map(({ event, data }) => `${event} ${(data as { id?: string }).id ?? ""}`);
    expect(names.indexOf("started a0")).toBeLessThan(names.indexOf("result a0"));
  });

  test("has its headers on the wire before any result, and each result before the next", async () => {
    const actions = [700, 1_400].map((n) => ({ tool: "probe-echo", args: { n } }));
    const answerFirst = upstream.hold("/echo", 700);
    const answerSecond = upstream.hold("/echo", 1_400);
    const socket = await sendAndHold(volley.url, actions, { ...SSE, connection: "close" });
    let received = "";
    socket.on("data", (bytes: Buffer) => void (received += bytes.toString()));
    const arrival = (text: string) =>
      eventually(`'${text}' on the wire`, () => (received.includes(text) ? received : undefined));

    expect(await arrival("\r\n\r\n")).not.toContain("event:");
    answerFirst();
    const first = await arrival("event: result");
    expect(first).toContain('"n":700');
    expect(first).not.toContain('"n":1400');
    expect(await arrival("\n: still running\n")).not.toContain("event: done");
    answerSecond();
    await eventually("the end of the stream", () => (socket.readableEnded ? true : undefined));
    expect(received.indexOf('"n":1400')).toBeLessThan(received.indexOf("event: done"));
    expect(received.slice(received.indexOf("event: done"))).not.toContain("\n:");
  });

  test.each([
    ["line breaks that would be an event", "fine\n\nevent: done\ndata: {}\n\n\r\r\n:x\u2028\u2029"],
    ["NUL, a byte order mark and halves of a character", "\0\uFEFF\u0007\uD83D \uDE00\uDFFF"],
  ])("carries %s in an upstream's text unharmed", async (_, text) => {
    upstream.script("/text", (__, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ text }));
    });
    const { events, results, envelope } = await stream([{ tool: "probe-any", args: { path: "/text" } }]);

    expect(events.map(({ event }) => event)).toEqual(["result", "done"]);
    expect(results[0]?.data).toEqual({ text });
    expect(envelope.results).toEqual(results);
  });

  test("tells at its deadline what became of what is not over", async () => {
    const answerHeard = upstream.hold("/echo", 2);
    const answerSlow = upstream.hold("/read");
    const { results, envelope } = await stream(
      [
        { id: "quick", tool: "probe-echo", args: { n: 1 } },
        { id: "heard", tool: "probe-echo", args: { n: 2 } },
        { id: "slow", tool: "probe-read", args: { n: 3 } },
        { id: "next", tool: "probe-echo", args: { n: 4 }, depends_on: ["slow"] },
      ],
      // That the second one is answered before the deadline shows that the first one's event was told before it.
      { fields: { deadline_ms: 3_000 }, onEvent: answerHeard },
    );
    answerSlow();

    expect(results.slice(0, 2).map(({ id }) => id)).toEqual(["quick", "heard"]);
    expect(Object.fromEntries(results.map(({ id, status }) => [id, status]))).toEqual({
      quick: "success",
      heard: "success",
      slow: "initiated",
      next: "error",
    });
    for (const result of results) expect(envelope.results[result.index]).toEqual(result);
  });

  test("is replayed for its idempotency key, as the same results in the order asked", async () => {
    const actions = [
      { tool: "probe-echo", args: { n: 10 } },
      { tool: "probe-echo", args: { n: 11 } },
    ];
    const headers = { "idempotency-key": "streamed-1" };
    const first = await stream(actions, { headers, onEvent: upstream.hold("/echo", 10) });
    const again = await stream(actions, { headers });

    expect(first.results.map(({ id }) => id)).toEqual(["a1", "a0"]);
    expect(again.response.headers.get("idempotency-replayed")).toBe("true");
    expect(again.results).toEqual(first.envelope.results);
    expect(again.done).toEqual(first.done);
    expect(upstream.requestsTo("/echo").filter(({ query }) => query.get("n") === "10")).toHaveLength(1);
  });

  test("of fifty large results loses nothing to a client that reads late", async () => {
    const text = "x".repeat(300_000);
    upstream.script("/large", (query, response) => {
      const n = Number(query.get("n"));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ n, text }));
    });
    const actions = Array.from({ length: 50 }, (_, n) => ({
      tool: "probe-any",
      args: { path: `/large?n=${n}` },
    }));
    const { results, envelope } = await stream(actions, {
      beforeReading: () =>
        eventually("every call to arrive", () =>
          upstream.requestsTo("/large").length === 50 ? true : undefined,
        ),
    });

    expect(results.map(({ index }) => index).sort((a, b) => a - b)).toEqual(actions.map((_, n) => n));
    for (const { index, data } of results) expect(data).toEqual({ n: index, text });
    expect(envelope.summary).toMatchObject({ total: 50, ok: 50 });
  });

  test("that only asks for its plan is told it, and nothing else", async () => {
    const actions = [{ id: "one", tool: "probe-echo", args: { n: 1 } }];
    const { response, events, envelope } = await stream(actions, { fields: { dry_run: true } });

    expect(response.status).toBe(200);
    expect(events.map(({ event }) => event)).toEqual(["done"]);
    expect(envelope).toMatchObject({ dry_run: true, plan: { waves: [["one"]] }, errors: [] });
    expect(response.headers.get("ratelimit")).toMatch(/^"lists";r=\d+;t=\d+$/);
  });

  test("that is refused is a problem document with its own status", async () => {
    const body = JSON.stringify({ actions: [] });
    const answer = await caller.send({ headers: SSE, body });
    expect(problemOf(answer)).toMatchObject({ status: 422, code: "INVALID_BATCH" });
  });

  test("over the quota is one as well", async () => {
    const small = new TestCaller(volley.url, "sandbox-small-key");
    const body = JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 1 } }] });
    let answer = await small.send({ headers: SSE, body });
    // Quota that refills meanwhile is used up as well.
    for (let sent = 1; sent < 20 || answer.status === 200; sent += 1)
      answer = await small.send({ headers: SSE, body });

    expect(problemOf(answer)).toMatchObject({ status: 429, code: "QUOTA_EXCEEDED" });
    expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
  });
});

test.each([
  ["*/*", "application/json"],
  ["text/event-stream;q=0, */*", "application/json"],
  ["application/json, text/event-stream;q=0.5", "application/json"],
  ["application/json, text/event-stream", "text/event-stream"],
])("A batch with 'Accept: %s' is answered as %s", async (accept, type) => {
  const body = JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 1 } }] });
  const { headers } = await caller.send({ headers: { accept }, body });
  expect(headers["content-type"]).toBe(type);
});
