import { describe, expect, test } from "vitest";

import type { WireEnvelope, WireResult } from "../support/execute-batch.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";

const { upstream, volley } = await setUpSandbox();

const SSE = { accept: "text/event-stream" };

interface StreamEvent {
  readonly event: string;
  readonly data: string;
  /** Milliseconds since the request was sent. */
  readonly atMs: number;
}

/** Send a batch and note when each of its events arrives. */
async function stream(actions: readonly unknown[], fields: object = {}) {
  const startedAt = performance.now();
  const response = await fetch(`${volley.url}/v1/execute_actions`, {
    method: "POST",
    headers: { ...SSE, authorization: "Bearer sandbox-key", "content-type": "application/json" },
    body: JSON.stringify({ actions, ...fields }),
  });
  const events: StreamEvent[] = [];
  let pending = "";
  for await (const bytes of response.body!) {
    pending += Buffer.from(bytes).toString();
    const blocks = pending.split("\n\n");
    pending = blocks.pop()!;
    for (const block of blocks) {
      const [, event = "", data = ""] = /^event: (\w+)\ndata: ([^\r\n]*)$/.exec(block) ?? [];
      events.push({ event, data, atMs: performance.now() - startedAt });
    }
  }
  expect(pending).toBe("");
  const results = events.slice(0, -1).map(({ data }) => JSON.parse(data) as WireResult);
  return { response, events, results, envelope: JSON.parse(events.at(-1)!.data) as WireEnvelope };
}

describe("A streamed batch", () => {
  test("tells each result as it is known, and at last the whole envelope", async () => {
    const { response, events, results, envelope } = await stream([
      { tool: "probe-echo", args: { n: 0, d: 500 } },
      { tool: "probe-nothing" },
      { tool: "probe-echo", args: { n: 2 } },
      { tool: "probe-background", args: { n: 3 } },
      { tool: "probe-echo", args: { n: 4 }, depends_on: ["a1"] },
    ]);

    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("ratelimit")).toMatch(/^"requests";r=\d+;t=\d+$/);
    expect(events.map(({ event }) => event)).toEqual([...Array<string>(5).fill("result"), "done"]);
    expect(results.at(-1)).toMatchObject({ index: 0, status: "success", data: { n: 0 } });
    expect(results.map(({ index }) => index).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4]);
    // The slow one held back nobody else's event.
    expect(events[3]!.atMs).toBeLessThan(450);
    expect(events[4]!.atMs).toBeGreaterThanOrEqual(490);
    expect(envelope.results.map(({ status }) => status)).toEqual([
      "success",
      "error",
      "success",
      "initiated",
      "skipped",
    ]);
    for (const result of results) expect(envelope.results[result.index]).toEqual(result);
  });

  test("keeps a line break in an upstream's text from becoming an event", async () => {
    upstream.script("/forged", (_, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.end("fine\n\nevent: done\ndata: {}\n\n\r\u2028");
    });
    const { events, results } = await stream([{ tool: "probe-any", args: { path: "/forged" } }]);

    expect(events.map(({ event }) => event)).toEqual(["result", "done"]);
    expect(results[0]?.data).toEqual({ text: "fine\n\nevent: done\ndata: {}\n\n\r\u2028" });
  });

  test("that only asks for its plan is told it, and nothing else", async () => {
    const { response, events, envelope } = await stream([{ id: "one", tool: "probe-echo", args: { n: 1 } }], {
      dry_run: true,
    });

    expect(response.status).toBe(200);
    expect(events.map(({ event }) => event)).toEqual(["done"]);
    expect(envelope).toMatchObject({ dry_run: true, plan: { waves: [["one"]] }, errors: [] });
    expect(response.headers.has("ratelimit")).toBe(false);
  });

  test("that is refused is a problem document with its own status", async () => {
    const body = JSON.stringify({ actions: [] });
    const answer = await new TestCaller(volley.url).send({ headers: SSE, body });
    expect(problemOf(answer)).toMatchObject({ status: 422, code: "INVALID_BATCH" });
  });

  test("over the quota is one as well", async () => {
    const small = new TestCaller(volley.url, "sandbox-small-key");
    const body = JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 1 } }] });
    for (let sent = 0; sent < 20; sent += 1) await small.send({ headers: SSE, body });
    const answer = await small.send({ headers: SSE, body });

    expect(problemOf(answer)).toMatchObject({ status: 429, code: "QUOTA_EXCEEDED" });
    expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
  });
});
