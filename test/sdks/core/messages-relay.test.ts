import Anthropic from "@anthropic-ai/sdk";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Ending } from "../../../src/features/agent/dialect/dialect.ts";
import { MESSAGES } from "../../../src/features/agent/dialect/messages-dialect.ts";
import { MessagesRelay } from "../../../src/features/agent/dialect/messages-relay.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { makeRefusal } from "../../../src/core/contract/refusal.ts";
import { isTheirs } from "../../support/chat-streams.ts";
import {
  CITED,
  COMPACTED,
  ELSEWHERE,
  event,
  FOUND,
  message,
  OMITTED,
  REDACTED,
  SEARCH,
  stream,
  type StreamedBlock,
  text,
  THINKING,
  use,
} from "../../support/messages-streams.ts";
import { AS_IT_IS, passAll, passStream } from "../../support/relay-stream.ts";

const relay = (): MessagesRelay => new MessagesRelay(isTheirs);

const OURS = use("tool_use", "toolu_a", "probe-echo", { n: 1 }, { caller: { type: "direct" } });
const OURS_EMPTY = use("tool_use", "toolu_e", "probe-list", {});
const THEIRS = use("tool_use", "toolu_b", "lookup", { q: "ünd ✓" });
const ALSO_THEIRS = use("tool_use", "toolu_c", "notify", {});

interface Event {
  readonly type: string;
  readonly index?: number;
  readonly message?: { readonly id: string };
  readonly delta?: { readonly stop_reason?: string };
  readonly usage?: object;
  readonly volley?: object;
}

/** The events of a stream; the name of each has to be its type. */
function read(sent: string): Event[] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (one) => events.push(one) }).feed(sent);
  return events.map(({ event: name, data }) => {
    const parsed = JSON.parse(data) as Event;
    expect(name).toBe(parsed.type);
    return parsed;
  });
}

/** Hold a stream to the order of events that the API documents: one message, and blocks one after the other from 0. */
function checkOrder(sent: string): Event[] {
  const events = read(sent);
  const told = events.filter(({ type }) => type !== "ping");
  expect(told.map(({ type }) => type).filter((type) => type.startsWith("message_"))).toEqual([
    "message_start",
    "message_delta",
    "message_stop",
  ]);
  expect(told[0]!.type).toBe("message_start");
  expect(told.slice(-2).map(({ type }) => type)).toEqual(["message_delta", "message_stop"]);
  let open: number | null = null;
  let next = 0;
  for (const { type, index } of told.slice(1, -2)) {
    if (type === "content_block_start") {
      expect(open).toBeNull();
      expect(index).toBe(next);
      open = next;
      next += 1;
    } else expect(index).toBe(open);
    if (type === "content_block_stop") open = null;
  }
  expect(open).toBeNull();
  return events;
}

/** The message that the official client makes of a stream. */
async function hear(sent: string): Promise<Anthropic.Beta.BetaMessage> {
  const client = new Anthropic({
    apiKey: "none",
    maxRetries: 0,
    fetch: () => Promise.resolve(new Response(sent, { headers: { "content-type": "text/event-stream" } })),
  });
  return client.beta.messages
    .stream({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "Go" }] })
    .finalMessage();
}

/** Pass a stream on and give the turn too; the caller's calls in it end the answer. */
function answer(sent: string, ending: Partial<Ending> = {}) {
  const passing = relay();
  const { text: heard, fault } = passStream(passing, sent);
  const turn = passing.turn();
  const calls = turn?.calls.filter(isTheirs) ?? [];
  const end = passing.end({ ...AS_IT_IS, calls, usage: turn?.usage ?? null, ...ending });
  return { fault, turn, stream: heard + end };
}

const KINDS: readonly StreamedBlock[] = [
  text("Phoenix, ünd ✓ 🚗."),
  THINKING,
  OMITTED,
  REDACTED,
  CITED,
  COMPACTED,
  ELSEWHERE,
  OURS,
  OURS_EMPTY,
  THEIRS,
  ALSO_THEIRS,
];
/** Each block at most once, as ids are; what was searched is found right after. */
const BLOCKS = fc
  .subarray([...KINDS, SEARCH])
  .chain((blocks) => fc.shuffledSubarray(blocks, { minLength: blocks.length }))
  .map((blocks) => blocks.flatMap((block) => (block === SEARCH ? [SEARCH, FOUND] : [block])));
const SIZES = fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 8 });
const isOurs = (block: StreamedBlock): boolean => block === OURS || block === OURS_EMPTY;
const stopOf = (blocks: readonly StreamedBlock[]): string =>
  blocks.some(({ block }) => (block as { type: string }).type === "tool_use") ? "tool_use" : "end_turn";

describe("A stream with nothing of ours in it", () => {
  test("is passed on byte for byte, and the report before its end", () => {
    fc.assert(
      fc.property(BLOCKS, (all) => {
        const blocks = all.filter((block) => !isOurs(block));
        const sent = stream(blocks, { stop: stopOf(blocks) });
        const told = answer(sent).stream;
        const report = 'event: ping\ndata: {"type":"ping","volley":{"rounds":[]}}\n\n';
        const inDelta = ',"volley":{"rounds":[]}}\n\nevent: ping';
        expect(told).toContain(inDelta);
        expect(told.replace(inDelta, "}\n\nevent: ping").replace(report, "")).toBe(sent);
        expect(told.endsWith(`${report}event: message_stop\ndata: {"type":"message_stop"}\n\n`)).toBe(true);
      }),
    );
  });

  test.each(["pause_turn", "max_tokens", "refusal", "stop_sequence", "model_context_window_exceeded"])(
    "ends with %s, as the model did",
    async (stop) => {
      const sent = stream([SEARCH], { stop });
      expect((await hear(answer(sent).stream)).stop_reason).toBe(stop);
    },
  );
});

describe("A stream", () => {
  test("is the same however its bytes are cut", () => {
    fc.assert(
      fc.property(BLOCKS, SIZES, (blocks, sizes) => {
        const streams = [stream(blocks, { stop: stopOf(blocks) }), stream([text("Done.")], { id: "msg_2" })];
        expect(passAll(relay(), streams, { sizes })).toBe(passAll(relay(), streams));
      }),
    );
  });

  test("means the same when its lines end with CRLF", () => {
    fc.assert(
      fc.property(BLOCKS, SIZES, (blocks, sizes) => {
        const streams = [stream(blocks), stream([text("Done.")], { id: "msg_2" })];
        const crlf = streams.map((one) => one.replaceAll("\n", "\r\n"));
        expect(checkOrder(passAll(relay(), crlf, { sizes }))).toEqual(checkOrder(passAll(relay(), streams)));
      }),
    );
  });

  test("is the turn that the same answer is where it does not stream", () => {
    fc.assert(
      fc.property(BLOCKS, (blocks) => {
        const end = { stop: stopOf(blocks) };
        const { turn } = answer(stream(blocks, end));
        expect(turn).toEqual(MESSAGES.readTurn(message(blocks, end)));
      }),
    );
  });

  test("shows all but the calls of our tools, with indexes in a row", async () => {
    await fc.assert(
      fc.asyncProperty(BLOCKS, async (blocks) => {
        const told = answer(stream(blocks, { stop: stopOf(blocks) })).stream;
        checkOrder(told);
        expect(told).not.toContain("probe-");
        const shown = blocks.filter((block) => !isOurs(block));
        const heard = await hear(told);
        expect(heard.content).toMatchObject(shown.map(({ block }) => block));
        expect(heard.stop_reason).toBe(stopOf(shown));
      }),
    );
  });

  test("is one message with those before it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(BLOCKS, { maxLength: 3 }), BLOCKS, async (before, last) => {
        const own = (blocks: readonly StreamedBlock[]) =>
          blocks.filter((block) => block !== THEIRS && block !== ALSO_THEIRS);
        const final = own(last).filter((block) => !isOurs(block));
        const streams = [
          ...before.map((blocks, at) =>
            stream([...own(blocks), OURS], { id: `msg_${at}`, stop: "tool_use" }),
          ),
          stream(final, { id: "msg_last" }),
        ];
        const told = passAll(relay(), streams);
        checkOrder(told);
        const heard = await hear(told);
        expect(heard.id).toBe(before.length === 0 ? "msg_last" : "msg_0");
        const shown = [...before.flatMap(own), ...final].filter((block) => !isOurs(block));
        expect(heard.content).toMatchObject(shown.map(({ block }) => block));
      }),
      { numRuns: 50 },
    );
  });

  test("shows nothing of a plan, and of an answer in words only those", async () => {
    const passing = relay();
    expect(passStream(passing, stream([THINKING, text("A plan.")]), { mode: "silent" }).text).toBe("");
    expect(passing.turn()).toMatchObject({ text: "A plan." });
    expect(passing.proceed()).toBe("");
    const { text: heard } = passStream(passing, stream([text("Action: none")], { id: "msg_2" }), {
      mode: "silent",
    });
    const told = heard + passing.end({ ...AS_IT_IS, text: "It is done." });
    checkOrder(told);
    expect(await hear(told)).toMatchObject({
      id: "msg_2",
      content: [{ type: "text", text: "It is done." }],
      stop_reason: "end_turn",
    });
  });

  test("that called the caller's tools in words has them as calls", async () => {
    const passing = relay();
    passStream(passing, stream([text("Action: lookup")]), { mode: "silent" });
    const calls = [
      {
        id: "call_1",
        name: "lookup",
        args: { ok: true as const, value: { q: 1 } },
        closed: false,
        written: '{"q":1}',
      },
    ];
    const told = passing.end({ ...AS_IT_IS, text: "", calls });
    checkOrder(told);
    expect(await hear(told)).toMatchObject({
      content: [{ type: "tool_use", id: "call_1", name: "lookup", input: { q: 1 } }],
      stop_reason: "tool_use",
    });
  });

  test("shows no calls once tools are switched off", async () => {
    const passing = relay();
    const { text: heard } = passStream(passing, stream([text("So."), OURS, THEIRS], { stop: "tool_use" }), {
      mode: "closed",
    });
    const told = heard + passing.end({ ...AS_IT_IS, words: "" });
    checkOrder(told);
    expect(await hear(told)).toMatchObject({ content: [{ text: "So." }], stop_reason: "end_turn" });
  });

  test("that ends with words of ours says them in a block of their own", async () => {
    const told = answer(stream([text("Deleting."), OURS], { stop: "tool_use" }), {
      words: "It waits.",
    }).stream;
    checkOrder(told);
    expect(await hear(told)).toMatchObject({
      content: [{ text: "Deleting." }, { text: "It waits." }],
      stop_reason: "end_turn",
    });
  });
});

describe("The part that goes back into the conversation", () => {
  const contentOf = (blocks: readonly StreamedBlock[]): unknown =>
    answer(stream(blocks, { stop: "tool_use" })).turn!.message["content"];

  test("are thoughts as they came, hidden ones too", () => {
    expect(contentOf([THINKING, OMITTED, REDACTED, OURS])).toEqual(
      [THINKING, OMITTED, REDACTED, OURS].map(({ block }) => block),
    );
  });

  test.each(["", " ", "\n\n"])("is no text of nothing, which the API refuses: %j", (said) => {
    expect(contentOf([text(said), OURS])).toEqual([OURS.block]);
  });

  test.each([
    [OURS_EMPTY, {}],
    [ELSEWHERE, {}],
    [use("server_tool_use", "srvtoolu_2", "code", {}), {}],
  ])("is a call without arguments with an empty object", (block, input) => {
    expect(contentOf([block])).toMatchObject([{ input }]);
  });

  test("is a call that was cut off as far as it can be read, and the model is told", () => {
    const { turn } = answer(
      stream([use("tool_use", "toolu_x", "probe-echo", '{"n": 1')], { stop: "max_tokens" }),
    );
    expect(turn!.calls).toMatchObject([{ args: { ok: true, value: { n: 1 } }, closed: true }]);
    expect(turn!.message["content"]).toMatchObject([{ input: { n: 1 } }]);
  });

  test("is an unreadable call with no arguments, and the model is told", () => {
    const { turn } = answer(stream([use("tool_use", "toolu_x", "probe-echo", "n is 1")]));
    expect(turn!.calls).toMatchObject([{ args: { ok: false } }]);
    expect(turn!.message["content"]).toMatchObject([{ input: {} }]);
  });

  test("is no number that lost its digits", () => {
    const { turn } = answer(stream([use("tool_use", "toolu_x", "probe-echo", '{"n":9007199254740993}')]));
    const [call] = turn!.calls;
    expect(JSON.stringify(call!.args.ok ? call!.args.value : null)).not.toContain("9007199254740992");
  });
});

describe("Usage", () => {
  test("of several calls of the model is summed up, those of the cache too, in the one message_delta", async () => {
    const total = {
      input_tokens: 30,
      cache_creation_input_tokens: 4,
      cache_read_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 4 },
      output_tokens: 40,
      service_tier: "standard",
    };
    const streams = [stream([OURS], { stop: "tool_use" }), stream([text("Done.")])];
    const told = passAll(relay(), streams, { ending: { ...AS_IT_IS, usage: total } });
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = total;
    const [delta] = read(told).filter(({ type }) => type === "message_delta");
    expect(delta!.usage).toEqual({
      input_tokens,
      cache_creation_input_tokens,
      cache_read_input_tokens,
      output_tokens,
    });
    expect((await hear(told)).usage).toMatchObject({ input_tokens, output_tokens, cache_read_input_tokens });
  });

  test("is the last word on each number", () => {
    const used = { input_tokens: 12, cache_read_input_tokens: null, output_tokens: 20 };
    expect(answer(stream([text("a")], { used })).turn!.usage).toMatchObject({
      input_tokens: 12,
      cache_read_input_tokens: 3,
      output_tokens: 20,
    });
  });
});

describe("A stream that ends oddly", () => {
  const whole = stream([text("a")]);
  const stop = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';

  test("without message_stop is an answer, and has one", () => {
    checkOrder(answer(whole.replace(stop, "")).stream);
  });

  test("without an empty line at its end is an answer, and has one", () => {
    checkOrder(answer(whole.slice(0, -2)).stream);
  });

  test("with anything behind message_stop is over there, however it is cut", () => {
    const sent = `${whole}data: [DONE]\n\n${event({ type: "error" })}data: {`;
    for (const size of [1, 7, 10_000])
      expect(passAll(relay(), [sent], { sizes: [size] })).toBe(passAll(relay(), [whole]));
  });

  test.each([
    ["nothing", ""],
    ["only comments", ": a\n\n: b\n\n"],
    ["only pings", event({ type: "ping" })],
    ["text and no end", whole.slice(0, whole.indexOf("event: message_delta"))],
  ])("with %s is none", (_, sent) => {
    const passing = relay();
    expect(passStream(passing, sent).fault).toBeNull();
    expect(passing.turn()).toBeNull();
  });

  test("with an error anywhere is broken, and the caller hears nothing of it", () => {
    const events = whole.split(/(?<=\n\n)/);
    const error =
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"secret"}}\n\n';
    for (const at of events.keys()) {
      const { text: heard, fault } = passStream(relay(), [...events.slice(0, at), error].join(""));
      expect(fault).toBe("error");
      expect(heard).not.toContain("secret");
    }
  });

  test.each(["null", "[]", "1", '"text"', "{", "{} {}", "<html>", "[DONE]"])(
    "with %s as data is unreadable",
    (data) => {
      expect(passStream(relay(), `data: ${data}\n\n`).fault).toBe("unreadable");
    },
  );

  test("with two ends has one", () => {
    const delta = (stop_reason: string): string =>
      event({ type: "message_delta", delta: { stop_reason } } as Event);
    const told = answer(whole.replace(stop, delta("max_tokens") + stop)).stream;
    checkOrder(told);
    expect(told).toContain("max_tokens");
  });
});

describe("Whatever stands in an event", () => {
  test.each([
    ["no type", {}],
    ["an unknown type", { type: "message_tomorrow" }],
    ["a message that is a list", { type: "message_start", message: [] }],
    ["a block that is a list", { type: "content_block_start", index: 5, content_block: [] }],
    ["a block without an index", { type: "content_block_start", content_block: { type: "text", text: "" } }],
    [
      "a delta for no block",
      { type: "content_block_delta", index: 9, delta: { type: "text_delta", text: "x" } },
    ],
    ["a delta that is null", { type: "content_block_delta", index: 0, delta: null }],
    [
      "text that is an object",
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: {} } },
    ],
    [
      "a block without a name",
      { type: "content_block_start", index: 7, content_block: { type: "tool_use" } },
    ],
    ["usage that is a number", { type: "message_delta", usage: 1 }],
    ["a delta that is text", { type: "message_delta", delta: "stop" }],
  ])("%s breaks nothing", (_, data) => {
    const whole = stream([text("a")]);
    const at = whole.indexOf("event: content_block_stop");
    const sent = `${whole.slice(0, at)}data: ${JSON.stringify(data)}\n\n${whole.slice(at)}`;
    const told = answer(sent);
    expect(told.fault).toBeNull();
    expect(told.turn).not.toBeNull();
  });

  test("any JSON breaks nothing", () => {
    const type = fc.constantFrom(
      "message_start",
      "message_delta",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "ping",
      "x",
    );
    const part = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.record(
        {
          type: fc.constantFrom(
            "text",
            "tool_use",
            "thinking",
            "text_delta",
            "input_json_delta",
            "citations_delta",
          ),
          text: fc.jsonValue({ maxDepth: 1 }),
          name: fc.constantFrom("lookup", "probe-echo"),
          input: fc.jsonValue({ maxDepth: 1 }),
        },
        { requiredKeys: [] },
      ),
    );
    const one = fc.record(
      {
        type,
        index: fc.oneof(fc.nat(3), fc.jsonValue({ maxDepth: 1 })),
        message: part,
        content_block: part,
        delta: part,
        usage: part,
      },
      { requiredKeys: ["type"], noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 12 }), (events) => {
        const passing = relay();
        const sent = events.map((data) => event(data)).join("") + stream([text("a")]);
        expect(passStream(passing, sent).fault).toBeNull();
        const turn = passing.turn();
        expect(turn).not.toBeNull();
        passing.end({ ...AS_IT_IS, calls: turn!.calls, usage: turn!.usage });
      }),
    );
  });

  test("blocks that begin twice under one index are two, and nothing of either is lost", () => {
    const twice = [text("one"), text("two")].map((block) => stream([block]));
    const inner = twice.map((one) =>
      one.slice(one.indexOf("event: content_block_start"), one.indexOf("event: message_delta")),
    );
    const whole = twice[0]!;
    const sent = whole.replace(inner[0]!, inner.join(""));
    const told = answer(sent);
    checkOrder(told.stream);
    expect(told.turn!.text).toBe("onetwo");
  });

  test("calls without an id have ids made, which the caller sees too", async () => {
    const calls = [1, 2].map((q) => use("tool_use", "", "lookup", { q }));
    const told = answer(stream(calls, { stop: "tool_use" }));
    const ids = told.turn!.calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect((await hear(told.stream)).content).toMatchObject(ids.map((id) => ({ id })));
  });

  test("keys named __proto__ stay keys", () => {
    const block = '{"type":"text","text":"","__proto__":{"polluted":1}}';
    const whole = stream([text("a")]).replace(JSON.stringify({ type: "text", text: "" }), block);
    const { turn } = answer(whole);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const [first] = turn!.message["content"] as { polluted?: unknown }[];
    expect(first!.polluted).toBeUndefined();
  });

  test("more blocks than anybody makes end it", () => {
    const blocks = Array.from({ length: LIMITS.modelCalls + 2 }, () => text("a"));
    expect(passStream(relay(), stream(blocks)).fault).toBe("too large");
  });

  test("a huge block and a hundred thousand tiny pieces are an answer", () => {
    const huge = "x".repeat(3_000_000);
    expect(answer(stream([text(huge)])).turn!.text).toHaveLength(huge.length);
    const deltas = Array.from({ length: 100_000 }, () => ({ type: "text_delta", text: "x" }));
    expect(answer(stream([{ ...text(""), deltas }])).turn!.text).toHaveLength(100_000);
  });
});

describe("Text of Volley itself", () => {
  test("is in pings, which clients pass over, and its report where they hand it on", async () => {
    const passing = relay();
    const told = [
      passStream(passing, stream([OURS], { stop: "tool_use" })).text,
      passing.result('{"index":0}'),
      passing.proceed(),
      passStream(passing, stream([text("Done.")], { id: "msg_2" })).text,
      passing.end(AS_IT_IS),
    ].join("");
    const own = checkOrder(told).filter(({ volley }) => volley !== undefined);
    expect(own).toEqual([
      { type: "ping", volley: { result: { index: 0 } } },
      expect.objectContaining({ type: "message_delta", volley: { rounds: [] } }),
      { type: "ping", volley: { rounds: [] } },
    ]);
    expect(await hear(told)).toMatchObject({ id: "msg_1", content: [{ text: "Done." }] });
  });

  test("of a failure is an error in Anthropic's shape", async () => {
    const passing = relay();
    const whole = stream([text("a")]);
    const { text: heard } = passStream(passing, whole.slice(0, whole.indexOf("event: content_block_stop")));
    const told = heard + passing.fail(makeRefusal("MODEL_UNAVAILABLE", "Try again."));
    expect(read(told).at(-1)).toMatchObject({
      type: "error",
      error: { type: "api_error", message: expect.stringContaining("Try again.") },
    });
    await expect(hear(told)).rejects.toThrow("Try again.");
  });
});
