import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import type { SeenRequest } from "../support/hostile-upstream.ts";
import { sendAndHold } from "../support/raw-client.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { upstream, volley, caller } = await setUpSandbox();

/** Longer than any test waits. */
const LONG_MS = 9_000;
const SSE = { accept: "text/event-stream" };

/** The request of a path that carries this number, once it has arrived. */
function arrived(path: string, n: number): Promise<SeenRequest> {
  return eventually(`${path} with n=${n}`, () =>
    upstream
      .requestsTo(path)
      .find(({ query, body }) => query.get("n") === String(n) || body.includes(`"n":${n},`)),
  );
}

/** How a request ended, and how long that took from now. */
async function endOf(request: SeenRequest): Promise<{ end: string; afterMs: number }> {
  const startedAt = performance.now();
  const end = await request.end;
  return { end, afterMs: performance.now() - startedAt };
}

/** A reset; what a client that closes politely leaves is noticed only when something is written to it. */
describe.each([
  ["its request", {}, 1_000],
  ["its stream", SSE, 2_000],
])("When the client resets %s", (_, headers, base) => {
  test("a read under way is aborted, and what waited is not sent", async () => {
    const reads = Array.from({ length: 9 }, (_, n) => ({
      tool: "probe-echo",
      args: { n: base + n, d: LONG_MS },
    }));
    const client = await sendAndHold(volley.url, reads, headers);
    const sent = await Promise.all(reads.slice(0, 6).map(({ args }) => arrived("/echo", args.n)));
    client.resetAndDestroy();

    for (const { end, afterMs } of await Promise.all(sent.map(endOf))) {
      expect(end).toBe("torn");
      expect(afterMs).toBeLessThan(2_000);
    }
    const late = upstream.requestsTo("/echo").filter(({ query }) => Number(query.get("n")) >= base + 6);
    expect(late.filter(({ query }) => Number(query.get("n")) < base + 9)).toEqual([]);
  });

  test("a write that was sent is let finish", async () => {
    const write = { tool: "probe-write", args: { n: base + 100, d: 700, status: 200 } };
    const read = { tool: "probe-echo", args: { n: base + 100, d: LONG_MS } };
    const client = await sendAndHold(volley.url, [write, read], headers);
    const [sentWrite, sentRead] = await Promise.all([
      arrived("/write", base + 100),
      arrived("/echo", base + 100),
    ]);
    client.resetAndDestroy();

    expect((await endOf(sentRead)).end).toBe("torn");
    expect((await endOf(sentWrite)).end).toBe("answered");
  });

  test("recorded background work goes on to its end", async () => {
    const background = { tool: "probe-background", args: { n: base + 200, d: 500, status: 200 } };
    const read = { tool: "probe-echo", args: { n: base + 200, d: LONG_MS } };
    const client = await sendAndHold(volley.url, [background, read], headers);
    const sent = await arrived("/background", base + 200);
    await arrived("/echo", base + 200);
    client.resetAndDestroy();

    expect((await endOf(sent)).end).toBe("answered");
    // The upstream's key is the job's id: the client never heard it.
    const id = String(sent.headers["idempotency-key"]);
    const job = await eventually("the job to end", async () => {
      const { text } = await caller.get(`/v1/jobs/${id}`);
      const { status } = JSON.parse(text) as { status: string };
      return status === "running" ? undefined : status;
    });
    expect(job).toBe("succeeded");
  });
});

test("when the client closes its stream politely, the next event finds out and reads are aborted", async () => {
  const actions = [
    { tool: "probe-echo", args: { n: 3_000, d: 400 } },
    { tool: "probe-echo", args: { n: 3_001, d: LONG_MS } },
  ];
  const client = await sendAndHold(volley.url, actions, SSE);
  const [short, long] = await Promise.all([arrived("/echo", 3_000), arrived("/echo", 3_001)]);
  client.destroy();

  expect((await endOf(short)).end).toBe("answered");
  const { end, afterMs } = await endOf(long);
  expect(end).toBe("torn");
  expect(afterMs).toBeLessThan(2_000);
});

test("the Worker serves the next caller as if nothing had happened", async () => {
  const { summary } = await caller.execute(
    Array.from({ length: 12 }, (_, n) => ({ tool: "probe-echo", args: { n, d: 10 } })),
  );
  expect(summary).toMatchObject({ ok: 12 });
  expect(volley.output()).toBe("");
});
