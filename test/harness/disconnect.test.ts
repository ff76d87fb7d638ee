import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import type { SeenRequest } from "../support/hostile-upstream.ts";
import { sendAndHold } from "../support/raw-client.ts";
import { sendForEvents } from "../support/send-for-events.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { upstream, volley, caller } = await setUpSandbox({ VOLLEY_LOG: "off" });

/** A call that is torn before it would have been answered was aborted: its time limit is a second later. */
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

/** A reset is found out at once; how a polite close is, stands below. */
describe.each([
  ["its request", {}, 1_000],
  ["its stream", SSE, 2_000],
])("F09 When the client resets %s", (_, headers, base) => {
  test("a read under way is aborted, and what waited is not sent", async () => {
    const reads = Array.from({ length: 9 }, (_, n) => ({
      tool: "probe-echo",
      args: { n: base + n, d: LONG_MS },
    }));
    const client = await sendAndHold(volley.url, reads, headers);
    const sent = await Promise.all(reads.slice(0, 6).map(({ args }) => arrived("/echo", args.n)));
    client.resetAndDestroy();

    expect(await Promise.all(sent.map(({ end }) => end))).toEqual(sent.map(() => "torn"));
    const late = upstream.requestsTo("/echo").filter(({ query }) => Number(query.get("n")) >= base + 6);
    expect(late.filter(({ query }) => Number(query.get("n")) < base + 9)).toEqual([]);
  });

  test("a write that was sent is let finish", async () => {
    const answerWrite = upstream.hold("/write", base + 100);
    const write = { tool: "probe-write", args: { n: base + 100, status: 200 } };
    const read = { tool: "probe-echo", args: { n: base + 100, d: LONG_MS } };
    const client = await sendAndHold(volley.url, [write, read], headers);
    const [sentWrite, sentRead] = await Promise.all([
      arrived("/write", base + 100),
      arrived("/echo", base + 100),
    ]);
    client.resetAndDestroy();

    expect(await sentRead.end).toBe("torn");
    answerWrite();
    expect(await sentWrite.end).toBe("answered");
  });

  test("recorded background work goes on to its end", async () => {
    const answerJob = upstream.hold("/background", base + 200);
    const background = { tool: "probe-background", args: { n: base + 200, status: 200 } };
    const read = { tool: "probe-echo", args: { n: base + 200, d: LONG_MS } };
    const client = await sendAndHold(volley.url, [background, read], headers);
    const sent = await arrived("/background", base + 200);
    const sentRead = await arrived("/echo", base + 200);
    client.resetAndDestroy();

    expect(await sentRead.end).toBe("torn");
    answerJob();
    expect(await sent.end).toBe("answered");
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

/** Leave a stream without a reset, as clients do that have read everything so far. */
const POLITE: readonly [string, number, (actions: readonly object[]) => Promise<() => void>][] = [
  [
    "closes its connection",
    3_000,
    async (actions) => {
      const socket = await sendAndHold(volley.url, actions, SSE);
      socket.resume();
      return () => void socket.destroy();
    },
  ],
  [
    "aborts its fetch",
    3_100,
    async (actions) => {
      const leaving = new AbortController();
      const reading = sendForEvents(
        `${volley.url}/v1/execute_actions`,
        { actions },
        { signal: leaving.signal },
      );
      reading.catch(() => {});
      return () => leaving.abort();
    },
  ],
];

describe.each(POLITE)("When the client of a stream %s", (_, base, open) => {
  test("the next result finds out, and reads are aborted", async () => {
    const answerShort = upstream.hold("/echo", base);
    const leave = await open([
      { tool: "probe-echo", args: { n: base } },
      { tool: "probe-echo", args: { n: base + 1, d: LONG_MS } },
    ]);
    const [short, long] = await Promise.all([arrived("/echo", base), arrived("/echo", base + 1)]);
    leave();
    answerShort();

    expect(await short.end).toBe("answered");
    expect(await long.end).toBe("torn");
  });

  test("so does the next comment, which comes after a second in the beginning", async () => {
    const leave = await open([{ tool: "probe-echo", args: { n: base + 2, d: LONG_MS } }]);
    const read = await arrived("/echo", base + 2);
    leave();

    expect(await read.end).toBe("torn");
  });
});

test("a client that only says it will send nothing more gets its stream to the end", async () => {
  const actions = [{ tool: "probe-echo", args: { n: 3_200, d: 1_500 } }];
  const socket = await sendAndHold(volley.url, actions, { ...SSE, connection: "close" });
  let received = "";
  socket.on("data", (bytes: Buffer) => void (received += bytes.toString()));
  socket.end();
  await eventually("the end of the stream", () => (socket.readableEnded ? true : undefined));
  expect(received).toContain("event: done");
});

test("a polite close before one JSON answer is not found out: nothing is written before it", async () => {
  const socket = await sendAndHold(volley.url, [{ tool: "probe-echo", args: { n: 3_300, d: 1_500 } }]);
  const read = await arrived("/echo", 3_300);
  socket.destroy();
  expect(await read.end).toBe("answered");
});

test("the Worker serves the next caller as if nothing had happened", async () => {
  const { summary } = await caller.execute(
    Array.from({ length: 12 }, (_, n) => ({ tool: "probe-echo", args: { n, d: 10 } })),
  );
  expect(summary).toMatchObject({ ok: 12 });
  expect(volley.output().replace(/^Volley has .*\n(?: {2}Missing binding.*\n)*/, "")).toBe("");
});
