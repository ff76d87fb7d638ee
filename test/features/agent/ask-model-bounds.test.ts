import { describe, expect, test } from "vitest";

import { HeldBytes } from "../../../src/core/egress/held-bytes.ts";
import { IsolateBytes } from "../../../src/core/egress/isolate-bytes.ts";
import { askModel } from "../../../src/features/agent/ask-model.ts";
import type { Streaming } from "../../../src/features/agent/read-model-stream.ts";
import { CHAT } from "../../../src/features/agent/dialect/chat-dialect.ts";
import { MESSAGES } from "../../../src/features/agent/dialect/messages-dialect.ts";
import { readReactText } from "../../../src/features/agent/react-text.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import * as AGENT_LIMITS from "../../../src/features/agent/limits.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

/* The most that a model's answer may cost, whatever it says. */

const STREAM = { "content-type": "text/event-stream" };
const WHOLE = { "content-type": "application/json" };
const MESSAGE = '"message":{"role":"assistant","content":"Hi"}';
const END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** A piece in whose place the connection breaks. */
const BREAKS = "(breaks)";

/** Ask a model that answers with these pieces, once; gives its text or the refusal's code, and how much was read. */
async function ask(
  pieces: Iterable<string>,
  headers: Readonly<Record<string, string>>,
  bytes = new HeldBytes(),
): Promise<{ readonly said: string; readonly read: number }> {
  let read = 0;
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.iterator]();
  const body = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      pull(controller) {
        const { done = false, value } = iterator.next();
        if (value === BREAKS) return controller.error(new Error("The connection broke"));
        if (done) return controller.close();
        read += 1;
        controller.enqueue(encoder.encode(value));
      },
    });
  const clock = new VirtualClock(0);
  const streaming: Streaming = {
    relay: CHAT.createRelay(() => false),
    mode: "open",
    outlet: { begin: () => {}, write: () => Promise.resolve() },
  };
  const asking = askModel(
    {},
    {
      ports: { clock, random: () => 0.99, fetch: () => Promise.resolve(new Response(body(), { headers })) },
      dialect: CHAT,
      body: {},
      address: { url: "https://model.example/v1/chat/completions", headers: {}, secrets: [] },
      // Too short for another attempt.
      endsAt: 100,
      signal: new AbortController().signal,
      bytes,
    },
    headers === STREAM ? streaming : null,
  );
  const answered = await asking;
  return { said: answered.ok ? answered.value.text : answered.error.code, read };
}

function* repeat(piece: string, times: number, end: string): Generator<string> {
  for (let n = 0; n < times; n += 1) yield piece;
  yield end;
}

const values = (count: number): string => Array.from({ length: count }, () => "{}").join(",");

describe("A model's answer is not read", () => {
  trial("where it has more values than a conversation may have", async () => {
    const body = (count: number): string => `{"choices":[{${MESSAGE}}],"more":[${values(count)}]}`;
    expect((await ask([body(AGENT_LIMITS.modelValues - 10)], WHOLE)).said).toBe("Hi");
    expect((await ask([body(AGENT_LIMITS.modelValues)], WHOLE)).said).toBe("MODEL_UNAVAILABLE");
  });

  test("where it nests deeper than a conversation may", async () => {
    const body = (levels: number): string =>
      `{"choices":[{${MESSAGE}}],"more":${"[".repeat(levels)}${"]".repeat(levels)},"text":"${"x".repeat(5_000)}"}`;
    expect((await ask([body(AGENT_LIMITS.agentNesting - 1)], WHOLE)).said).toBe("Hi");
    expect((await ask([body(AGENT_LIMITS.agentNesting)], WHOLE)).said).toBe("MODEL_UNAVAILABLE");
  });

  test.each([
    [
      "Chat Completions",
      CHAT,
      (calls: readonly object[]) => ({ choices: [{ message: { tool_calls: calls } }] }),
    ],
    ["Messages", MESSAGES, (content: readonly object[]) => ({ type: "message", content })],
  ] as const)("T39 where it has more calls than are ever read, in %s", (_, dialect, toAnswer) => {
    const calls = Array.from({ length: LIMITS.modelCalls }, () => ({ type: "tool_use", name: "look" }));
    expect(dialect.readTurn(toAnswer(calls))?.calls).toHaveLength(LIMITS.modelCalls);
    expect(dialect.readTurn(toAnswer([...calls, {}]))).toBeNull();
  });

  trial("where an event of its stream has as many", async () => {
    const event = (count: number): string => `data: {"choices":[],"more":[${values(count)}]}\n\n`;
    expect((await ask([event(AGENT_LIMITS.modelValues - 10), END], STREAM)).said).toBe("");
    expect((await ask([event(AGENT_LIMITS.modelValues), END], STREAM)).said).toBe("MODEL_UNAVAILABLE");
  });

  trial("beyond as many pieces as the longest answers have", async () => {
    const few = await ask(repeat(" ", AGENT_LIMITS.modelPieces - 2, `{"choices":[{${MESSAGE}}]}`), WHOLE);
    expect(few.said).toBe("Hi");
    const many = await ask(repeat(" ", AGENT_LIMITS.modelPieces * 2, `{"choices":[{${MESSAGE}}]}`), WHOLE);
    expect(many.said).toBe("MODEL_UNAVAILABLE");
    expect(many.read).toBeLessThan(AGENT_LIMITS.modelPieces + 10);
  });

  trial("beyond as many events, however few pieces they come in", async () => {
    const comments = ":\n\n".repeat(1_000);
    expect((await ask(repeat(comments, AGENT_LIMITS.modelPieces / 1_000 - 1, END), STREAM)).said).toBe("");
    const many = await ask(repeat(comments, AGENT_LIMITS.modelPieces / 500, END), STREAM);
    expect(many.said).toBe("MODEL_UNAVAILABLE");
    expect(many.read).toBeLessThan(AGENT_LIMITS.modelPieces / 1_000 + 10);
  });
});

describe("A model that breaks off in the middle of its answer", () => {
  const delta = (content: string): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
  const part = "x".repeat(200_000);
  const START = '{"choices":[{"message":{"role":"assistant","content":"';

  test.each([
    ["of a whole answer", WHOLE, [START, part, part, BREAKS]],
    ["of a whole answer, politely", WHOLE, [START, part, part]],
    ["of a stream", STREAM, [delta(part), delta(part), BREAKS]],
    ["of an event", STREAM, [delta(part), delta(part).slice(0, -100), BREAKS]],
    ["of a stream, with an error", STREAM, [delta(part), 'data: {"error":{"message":"no"}}\n\n']],
  ] as const)("T44 gives the bytes of what it said back: %s", async (_, headers, pieces) => {
    const clock = new VirtualClock(0);
    const isolate = new IsolateBytes(clock);
    const bytes = new HeldBytes(() => isolate.open("acme", clock));
    await bytes.hold(50_000);
    const before = isolate.held;
    let most = 0;
    const watched = (function* (): Generator<string> {
      for (const piece of pieces) {
        most = Math.max(most, isolate.held);
        yield piece;
      }
      most = Math.max(most, isolate.held);
    })();
    expect((await ask(watched, headers, bytes)).said).toBe("MODEL_UNAVAILABLE");
    expect(most).toBeGreaterThan(before + part.length / 2);
    expect(isolate.held).toBe(before);
    bytes.end();
    expect(isolate.held).toBe(0);
  });
});

describe("A model's text is bounded by itself:", () => {
  test("arguments longer than a batch's body are told to it as too long, and do not go back to it", () => {
    const read = (text: string) => {
      const tool_calls = [{ id: "a", type: "function", function: { name: "look", arguments: text } }];
      return CHAT.readTurn({ choices: [{ message: { tool_calls } }] })!;
    };
    const sized = (length: number): string => `{"n":"${"x".repeat(length - 8)}"}`;
    expect(read(sized(LIMITS.bodyBytes)).calls[0]!.args.ok).toBe(true);
    const { calls, message } = read(sized(LIMITS.bodyBytes + 1));
    expect(calls[0]!.args).toMatchObject({ ok: false, error: { code: "INVALID_ARGS" } });
    expect(JSON.stringify(message)).toContain('"arguments":"{}"');
  });

  test("in text as long as a book no call is looked for: it is the answer", () => {
    const call = 'Action: look\nAction Input: {"n":1}\n';
    const text = call + "x".repeat(AGENT_LIMITS.reactCharacters - call.length);
    expect(readReactText(text).calls).toHaveLength(1);
    expect(readReactText(`${text}x`)).toMatchObject({ calls: [], answer: `${text}x` });
  });
});
