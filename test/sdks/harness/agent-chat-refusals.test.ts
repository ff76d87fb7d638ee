import { afterAll, describe, expect, test } from "vitest";

import { CHAT_PATH, messageOf, sentTo, setUpChat } from "../../support/chat-world.ts";
import { startSandbox } from "../../support/sandbox.ts";
import { type RawAnswer, TestCaller } from "../../support/test-caller.ts";
import { createOpenAi } from "../support/open-ai.ts";

/* Refusals of POST /v1/chat/completions in the words of OpenAI's API; the requests it counts, and the texts it never says. */

const SECRET = "#llm-secret-key-1";
const { model, upstream, volley, caller, ask, send, stream } = await setUpChat();
const openai = createOpenAi(volley);

interface Failure {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string;
    readonly param: string | null;
  };
  readonly request_id: string;
}

/** The error of a refusal, which has the provider's shape and nothing else. */
function failureOf({ headers, text }: RawAnswer): Failure["error"] {
  expect(headers["content-type"]).toBe("application/json");
  const { error, request_id: id, ...rest } = JSON.parse(text) as Failure;
  expect(rest).toEqual({});
  expect(id).toBe(headers["x-request-id"]);
  expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
  expect(error.message.length).toBeGreaterThan(20);
  return error;
}

const sendRaw = (body: string, headers: Readonly<Record<string, string | undefined>> = {}) =>
  caller.send({ path: CHAT_PATH, body, headers });

describe("A refusal has OpenAI's shape", () => {
  const QUESTION = '"messages":[{"role":"user","content":"Go"}]';

  test.each<[string, number, string, string, () => Promise<RawAnswer>]>([
    ["no key", 401, "UNAUTHORIZED", "authentication_error", () => send({}, { authorization: undefined })],
    [
      "a wrong key",
      401,
      "UNAUTHORIZED",
      "authentication_error",
      () => send({}, { authorization: "Bearer nope" }),
    ],
    [
      "a wrong x-api-key",
      401,
      "UNAUTHORIZED",
      "authentication_error",
      () => send({}, { authorization: undefined, "x-api-key": "nope" }),
    ],
    ["another method", 405, "METHOD_NOT_ALLOWED", "invalid_request_error", () => caller.get(CHAT_PATH)],
    ["no JSON", 400, "MALFORMED_JSON", "invalid_request_error", () => sendRaw("{")],
    [
      "another type",
      415,
      "UNSUPPORTED_MEDIA_TYPE",
      "invalid_request_error",
      () => sendRaw("{}", { "content-type": "text/plain" }),
    ],
    [
      "an encoded body",
      415,
      "UNSUPPORTED_MEDIA_TYPE",
      "invalid_request_error",
      () => sendRaw("{}", { "content-encoding": "gzip" }),
    ],
    ["an array", 422, "INVALID_REQUEST", "invalid_request_error", () => sendRaw("[]")],
    ["no messages", 422, "INVALID_REQUEST", "invalid_request_error", () => sendRaw('{"model":"m"}')],
    ["empty messages", 422, "INVALID_REQUEST", "invalid_request_error", () => sendRaw('{"messages":[]}')],
    [
      "messages that are none",
      422,
      "INVALID_REQUEST",
      "invalid_request_error",
      () => sendRaw('{"messages":["Go"]}'),
    ],
    [
      "tools that are none",
      422,
      "INVALID_REQUEST",
      "invalid_request_error",
      () => sendRaw(`{${QUESTION},"tools":{}}`),
    ],
    [
      "stream as text",
      422,
      "INVALID_REQUEST",
      "invalid_request_error",
      () => sendRaw(`{${QUESTION},"stream":"yes"}`),
    ],
    ["several answers", 422, "INVALID_REQUEST", "invalid_request_error", () => send({ n: 2 })],
  ])("for %s: %i", async (_, status, code, type, sendIt) => {
    const answer = await sendIt();
    expect(answer.status).toBe(status);
    expect(failureOf(answer)).toMatchObject({ code, type });
    expect(model.requests).toEqual([]);
  });

  test.each<[string, object | string | number | null[], RegExp, string]>([
    ["an unknown field", { max_round: 3 }, /max_round.*Did you mean 'max_rounds'/s, "/volley/max_round"],
    ["an unknown strategy", { strategy: "reakt" }, /strategy/, "/volley/strategy"],
    ["an unknown surface", { surface: "all" }, /surface/, "/volley/surface"],
    ["no rounds", { max_rounds: 0 }, /max_rounds/, "/volley/max_rounds"],
    ["21 rounds", { max_rounds: 21 }, /max_rounds/, "/volley/max_rounds"],
    ["rounds as text", { max_rounds: "3" }, /max_rounds/, "/volley/max_rounds"],
    ["too little time", { deadline_ms: 999 }, /deadline_ms/, "/volley/deadline_ms"],
    ["too much time", { deadline_ms: 300_001 }, /deadline_ms/, "/volley/deadline_ms"],
    ["no tokens", { max_tokens: 0 }, /max_tokens/, "/volley/max_tokens"],
    ["a text to skip approval", { skip_approval: "yes" }, /skip_approval/, "/volley/skip_approval"],
    ["no tools", { tools: [] }, /tools/, "/volley/tools"],
    [
      "an unknown tool",
      { tools: ["probe-echo", "probe-ecko"] },
      /probe-ecko.*probe-echo/s,
      "/volley/tools/1",
    ],
    ["an unknown category", { tools: ["prob"] }, /no category: 'prob'.*'probe'/s, "/volley/tools/0"],
    ["text", "act", /volley/, "/volley"],
    ["a list", [null], /volley/, "/volley"],
  ])("for %s in volley: 422, by name", async (_, options, said, param) => {
    const answer = await send({ volley: options });
    expect(answer.status).toBe(422);
    const error = failureOf(answer);
    expect(error).toMatchObject({ code: "INVALID_REQUEST", type: "invalid_request_error", param });
    expect(error.message).toMatch(said);
    expect(model.requests).toEqual([]);
  });

  test.each<[string, object | null]>([
    ["nothing", null],
    ["nothing in it", {}],
    [
      "the most of everything",
      {
        strategy: "act",
        surface: "meta",
        tools: ["probe", "probe-echo"],
        max_rounds: 20,
        deadline_ms: 300_000,
        max_tokens: 1_000,
        skip_approval: true,
      },
    ],
  ])("and volley with %s is fine", async (_, options) => {
    model.willSay({ text: "Fine." });
    if (options !== null) await ask({ volley: options });
    else await ask();
    expect(model.requests[0]!.body).not.toHaveProperty("volley");
  });

  test("for a tool that the key may not call as for one that does not exist", async () => {
    const hidden = await send(
      { volley: { tools: ["calculator"] } },
      { authorization: "Bearer sandbox-small-key" },
    );
    const missing = await send(
      { volley: { tools: ["qalculator"] } },
      { authorization: "Bearer sandbox-small-key" },
    );
    expect(hidden.status).toBe(422);
    const plain = (answer: RawAnswer) => failureOf(answer).message.replaceAll(/[cq]alculator/g, "x");
    expect(plain(hidden)).toBe(plain(missing));
  });

  test("where it is a path below, the answer to a path that is not here", async () => {
    const answer = await caller.send({ path: `${CHAT_PATH}/chatcmpl-1`, body: "{}" });
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "NOT_FOUND", type: "not_found_error" } });
  });

  test("is understood by OpenAI's client", async () => {
    const asked = openai
      .withOptions({ apiKey: "wrong" })
      .chat.completions.create({ model: "m", messages: [{ role: "user", content: "Go" }] });
    await expect(asked).rejects.toMatchObject({
      status: 401,
      code: "UNAUTHORIZED",
      type: "authentication_error",
    });
  });

  test("for a stream, too: nothing is streamed", async () => {
    const answer = await send({ stream: true, volley: { rounds: 1 } });
    expect(answer.status).toBe(422);
    failureOf(answer);
  });
});

describe("Without a model", async () => {
  const worker = await startSandbox({ vars: { PROBE_ORIGIN: upstream.url, LLM_BASE_URL: "" } });
  afterAll(() => worker[Symbol.asyncDispose]());
  const without = (key: string) =>
    new TestCaller(worker.url, key).send({
      path: CHAT_PATH,
      body: '{"messages":[{"role":"user","content":"Go"}]}',
    });

  test("it is 501, which no client tries again", async () => {
    const answer = await without("sandbox-key");
    expect(answer.status).toBe(501);
    expect(failureOf(answer)).toMatchObject({
      code: "MISCONFIGURED",
      message: expect.stringContaining("LLM_BASE_URL"),
    });
    expect(answer.headers["x-should-retry"]).toBe("false");
  });

  test("a key is asked for first", async () => {
    expect((await without("wrong")).status).toBe(401);
  });
});

describe("A key's quota", () => {
  test("counts one for the request and one for each round's batch, and without it the model is not asked", async () => {
    const left = ({ headers }: RawAnswer): number => Number(/r=(\d+)/.exec(String(headers["ratelimit"]))![1]);
    const small = { authorization: "Bearer sandbox-small-key" };
    model.willSay({ text: "Hi." });
    const before = await send({}, small);
    expect(before.headers["ratelimit-policy"]).toBe('"requests";q=20;w=60');
    expect(left(before)).toBe(19);
    model.willSay(
      {
        calls: [
          { name: "probe-echo", args: { n: 1 } },
          { name: "probe-echo", args: { n: 2 } },
        ],
      },
      { calls: [{ name: "execute_actions", args: { actions: [{ tool: "probe-echo", args: { n: 3 } }] } }] },
      { text: "Done." },
    );
    expect(left(await send({}, small))).toBe(18);
    model.willSay({ text: "Hi." });
    // One for each of the two rounds, one for this; a slow machine is given one back.
    const after = left(await send({}, small));
    expect([15, 16]).toContain(after);

    for (let n = 0; n < after; n += 1) model.willSay({ text: "Hi." });
    await Promise.all(Array.from({ length: after }, () => send({}, small)));
    const asked = model.requests.length;
    const denied = await untilDenied(() => send({}, small));
    expect(failureOf(denied)).toMatchObject({ code: "QUOTA_EXCEEDED", type: "rate_limit_error" });
    expect(denied.status).toBe(429);
    expect(Number(denied.headers["retry-after"])).toBeGreaterThan(0);
    expect(denied.headers["ratelimit"]).toMatch(/r=0/);
    expect(model.requests.length - asked).toBeLessThanOrEqual(2);
  });

  async function untilDenied(ask: () => Promise<RawAnswer>): Promise<RawAnswer> {
    for (;;) {
      model.willSay({ text: "Hi." });
      const answer = await ask();
      if (answer.status !== 200) return answer;
    }
  }

  test("that is used up by a round is told to the model, which answers", async () => {
    const small = "sandbox-small-key";
    // The request takes the last unit, sooner or later.
    for (;;) {
      model.reset();
      model.willSay({ calls: [{ name: "probe-echo", args: { n: 1 } }] }, { text: "I could not." });
      const { status, text } = await send({}, { authorization: `Bearer ${small}` });
      if (status === 429) continue;
      expect(status).toBe(200);
      if (!text.includes("RATE_LIMITED")) continue;
      expect(sentTo(model, 1).at(-1)!.content).toMatch(/quota|RATE_LIMITED|QUOTA/i);
      return;
    }
  });
});

describe("No answer contains the deployment's key", () => {
  test("whatever the model's server says with it", async () => {
    const leak = {
      error: { message: `Incorrect API key provided: ${SECRET}`, type: SECRET, code: SECRET, param: SECRET },
    };
    for (const status of [400, 401, 404, 500, 500, 500])
      model.willSay({ status, body: leak, headers: { "x-key": SECRET } });
    for (let n = 0; n < 4; n += 1) {
      const { text, headers } = await send();
      expect(text + JSON.stringify(headers)).not.toContain(SECRET);
    }
    model.willSay(
      { raw: `data: ${JSON.stringify(leak)}\n\n` },
      { raw: `data: ${JSON.stringify(leak)}\n\n` },
      { raw: `data: ${JSON.stringify(leak)}\n\n` },
    );
    expect((await stream()).text).not.toContain(SECRET);
  });

  test("and neither its headers nor its address reach the caller", async () => {
    model.willSay({ text: "Hi." });
    const { headers, text } = await send();
    expect(JSON.stringify(headers) + text).not.toContain(new URL(model.baseUrl).port);
    expect(messageOf(JSON.parse(text) as never).content).toBe("Hi.");
    expect(volley.output()).not.toContain(SECRET);
  });
});
