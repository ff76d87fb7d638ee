import { describe, expect, test } from "vitest";

import {
  CHAT_PATH,
  type ChatAnswer,
  messageOf,
  ownTool,
  sentTo,
  setUpChat,
} from "../../support/chat-world.ts";
import { eventually } from "../../support/eventually.ts";
import { postAndHold } from "../../support/raw-client.ts";
import { startRawSandbox } from "../../support/sandbox.ts";
import { createOpenAi } from "../support/open-ai.ts";

/* A model that is busy, broken, slow or refuses, and a caller that goes away: Chat Completions end to end. */

const { model, upstream, volley, ask, send, stream } = await setUpChat({}, startRawSandbox);
const openai = createOpenAi(volley);

const ECHO = { name: "probe-echo", args: { n: 1 } };
const failureOf = (text: string) =>
  JSON.parse(text) as {
    error: { message: string; type: string; code: string; param: string | null };
    request_id: string;
    volley?: { rounds: object[] };
  };

describe("F26 A model that fails in passing is asked again", () => {
  test.each([
    ["408", { status: 408 }],
    ["409", { status: 409 }],
    ["429", { status: 429 }],
    ["500", { status: 500 }],
    ["503", { status: 503 }],
    ["529", { status: 529 }],
    ["an answer that breaks off", { text: "Hello, this breaks off", cutAfter: 30 }],
    ["a connection that breaks at once", { raw: "x", cutAfter: 0 }],
    ["what is no JSON", { raw: "<html>busy</html>", contentType: "text/html" }],
    ["JSON that is no answer", { raw: "{}" }],
  ])("after %s", async (_, failing) => {
    model.willSay(failing, failing, { text: "At last." });
    expect(messageOf(await ask()).content).toBe("At last.");
    expect(model.requests).toHaveLength(3);
    expect(new Set(model.requests.map(({ text }) => text)).size).toBe(1);
  });

  test("twice, and no more: then it is unavailable", async () => {
    for (let n = 0; n < 5; n += 1) model.willSay({ status: 503 });
    const { status, text, headers } = await send();
    expect(status).toBe(502);
    expect(model.requests).toHaveLength(3);
    expect(failureOf(text)).toMatchObject({
      error: { code: "MODEL_UNAVAILABLE", type: "api_error", message: expect.stringContaining("503") },
    });
    expect(headers["x-should-retry"]).toBe("false");
    expect(headers["x-request-id"]).toBe(failureOf(text).request_id);
  });

  test("not where its server says that asking again is no use", async () => {
    model.willSay({ status: 503, headers: { "x-should-retry": "false" } });
    expect((await send()).status).toBe(502);
    expect(model.requests).toHaveLength(1);
  });

  test("for each of its answers, without that counting as a round", async () => {
    model.willSay({ status: 500 }, { calls: [ECHO] }, { status: 500 }, { status: 500 }, { text: "Done." });
    const answer = await ask({ volley: { max_rounds: 1 } });
    expect(answer.volley.rounds).toHaveLength(1);
    expect(messageOf(answer).content).toBe("Done.");
  });

  test.each([
    ["seconds", () => "1"],
    ["a date", () => new Date(Date.now() + 2_000).toUTCString()],
  ])("no sooner than its Retry-After in %s says", async (_, header) => {
    const at: number[] = [];
    model.willSay(
      () => {
        at.push(performance.now());
        return { status: 429, headers: { "retry-after": header() } };
      },
      () => {
        at.push(performance.now());
        return { text: "Now." };
      },
    );
    expect(messageOf(await ask()).content).toBe("Now.");
    // A date has whole seconds, so what is left of the one under way is not waited for.
    expect(at[1]! - at[0]!).toBeGreaterThan(950);
  });

  test("not where that would be after the deadline: an early error, with when to come back", async () => {
    model.willSay({ status: 429, headers: { "retry-after": "60" } });
    const { status, text, headers } = await send({ volley: { deadline_ms: 20_000 } });
    expect(status).toBe(502);
    expect(model.requests).toHaveLength(1);
    expect(failureOf(text).error.code).toBe("MODEL_UNAVAILABLE");
    expect(headers["retry-after"]).toBe("60");
  });

  test("in a stream too, as long as nothing was passed on", async () => {
    model.willSay({ status: 503 }, { text: "Hello", cutAfter: 0 }, { text: "Streamed." });
    const said = await stream();
    expect(said.content).toBe("Streamed.");
    expect(said.errors).toEqual([]);
    expect(model.requests).toHaveLength(3);
  });
});

describe("A model that refuses", () => {
  test.each([400, 401, 403, 404, 422])(
    "with %i is asked once, and the caller is not blamed",
    async (status) => {
      const body = {
        error: {
          message: "Bad key #llm-secret-key-1 at http://internal",
          type: "invalid_request_error",
          code: "model_not_found",
        },
      };
      model.willSay({ status, body });
      const answer = await send();
      expect(answer.status).toBe(502);
      expect(model.requests).toHaveLength(1);
      expect(failureOf(answer.text)).toMatchObject({
        error: { code: "MODEL_UNAVAILABLE", type: "api_error" },
      });
      expect(answer.text).toContain(String(status));
      expect(answer.text).toContain("model_not_found");
      expect(answer.text + JSON.stringify(answer.headers)).not.toMatch(
        /llm-secret-key-1|internal|127\.0\.0\.1/,
      );
      expect(answer.headers["x-should-retry"]).toBe("false");
    },
  );

  test("is not followed elsewhere", async () => {
    model.willSay({ status: 307, headers: { location: `${upstream.url}/stolen` }, body: "" });
    expect((await send()).status).toBe(502);
    expect(upstream.requestsTo("/stolen")).toEqual([]);
  });

  test("is an error that OpenAI's client understands, and does not try again", async () => {
    model.willSay({ status: 401 });
    const patient = openai.withOptions({ maxRetries: 3 });
    const asked = patient.chat.completions.create({
      model: "m",
      messages: [{ role: "user", content: "Go" }],
    });
    await expect(asked).rejects.toMatchObject({
      status: 502,
      code: "MODEL_UNAVAILABLE",
      type: "api_error",
      param: null,
    });
    expect(model.requests).toHaveLength(1);
  });

  test("in a later round is an error that tells what had run", async () => {
    model.willSay({ calls: [{ name: "probe-write", args: { n: 61 } }] }, { status: 400 });
    const { status, text } = await send();
    expect(status).toBe(502);
    expect(failureOf(text).volley!.rounds).toMatchObject([
      { results: [{ tool: "probe-write", status: "success" }] },
    ]);
  });
});

describe("Time that is over", () => {
  test.each([
    ["hangs before it answers", { hang: true } as const],
    ["hangs in its answer", { text: "Half of an answer", hangAfter: 20 }],
  ])("while the model %s is 504, and its call is aborted", async (_, turn) => {
    model.willSay(turn);
    const { status, text } = await send({ volley: { deadline_ms: 1_000 } });
    expect(status).toBe(504);
    expect(failureOf(text)).toMatchObject({ error: { code: "MODEL_TIMEOUT", type: "timeout_error" } });
    expect(model.requests).toHaveLength(1);
    await eventually("the model's call to be aborted", () => (model.aborted > 0 ? true : undefined));
  });

  test("while tools run is an answer: what became of them, and why it stopped", async () => {
    const release = upstream.hold("/echo", 71);
    model.willSay({
      text: "Looking.",
      calls: [
        { ...ECHO, args: { n: 70 } },
        { ...ECHO, args: { n: 71 } },
      ],
    });
    const answer = await ask({ volley: { deadline_ms: 1_000 } });
    release();
    expect(answer.volley.stopped).toBe("deadline");
    expect(answer.volley.rounds[0]!.results).toMatchObject([
      { status: "success" },
      { status: expect.stringMatching(/initiated|error/) },
    ]);
    expect(messageOf(answer).content).toMatch(/^Looking\.\n\nThe time for this request \(1000 ms\) was over/);
    expect(messageOf(answer).tool_calls).toBeUndefined();
    expect(answer.choices[0]!.finish_reason).toBe("stop");
    expect(model.requests).toHaveLength(1);
  });

  test("while a write runs leaves it unknown, never done and never undone", async () => {
    const release = upstream.hold("/write", 72);
    model.willSay({ calls: [{ name: "probe-write", args: { n: 72 } }] });
    const answer = await ask({ volley: { deadline_ms: 1_000 } });
    release();
    expect(answer.volley).toMatchObject({
      stopped: "deadline",
      rounds: [{ results: [{ status: "unknown" }] }],
    });
  });

  test("while tools run ends a stream like an answer", async () => {
    const release = upstream.hold("/echo", 73);
    model.willSay({ text: "Looking.", calls: [{ ...ECHO, args: { n: 73 } }] });
    const said = await stream({ volley: { deadline_ms: 1_000 } });
    release();
    expect(said.reports).toMatchObject([{ stopped: "deadline" }]);
    expect(said.finishes).toEqual(["stop"]);
    expect(said.errors).toEqual([]);
    expect(said.content).toMatch(/^Looking\.\n\nThe time/);
    expect(said.endsWithDone).toBe(true);
  });
});

describe.each([
  ["at once", false],
  ["in a stream", true],
])("A caller that asked %s and goes away", (_, isStream) => {
  const base = isStream ? 900 : 800;
  const hold = (body: object = {}) =>
    postAndHold(`${volley.url}${CHAT_PATH}`, {
      model: "m",
      messages: [{ role: "user", content: "Go" }],
      stream: isStream,
      ...body,
    });

  test("aborts the model's call", async () => {
    model.willSay({ hang: true });
    const client = await hold();
    await eventually("the model to be asked", () => model.requests[0]);
    client.resetAndDestroy();
    await eventually("the model's call to be aborted", () => (model.aborted === 1 ? true : undefined));
    expect(model.requests).toHaveLength(1);
  });

  test("aborts it while the answer is under way", async () => {
    model.willSay({ text: "word ".repeat(100), hangAfter: 2_000 });
    const client = await hold();
    if (isStream) await new Promise((resolve) => void client.once("data", resolve));
    else await eventually("the model to be asked", () => model.requests[0]);
    client.resetAndDestroy();
    await eventually("the model's call to be aborted", () => (model.aborted === 1 ? true : undefined));
  });

  test("aborts its reads, lets its writes finish, and asks the model no more", async () => {
    const releaseRead = upstream.hold("/echo", base);
    const releaseWrite = upstream.hold("/write", base + 1);
    model.willSay(
      {
        calls: [
          { name: "probe-echo", args: { n: base } },
          { name: "probe-write", args: { n: base + 1 } },
        ],
      },
      { text: "Nobody hears this." },
    );
    const client = await hold();
    const read = await eventually("the read", () =>
      upstream.requestsTo("/echo").find(({ query }) => query.get("n") === String(base)),
    );
    const write = await eventually("the write", () =>
      upstream.requestsTo("/write").find(({ body }) => body.includes(`"n":${base + 1}`)),
    );
    client.resetAndDestroy();
    expect(await read.end).toBe("torn");
    releaseWrite();
    expect(await write.end).toBe("answered");
    releaseRead();
    expect(model.unsaid).toBe(1);
    expect(model.requests).toHaveLength(1);
  });
});

test("A failure before the answer keeps nothing back: the same conversation may be sent again", async () => {
  const tools = [ownTool("mine")];
  model.willSay({ calls: [ECHO, { name: "mine", args: {} }] });
  const first: ChatAnswer = await ask({ tools });
  const message = messageOf(first);
  const messages = [
    { role: "user", content: "Go" },
    message,
    { role: "tool", tool_call_id: message.tool_calls![0]!.id, content: "ok" },
  ];
  model.willSay({ status: 400 }, { text: "Done." });
  expect((await send({ tools, messages })).status).toBe(502);
  expect(messageOf(await ask({ tools, messages })).content).toBe("Done.");
  expect(sentTo(model, 2)).toHaveLength(4);
});
