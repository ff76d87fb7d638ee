import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import type { WireEnvelope } from "../support/execute-batch.ts";
import { sendAndHold } from "../support/raw-client.ts";
import { sendForEvents } from "../support/send-for-events.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, type RawAnswer, TestCaller } from "../support/test-caller.ts";

const { upstream, caller, volley } = await setUpSandbox();

let keys = 0;
const freshKey = (): string => `key-${++keys}`;

/** Send a batch under a key. */
function send(key: string, actions: readonly unknown[], options: { fields?: object; as?: TestCaller } = {}) {
  return (options.as ?? caller).send({
    headers: { "idempotency-key": key },
    body: JSON.stringify({ actions, ...options.fields }),
  });
}

const envelopeOf = ({ text }: { readonly text: string }): WireEnvelope => JSON.parse(text) as WireEnvelope;

/** Run something so many times at once; the call of one of them is answered when all the others are over. */
function whileHeld<T>(answer: () => void, count: number, run: () => Promise<T>): Promise<T[]> {
  let over = 0;
  const all = Array.from({ length: count }, async () => {
    const result = await run();
    over += 1;
    if (over === count - 1) answer();
    return result;
  });
  return Promise.all(all);
}

/** The writes that arrived upstream with this `n`. */
const writesOf = (n: number, path = "/write") =>
  upstream.requestsTo(path).filter(({ body }) => (JSON.parse(body) as { n: number }).n === n);

describe("P5: a batch under an Idempotency-Key", () => {
  test("T19 sent again is answered byte for byte as before, and nothing is called", async () => {
    const key = freshKey();
    const actions = [
      { tool: "probe-write", args: { n: 1 } },
      { tool: "probe-echo", args: { n: 1 } },
      { tool: "probe-background", args: { n: 1 } },
      { tool: "probe-nothing" },
    ];
    const first = await send(key, actions);
    const calls = upstream.requests.length;
    const again = await send(key, actions);

    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(first.headers["idempotency-replayed"]).toBeUndefined();
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(again.headers["ratelimit"]).toBeUndefined();
    await eventually("the job's call", () => Promise.resolve(writesOf(1, "/background")[0]), {
      everyMs: 20,
    });
    expect([writesOf(1).length, writesOf(1, "/background").length]).toEqual([1, 1]);
    expect(upstream.requests.length - calls).toBeLessThanOrEqual(1);
  });

  test("is the same however its JSON and its key are spelled", async () => {
    const first = await caller.send({
      headers: { "idempotency-key": '"spelled"' },
      body: '{"actions":[{"tool":"probe-write","args":{"n":2}}],"on_error":"fail-fast"}',
    });
    const again = await caller.send({
      headers: { "idempotency-key": "spelled" },
      body: '{ "on_error": "fail-fast", "actions": [ { "args": { "n": 2.0 }, "tool": "probe-write" } ] }',
    });
    expect(again.text).toBe(first.text);
    expect(writesOf(2)).toHaveLength(1);
  });

  test("with other content, or from another key of the tenant, is refused", async () => {
    const key = freshKey();
    await send(key, [{ tool: "probe-write", args: { n: 3 } }]);
    const other = await send(key, [{ tool: "probe-write", args: { n: 4 } }]);
    expect(problemOf(other)).toMatchObject({ status: 422, code: "IDEMPOTENCY_CONFLICT" });
    expect([writesOf(3).length, writesOf(4).length]).toEqual([1, 0]);
    const small = await send(key, [{ tool: "probe-write", args: { n: 3 } }], {
      as: new TestCaller(volley.url, "sandbox-small-key"),
    });
    expect(problemOf(small)).toMatchObject({ status: 422, code: "IDEMPOTENCY_CONFLICT" });
    expect(writesOf(3)).toHaveLength(1);
  });

  test("T03 is another batch for another tenant", async () => {
    const key = freshKey();
    const actions = [{ tool: "probe-write", args: { n: 5 } }];
    await send(key, actions);
    const theirs = await send(key, actions, { as: new TestCaller(volley.url, "sandbox-other-key") });
    expect(theirs.headers["idempotency-replayed"]).toBeUndefined();
    expect(writesOf(5)).toHaveLength(2);
  });

  test("F18 100 times at once runs once, and the others are told to come back", async () => {
    const key = freshKey();
    const actions = [
      { tool: "probe-write", args: { n: 6 } },
      { tool: "probe-background", args: { n: 6 } },
    ];
    const answers = await whileHeld(upstream.hold("/write", 6), 100, () => send(key, actions));

    const refused = answers.filter(({ status }) => status === 409);
    expect([refused.length, answers.filter(({ status }) => status === 200).length]).toEqual([99, 1]);
    for (const answer of refused) {
      expect(problemOf(answer).code).toBe("IDEMPOTENCY_IN_PROGRESS");
      expect(answer.headers["retry-after"]).toBe("1");
    }
    expect(writesOf(6)).toHaveLength(1);
    expect((await send(key, actions)).text).toBe(answers.find(({ status }) => status === 200)!.text);
    await eventually("the job's call", () => writesOf(6, "/background")[0]);
    expect(writesOf(6, "/background")).toHaveLength(1);
  });

  test("that was refused may be sent again, corrected, under the same key", async () => {
    const key = freshKey();
    expect((await send(key, [])).status).toBe(422);
    const answer = await send(key, [{ tool: "probe-write", args: { n: 7 } }]);
    expect(envelopeOf(answer).results[0]!.status).toBe("success");
  });

  test("is not touched by a dry run", async () => {
    const key = freshKey();
    const actions = [{ tool: "probe-write", args: { n: 8 } }];
    await send(key, actions);
    const dry = await send(key, actions, { fields: { dry_run: true } });
    expect([dry.status, dry.headers["idempotency-replayed"]]).toEqual([200, undefined]);
    expect(JSON.parse(dry.text)).toMatchObject({ dry_run: true });
  });

  test("T19 replays what is unknown as unknown", async () => {
    upstream.script("/write", (_, response) => void response.destroy());
    const key = freshKey();
    const actions = [{ tool: "probe-write", args: { n: 9 } }];
    const first = await send(key, actions);
    expect(envelopeOf(first).results[0]!.status).toBe("unknown");
    expect((await send(key, actions)).text).toBe(first.text);
    expect(writesOf(9)).toHaveLength(1);
    upstream.script("/write", (_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"path":"/write"}');
    });
  });

  test("is replayed as events to a caller that asks for events", async () => {
    const key = freshKey();
    const actions = [{ tool: "probe-echo", args: { n: 10 } }, { tool: "probe-nothing" }];
    const first = await send(key, actions);
    const { response, results, done } = await sendForEvents(
      `${volley.url}/v1/execute_actions`,
      { actions },
      { headers: { "idempotency-key": key } },
    );
    expect(response.headers.get("idempotency-replayed")).toBe("true");
    expect(results).toEqual(envelopeOf(first).results);
    expect(done).toEqual(envelopeOf(first));
  });

  test("runs to its end when its caller hangs up, who then gets the answer", async () => {
    const key = freshKey();
    const actions = [{ tool: "probe-echo", args: { n: 11 } }];
    const answerRead = upstream.hold("/echo", 11);
    const socket = await sendAndHold(volley.url, actions, { "idempotency-key": key });
    await eventually("the read", () =>
      upstream.requestsTo("/echo").find(({ query }) => query.get("n") === "11"),
    );
    socket.resetAndDestroy();
    // As long as it is under way, it is held for the caller who left.
    expect((await send(key, actions)).status).toBe(409);
    answerRead();
    const answer = await eventually(
      "the answer",
      async () => {
        const answer = await send(key, actions);
        return answer.status === 200 ? answer : undefined;
      },
      { everyMs: 100 },
    );
    expect(answer.headers["idempotency-replayed"]).toBe("true");
    expect(envelopeOf(answer).results[0]).toMatchObject({ status: "success", data: { n: 11 } });
  });
});

describe("P5: an action under an idempotency_key", () => {
  test("answers its first result in every later batch, and a reference to it sees that", async () => {
    const keyed = { id: "w", tool: "probe-write", args: { n: 20 }, idempotency_key: freshKey() };
    await caller.execute([keyed]);
    const { results } = await caller.execute([
      { ...keyed, id: "again" },
      { tool: "probe-echo", args: { n: 21 }, depends_on: ["again"] },
    ]);
    expect(results[0]).toMatchObject({
      id: "again",
      status: "success",
      meta: { idempotency_replayed: true },
    });
    expect(results[0]!.meta.duration_ms).toBeUndefined();
    expect(results[1]!.status).toBe("success");
    expect(writesOf(20)).toHaveLength(1);
  });

  test("has the same job again, and one call", async () => {
    const keyed = { tool: "probe-background", args: { n: 22 }, idempotency_key: freshKey() };
    const [first] = (await caller.execute([keyed])).results;
    const [, again] = (await caller.execute([{ tool: "probe-echo", args: { n: 1 } }, keyed])).results;
    expect(again).toMatchObject({ status: "initiated", job_id: first!.job_id });
    await eventually("its call", () => Promise.resolve(writesOf(22, "/background")[0]), {
      everyMs: 20,
    });
    expect(writesOf(22, "/background")).toHaveLength(1);
  });

  test("with other content is a conflict, and its siblings run", async () => {
    const key = freshKey();
    await caller.execute([{ tool: "probe-write", args: { n: 23 }, idempotency_key: key }]);
    const { results } = await caller.execute([
      { tool: "probe-write", args: { n: 24 }, idempotency_key: key },
      { tool: "probe-echo", args: { n: 1 } },
    ]);
    expect(results[0]).toMatchObject({
      status: "error",
      error: { code: "IDEMPOTENCY_CONFLICT", retryable: false, hint: expect.stringContaining("new one") },
    });
    expect(results[1]!.status).toBe("success");
    expect(writesOf(24)).toEqual([]);
  });

  test("compares what its references stand for: the same value replays, another one is a conflict", async () => {
    const key = freshKey();
    const batchOf = (n: number) => [
      { id: "e", tool: "probe-echo", args: { n } },
      { tool: "probe-write", args: { n: { $ref: "e#/n" } }, idempotency_key: key },
    ];
    const resultOf = async (actions: readonly object[]) =>
      (await caller.execute([...actions])).results.at(-1);
    const replay = { status: "success", meta: { idempotency_replayed: true } };
    await caller.execute(batchOf(26));
    expect(await resultOf(batchOf(26))).toMatchObject(replay);
    const literal = { tool: "probe-write", args: { n: 26 }, idempotency_key: key };
    expect(await resultOf([literal])).toMatchObject(replay);
    expect(await resultOf(batchOf(27))).toMatchObject({
      status: "error",
      error: { code: "IDEMPOTENCY_CONFLICT", retryable: false },
    });
    expect([writesOf(26).length, writesOf(27).length]).toEqual([1, 0]);
  });

  test("20 times at once runs once, and the others may come back", async () => {
    const keyed = { tool: "probe-echo", args: { n: 25 }, idempotency_key: freshKey() };
    const batches = await whileHeld(upstream.hold("/echo", 25), 20, () => caller.execute([keyed]));
    const results = batches.map(({ results }) => results[0]!);
    expect(results.filter(({ status }) => status === "success")).toHaveLength(1);
    for (const { error } of results.filter(({ status }) => status === "error"))
      expect(error).toMatchObject({
        code: "IDEMPOTENCY_CONFLICT",
        retryable: true,
        retry_after_ms: expect.any(Number),
      });
    expect(upstream.requestsTo("/echo").filter(({ query }) => query.get("n") === "25")).toHaveLength(1);
  });
});

describe("an Idempotency-Key that is none", () => {
  const REFUSED = { status: 422, code: "INVALID_BATCH", path: "Idempotency-Key" };

  test.each([
    ["too long", "k".repeat(256), "256 characters"],
    ["unfinished", '"k', String.raw`the string "\"k"`],
    ["sent twice", ["first", "second"], 'the string "first, second"'],
    ["sent twice in quotes", ['"first"', '"second"'], String.raw`the string "\"first\", \"second\""`],
    ["sent twice, alike", ["k", "k"], 'the string "k, k"'],
  ])("because it is %s is refused, and nothing runs", async (_, key, received) => {
    const bodies = {
      "/v1/execute_actions": { actions: [{ tool: "probe-write", args: { n: 8_001 } }] },
      "/v1/invoke_tool": { tool_name: "probe-write", parameters: { n: 8_001 } },
    };
    for (const [path, body] of Object.entries(bodies)) {
      const request = { path, headers: { "idempotency-key": key }, body: JSON.stringify(body) };
      expect(problemOf(await caller.send(request))).toMatchObject({ ...REFUSED, received });
    }
    expect(writesOf(8_001)).toEqual([]);
  });

  test("may hold a comma when it stands in quotes", async () => {
    const headers = { "idempotency-key": '"a, b"' };
    const body = JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 1 } }] });
    expect((await caller.send({ headers, body })).status).toBe(200);
  });
});

describe("P5: an Idempotency-Key on other paths", () => {
  test("of invoke_tool is the key of its one call", async () => {
    const request = (n: number) => ({
      path: "/v1/invoke_tool",
      headers: { "idempotency-key": "invoked" },
      body: JSON.stringify({ tool_name: "probe-write", parameters: { n } }),
    });
    const first = await caller.send(request(7_001));
    const again = await caller.send(request(7_001));
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(writesOf(7_001)).toHaveLength(1);
    expect(problemOf(await caller.send(request(7_002))).code).toBe("IDEMPOTENCY_CONFLICT");
  });

  const WRITE = (n: number) => ({ name: "probe-write", arguments: JSON.stringify({ n }) });
  const CALLS = (n: number) => [
    { id: "call_1", type: "function", function: WRITE(n) },
    { id: "call_2", type: "function", function: { name: "nothing-of-that-name", arguments: "{}" } },
    {
      id: "call_3",
      type: "function",
      function: {
        name: "execute_actions",
        arguments: JSON.stringify({ actions: [{ tool: "probe-write", args: { n: n + 1 } }] }),
      },
    },
  ];
  const BATCH = (n: number) => ({
    tools: [{ id: "1", toolName: "write", input: { path: `k${n}`, content: "x" } }],
  });
  const RPC = (n: number, id: number) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "execute_actions", arguments: { actions: [{ tool: "probe-write", args: { n } }] } },
  });
  const ACCEPT = { accept: "application/json, text/event-stream" };

  test("of a provider's turn runs the turn once, whatever batches are in it", async () => {
    const send = (n: number, headers = {}) =>
      caller.send({
        path: "/v1/openai/tool_calls",
        headers: { "idempotency-key": "turn", ...headers },
        body: JSON.stringify(CALLS(n)),
      });
    const first = await send(7_101);
    const again = await send(7_101);
    expect(first.headers).not.toHaveProperty("idempotency-replayed");
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect([writesOf(7_101).length, writesOf(7_102).length]).toEqual([1, 1]);

    const other = await send(7_103);
    expect(problemOf(other)).toMatchObject({ status: 422, code: "IDEMPOTENCY_CONFLICT" });
    expect([writesOf(7_103), writesOf(7_104)]).toEqual([[], []]);
    const events = await send(7_101, { accept: "text/event-stream" });
    expect(events.text.match(/^event: result$/gm)).toHaveLength(3);
    expect(writesOf(7_101)).toHaveLength(1);
  });

  test("of a turn is another one for another provider, and for a batch", async () => {
    const headers = { "idempotency-key": "turn-elsewhere" };
    const body = JSON.stringify([{ type: "function_call", call_id: "c", ...WRITE(7_111) }]);
    expect((await caller.send({ path: "/v1/openai/function_calls", headers, body })).status).toBe(200);
    for (const path of ["/v1/openai/tool_calls", "/v1/execute_actions"]) {
      const sent = path.endsWith("actions")
        ? JSON.stringify({ actions: [{ tool: "probe-write", args: { n: 7_111 } }] })
        : JSON.stringify(CALLS(7_111));
      expect(problemOf(await caller.send({ path, headers, body: sent })).code).toBe("IDEMPOTENCY_CONFLICT");
    }
    expect(writesOf(7_111)).toHaveLength(1);
  });

  test("of /api/orchestration/batch runs its tools once", async () => {
    const send = (n: number) =>
      caller.send({
        path: "/api/orchestration/batch",
        headers: { "idempotency-key": "orchestration" },
        body: JSON.stringify(BATCH(n)),
      });
    const first = await send(1);
    const again = await send(1);
    expect([first.status, again.text]).toEqual([200, first.text]);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(upstream.requestsTo("/tool/write").filter(({ body }) => body.includes("k1"))).toHaveLength(1);
    expect((await send(2)).status).toBe(422);
    expect(upstream.requestsTo("/tool/write").filter(({ body }) => body.includes("k2"))).toEqual([]);
  });

  test("of an MCP call runs it once, however its message is numbered", async () => {
    const send = (n: number, id: number) =>
      caller.send({
        path: "/mcp",
        headers: { "idempotency-key": "mcp", ...ACCEPT },
        body: JSON.stringify(RPC(n, id)),
      });
    const resultOf = ({ text }: RawAnswer): unknown =>
      (JSON.parse(text.replace(/^[^]*?data: /, "")) as { result: unknown }).result;
    const first = resultOf(await send(7_121, 1));
    expect(first).toMatchObject({ structuredContent: { summary: { ok: 1 } } });
    expect(resultOf(await send(7_121, 2))).toEqual(first);
    expect(writesOf(7_121)).toHaveLength(1);
    expect(resultOf(await send(7_122, 3))).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "IDEMPOTENCY_CONFLICT" } },
    });
    expect(writesOf(7_122)).toEqual([]);
  });
});

describe("T42 A batch that an official client sends again", () => {
  const send = (path: string, body: object, count: number) =>
    caller.send({ path, body: JSON.stringify(body), headers: { "x-stainless-retry-count": String(count) } });
  const write = (n: number) => ({ tool: "probe-write", args: { n } });

  test.each([
    ["/v1/execute_actions", 9_001, (n: number) => ({ actions: [write(n)] })],
    ["/v1/invoke_tool", 9_002, (n: number) => ({ tool_name: write(n).tool, parameters: write(n).args })],
    [
      "/v1/anthropic/tool_use",
      9_003,
      (n: number) => ({
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "probe-write", input: { n } }],
      }),
    ],
  ])("to %s is answered what it was answered, and its write is sent once", async (path, n, bodyOf) => {
    const first = await send(path, bodyOf(n), 0);
    expect(first.status).toBe(200);
    const again = await send(path, bodyOf(n), 1);
    expect([again.headers["idempotency-replayed"], again.text]).toEqual(["true", first.text]);
    expect(writesOf(n)).toHaveLength(1);
    // Counted from 0 it is another one.
    const anew = await send(path, bodyOf(n), 0);
    expect(anew.headers["idempotency-replayed"]).toBeUndefined();
    expect(writesOf(n)).toHaveLength(2);
  });
});
