import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { sendForEvents } from "../support/send-for-events.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";

const { upstream, volley, caller } = await setUpSandbox();

const SSE = { accept: "text/event-stream" };

/** A tool's name and its arguments. */
type Call = readonly [string, object];

interface Dialect {
  readonly path: string;
  /** The response of the provider's model. */
  readonly turn: (calls: readonly Call[]) => unknown;
  /** The items to append, made of one item a call. */
  readonly answer: (items: readonly unknown[]) => object;
}

const DIALECTS: readonly (readonly [string, Dialect])[] = Object.entries({
  "OpenAI's Chat Completions": {
    path: "/v1/openai/tool_calls",
    turn: (calls) =>
      calls.map(([name, args], n) => ({
        id: `id-${n}`,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      })),
    answer: (messages) => ({ messages }),
  },
  "OpenAI's Responses": {
    path: "/v1/openai/function_calls",
    turn: (calls) =>
      calls.map(([name, args], n) => ({
        type: "function_call",
        call_id: `id-${n}`,
        name,
        arguments: JSON.stringify(args),
      })),
    answer: (output) => ({ output }),
  },
  "Anthropic's Messages": {
    path: "/v1/anthropic/tool_use",
    turn: (calls) => calls.map(([name, input], n) => ({ type: "tool_use", id: `id-${n}`, name, input })),
    answer: (content) => ({ messages: [{ role: "user", content }] }),
  },
  Gemini: {
    path: "/v1/gemini/function_calls",
    turn: (calls) => calls.map(([name, args], n) => ({ functionCall: { id: `id-${n}`, name, args } })),
    answer: (parts) => ({ messages: [{ role: "user", parts }] }),
  },
} satisfies Record<string, Dialect>);

/** Which call an item answers: ids of calls are numbered here, and nothing else looks like them. */
function positionOf(item: unknown): number {
  return Number(/"id-(\d)"/.exec(JSON.stringify(item))![1]);
}

describe.each(DIALECTS)("A turn of %s, streamed,", (_, { path, turn, answer }) => {
  test("tells each call's item as it is known, and at last all of them in the order of the calls", async () => {
    const calls: readonly Call[] = [
      ["probe-echo", { n: 0 }],
      ["execute_actions", { actions: [1, 2].map((n) => ({ tool: "probe-echo", args: { n } })) }],
      ["probe-nothing", {}],
      ["probe-echo", { n: 3 }],
    ];
    const answerLast = upstream.hold("/echo", 0);
    const answerBatch = upstream.hold("/echo", 1, 2);
    // Each is answered only once what is known before has been told.
    const { response, events, results, done } = await sendForEvents(`${volley.url}${path}`, turn(calls), {
      onEvent: (count) => void (count === 2 ? answerBatch() : count === 3 && answerLast()),
    });

    expect(response.headers.get("ratelimit")).toMatch(/^"requests";r=\d+;t=\d+$/);
    expect(events.map(({ event }) => event)).toEqual([...Array<string>(4).fill("result"), "done"]);
    expect(results.map(positionOf)).toEqual([2, 3, 1, 0]);
    expect(done).toEqual(answer(results.toSorted((a, b) => positionOf(a) - positionOf(b))));
  });

  test("ends with what the plain answer is", async () => {
    const body = turn([
      ["probe-echo", { n: 1 }],
      ["probe-echo", { n: "one" }],
      ["probe-any", { path: "/status/404" }],
    ]);
    const { done } = await sendForEvents(`${volley.url}${path}`, body);
    const plain = await caller.send({ path, body: JSON.stringify(body) });
    expect(done).toEqual(JSON.parse(plain.text));
  });

  test("that calls nothing is over at once", async () => {
    const { events, done } = await sendForEvents(`${volley.url}${path}`, []);
    expect(events).toHaveLength(1);
    expect(Object.values(done as object)).toEqual([[]]);
  });

  test("that cannot be read is a problem document with its own status", async () => {
    const refused = await caller.send({ path, headers: SSE, body: JSON.stringify(1) });
    expect(problemOf(refused)).toMatchObject({ status: 422, code: "INVALID_BATCH" });
  });
});

const [[, CHAT]] = DIALECTS as [(typeof DIALECTS)[0]];

test("A streamed turn over the quota is a problem document, also when a call was wrong by itself", async () => {
  const small = new TestCaller(volley.url, "sandbox-small-key");
  const body = JSON.stringify(
    CHAT.turn([
      ["execute_actions", { actions: [] }],
      ["probe-echo", { n: 1 }],
    ]),
  );
  let answer = await small.send({ path: CHAT.path, headers: SSE, body });
  // Quota that refills meanwhile is used up as well.
  for (let sent = 1; sent < 20 || answer.status === 200; sent += 1)
    answer = await small.send({ path: CHAT.path, headers: SSE, body });
  expect(problemOf(answer)).toMatchObject({ status: 429, code: "QUOTA_EXCEEDED" });
});

test("When the client of a streamed turn goes away, reads are aborted, those of a batch in it too", async () => {
  const leaving = new AbortController();
  const slow = (n: number): Call => ["probe-echo", { n, d: 9_000 }];
  const [tool, args] = slow(101);
  const streaming = sendForEvents(
    `${volley.url}${CHAT.path}`,
    CHAT.turn([slow(100), ["execute_actions", { actions: [{ tool, args }] }]]),
    { signal: leaving.signal },
  );
  streaming.catch(() => {});
  const reads = await Promise.all(
    ["100", "101"].map((n) =>
      eventually(`the read ${n}`, () =>
        upstream.requestsTo("/echo").find(({ query }) => query.get("n") === n),
      ),
    ),
  );
  leaving.abort();

  // Before they would have been answered.
  expect(await Promise.all(reads.map(({ end }) => end))).toEqual(["torn", "torn"]);
});
