import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { CHAT } from "../../../../src/features/agent/dialect/chat-dialect.ts";
import { ChatRelay } from "../../../../src/features/agent/dialect/chat-relay.ts";
import type { Ending, ModelTurn } from "../../../../src/features/agent/dialect/dialect.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { makeRefusal } from "../../../../src/core/contract/refusal.ts";
import { CHAT_SERVERS, chunk, DONE, event, isTheirs, type Said } from "../../../support/chat-streams.ts";
import { AS_IT_IS, passAll, passStream } from "../../../support/relay-stream.ts";
import { samples } from "../../../support/samples.ts";
import { trial } from "../../../support/trial.ts";

const relay = (): ChatRelay => new ChatRelay(isTheirs);

const OURS = { id: "call_a", name: "probe-echo", args: '{"n":1}' };
const THEIRS = { id: "call_b", name: "lookup", args: '{"q":"ünd"}' };
const ALSO_THEIRS = { id: "call_c", name: "notify", args: "{}" };

interface Choice {
  readonly delta: {
    readonly role?: string;
    readonly content?: string | null;
    readonly tool_calls?: readonly ToolPiece[];
  };
  readonly finish_reason: string | null;
}
interface ToolPiece {
  readonly index: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}
interface Chunk {
  readonly id: string;
  readonly choices: readonly Choice[];
  readonly usage?: object | null;
  readonly volley?: object;
}

/** The chunks of a stream, as a client reads them; it has to end with `[DONE]`. */
function read(stream: string): Chunk[] {
  const data: string[] = [];
  createParser({ onEvent: (message) => data.push(message.data) }).feed(stream);
  expect(data.indexOf("[DONE]")).toBe(data.length - 1);
  return data.slice(0, -1).map((json) => JSON.parse(json) as Chunk);
}

interface Heard {
  readonly text: string;
  readonly role: string | undefined;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  readonly finish: readonly string[];
  readonly ids: readonly string[];
  readonly usage: readonly object[];
}

/** Put a stream together, as the clients of OpenAI do: calls by their index, which has to grow by one. */
function hear(stream: string): Heard {
  const chunks = read(stream);
  const choices = chunks
    .flatMap(({ choices }) => (Array.isArray(choices) ? (choices as readonly Choice[]) : []))
    .filter((choice) => typeof choice?.delta === "object");
  const calls: { id: string; name: string; args: string }[] = [];
  for (const { delta } of choices)
    for (const { index, id, function: called } of delta.tool_calls ?? []) {
      expect(index).toBeLessThanOrEqual(calls.length);
      const call = (calls[index] ??= { id: id!, name: called!.name!, args: "" });
      call.args += called?.arguments ?? "";
    }
  return {
    text: choices.map(({ delta }) => (typeof delta.content === "string" ? delta.content : "")).join(""),
    role: choices.map(({ delta }) => delta.role).find((role) => role !== undefined),
    calls,
    finish: choices.flatMap(({ finish_reason }) => finish_reason ?? []),
    ids: [...new Set(chunks.flatMap(({ id }) => (id === "" ? [] : id)))],
    usage: chunks.flatMap(({ choices, usage }) => (choices?.length === 0 && usage ? [usage] : [])),
  };
}

/** Pass a stream on and give the turn too; the caller's calls in it end the answer. */
function answer(stream: string, ending: Partial<Ending> = {}) {
  const passing = relay();
  const { text, fault } = passStream(passing, stream);
  const turn = passing.turn();
  const calls = turn?.calls.filter(isTheirs) ?? [];
  const end = passing.end({ ...AS_IT_IS, calls, usage: turn?.usage ?? null, ...ending });
  return { fault, turn, stream: text + end, ...hear(text + end) };
}

const TEXTS = fc.constantFrom("", "Hi", "Phoenix, ünd ✓ 🚗 it is.");
const CALL_SETS = fc.constantFrom([], [OURS], [THEIRS], [OURS, THEIRS], [THEIRS, OURS, ALSO_THEIRS]);
const SAID: fc.Arbitrary<Said> = fc.record({ text: TEXTS, calls: CALL_SETS });
const SIZES = fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 8 });

describe.each(CHAT_SERVERS)("A stream of $name", (server) => {
  test.each([
    ["a text", { text: "Done, ünd ✓." }],
    ["calls of the caller's tools", { calls: [THEIRS, ALSO_THEIRS] }],
    ["a text and such calls", { text: "Let me see.", calls: [THEIRS] }],
  ])("with %s is passed on byte for byte, and the report before its end", (_, said: Said) => {
    const stream = server.stream(said);
    const told = answer(stream);
    const [before, after] = told.stream.split(/data: [^\n]*"volley":\{"rounds":\[\]\}\}\n\n/);
    expect(before! + after!).toBe(stream);
    expect(after).toBe(DONE);
  });

  test("is the same however its bytes are cut", () => {
    fc.assert(
      fc.property(SAID, SIZES, (said, sizes) => {
        const streams = [server.stream(said), server.stream({ text: "Done." })];
        expect(passAll(relay(), streams, { sizes })).toBe(passAll(relay(), streams));
      }),
      { numRuns: samples(50) },
    );
  });

  trial("is the same when its lines end with CRLF", () => {
    fc.assert(
      fc.property(SAID, SIZES, (said, sizes) => {
        const streams = [server.stream(said), server.stream({ text: "Done." })];
        const crlf = streams.map((stream) => stream.replaceAll("\n", "\r\n"));
        const told = passAll(relay(), crlf, { sizes }).replaceAll(/\r\n?/g, "\n");
        expect(hear(told)).toEqual(hear(passAll(relay(), streams)));
      }),
      { numRuns: samples(50) },
    );
  });

  test("is the turn that the same answer is where it does not stream", () => {
    fc.assert(
      fc.property(SAID, (said) => {
        const { turn } = answer(server.stream(said));
        const message = server.message(said);
        const whole = CHAT.readTurn({ id: "chatcmpl-1", choices: [{ index: 0, message }] })!;
        // No content is null in one of them and empty in the other, which is the same.
        const shown = ({ calls, text, message }: ModelTurn): object => ({
          calls,
          text,
          message: { ...message, content: null },
        });
        expect(shown(turn!)).toEqual(shown(whole));
      }),
    );
  });

  trial("shows the caller's calls only, with indexes in a row", () => {
    fc.assert(
      fc.property(SAID, (said) => {
        const told = answer(server.stream(said));
        const expected = said.calls!.filter(isTheirs);
        expect(told.calls).toEqual(expected);
        expect(told.text).toBe(said.text);
        expect(told.finish).toEqual([expected.length > 0 ? "tool_calls" : "stop"]);
        expect(told.stream).not.toContain(OURS.name);
      }),
    );
  });

  trial("is one answer with those before it: one id, one role, one reason for its end", () => {
    fc.assert(
      fc.property(fc.array(TEXTS, { maxLength: 3 }), TEXTS, (texts, last) => {
        const streams = [
          ...texts.map((text) => server.stream({ text, calls: [OURS] })),
          server.stream({ text: last }),
        ];
        const told = hear(passAll(relay(), streams));
        expect(told).toMatchObject({ text: texts.join("") + last, role: "assistant", finish: ["stop"] });
        expect(told.ids).toHaveLength(1);
        expect(told.calls).toEqual([]);
      }),
    );
  });

  test("shows nothing of a plan, and of an answer in words only those", () => {
    const passing = relay();
    expect(passStream(passing, server.stream({ text: "A plan." }), { mode: "silent" }).text).toBe("");
    expect(passing.turn()).toMatchObject({ text: "A plan." });
    expect(passing.proceed()).toBe("");
    const { text } = passStream(passing, server.stream({ text: "Action: none" }), { mode: "silent" });
    const told = hear(text + passing.end({ ...AS_IT_IS, text: "It is done." }));
    expect(told).toMatchObject({ text: "It is done.", role: "assistant", finish: ["stop"] });
  });

  test("that called the caller's tools in words has them as calls, after the words if there were any", () => {
    for (const said of ["", "Let me look."]) {
      const passing = relay();
      const { text } = passStream(passing, server.stream({ text: "Action: lookup" }), { mode: "silent" });
      const args = { ok: true as const, value: { q: 1 } };
      const calls = [
        { id: "call_1", name: "lookup", args, closed: false, written: '{"q":1}' },
        { id: "call_2", name: "notify", args, closed: false, written: '{"q":1}' },
      ];
      const stream = text + passing.end({ ...AS_IT_IS, text: said, calls });
      expect(hear(stream)).toMatchObject({
        text: said,
        role: "assistant",
        calls: [
          { id: "call_1", name: "lookup", args: '{"q":1}' },
          { id: "call_2", name: "notify", args: '{"q":1}' },
        ],
        finish: ["tool_calls"],
      });
      expect(stream.match(/"role":"assistant"/g)).toHaveLength(1);
    }
  });

  test("that said nothing ends with words of ours alone", () => {
    const told = answer(server.stream({ calls: [OURS] }), { words: "It waits." });
    expect(told).toMatchObject({ text: "It waits.", finish: ["stop"], role: "assistant" });
  });

  test("shows no calls once tools are switched off", () => {
    const passing = relay();
    const { text } = passStream(passing, server.stream({ text: "So.", calls: [OURS, THEIRS] }), {
      mode: "closed",
    });
    const told = hear(text + passing.end({ ...AS_IT_IS, words: "" }));
    expect(told).toMatchObject({ text: "So.", calls: [], finish: ["stop"] });
  });

  test("that ends with words of ours says all that it said, and then those", () => {
    const told = answer(server.stream({ text: "Deleting.", calls: [OURS] }), { words: "It waits." });
    expect(told).toMatchObject({ text: "Deleting.\n\nIt waits.", finish: ["stop"], role: "assistant" });
  });
});

describe("Usage", () => {
  const ask = (...usage: readonly (object | null)[]): string =>
    [
      chunk({ role: "assistant", content: "Hi" }),
      chunk({}, "stop"),
      ...usage.map((one) => event({ id: "chatcmpl-1", choices: [], usage: one })),
      DONE,
    ].join("");

  test("of several calls of the model is told once, summed up", () => {
    const streams = [ask({ total_tokens: 2 }), ask({ total_tokens: 3 })];
    const told = hear(passAll(relay(), streams, { ending: { ...AS_IT_IS, usage: { total_tokens: 5 } } }));
    expect(told.usage).toEqual([{ total_tokens: 5 }]);
  });

  test("is not told to who has not asked for it", () => {
    expect(hear(passAll(relay(), [ask(), ask()])).usage).toEqual([]);
  });
});

describe("A server that numbers its calls in its own way", () => {
  const piece = (call: { id: string; name: string; args: string }, fields: object = {}): object => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.args },
    ...fields,
  });
  const end = chunk({}, "tool_calls") + DONE;
  const named = (told: { readonly turn: ModelTurn | null }) =>
    told.turn?.calls.map(({ id, name, args }) => [id, name, args.ok && args.value]);

  test.each([
    ["gives all of them the index 0, in chunks of their own", [[{ index: 0 }], [{ index: 0 }]]],
    ["gives all of them the index 0, in one chunk", [[{ index: 0 }, { index: 0 }]]],
    ["gives none an index, in chunks of their own", [[{}], [{}]]],
    ["gives none an index, in one chunk", [[{}, {}]]],
    ["begins with any index", [[{ index: 7 }], [{ index: 3 }]]],
  ])("and %s has each of them read", (_, layout: readonly (readonly object[])[]) => {
    const left = [OURS, THEIRS];
    const chunks = layout.map((fields) =>
      chunk({ tool_calls: fields.map((field) => piece(left.shift()!, field)) }),
    );
    const told = answer(chunks.join("") + end);
    expect(named(told)).toEqual([
      ["call_a", "probe-echo", { n: 1 }],
      ["call_b", "lookup", { q: "ünd" }],
    ]);
    expect(told.calls).toEqual([THEIRS]);
  });

  test("and has a new id in every piece of one call is not taken for several", () => {
    const told = answer(
      [
        chunk({
          tool_calls: [{ index: 0, id: "x1", type: "function", function: { name: "lookup", arguments: "" } }],
        }),
        chunk({ tool_calls: [{ index: 0, id: "x2", function: { arguments: '{"q":' } }] }),
        chunk({ tool_calls: [{ index: 0, id: "x3", function: { name: null, arguments: "1}" } }] }),
        end,
      ].join(""),
    );
    expect(named(told)).toEqual([["x1", "lookup", { q: 1 }]]);
  });

  test("and repeats id and name in every piece is not taken for several", () => {
    const told = answer(
      ['{"q":', "1}"]
        .map((args) => chunk({ tool_calls: [piece({ ...THEIRS, args }, { index: 0 })] }))
        .join("") + end,
    );
    expect(named(told)).toEqual([["call_b", "lookup", { q: 1 }]]);
  });

  test.each([
    ["no id", {}],
    ["an empty id", { id: "" }],
  ])("and gives them %s has ids made, which the caller sees too", (_, fields) => {
    const call = (index: number, args: string): object => ({
      index,
      ...fields,
      type: "function",
      function: { name: "lookup", arguments: args },
    });
    const told = answer(chunk({ tool_calls: [call(0, '{"q":1}'), call(1, '{"q":2}')] }) + end);
    const ids = told.turn!.calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(told.calls.map(({ id }) => id)).toEqual(ids);
  });

  test("and gives two calls one id has the second named anew, for the caller too", () => {
    const calls = [THEIRS, { ...ALSO_THEIRS, id: THEIRS.id }];
    const told = answer(
      calls.map((call, index) => chunk({ tool_calls: [piece(call, { index })] })).join("") + end,
    );
    const ids = told.turn!.calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(told.calls.map(({ id }) => id)).toEqual(ids);
  });

  test("and names a call only after it has begun it has its beginning passed on with the name", () => {
    const told = answer(
      [
        chunk({ tool_calls: [{ index: 0, id: "call_b", type: "function", function: { arguments: "" } }] }),
        chunk({ tool_calls: [{ index: 0, function: { name: "", arguments: '{"q":' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { name: "lookup" } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '"ünd"}' } }] }),
        end,
      ].join(""),
    );
    expect(told.calls).toEqual([THEIRS]);
    expect(named(told)).toEqual([["call_b", "lookup", { q: "ünd" }]]);
  });

  test("and never names a call has it answered as one of a tool that there is not", () => {
    const told = answer(
      chunk({ tool_calls: [{ index: 0, id: "call_x", function: { arguments: "{}" } }] }) + end,
    );
    expect(named(told)).toEqual([["call_x", "", false]]);
    expect(told.calls).toEqual([]);
  });

  test("and sends a name in pieces is heard whole", () => {
    const told = answer(
      [
        chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "look", arguments: "" } }] }),
        chunk({ tool_calls: [{ index: 0, function: { name: "up", arguments: "{}" } }] }),
        end,
      ].join(""),
    );
    expect(named(told)).toEqual([["c", "lookup", {}]]);
    expect(told.calls).toEqual([{ id: "c", name: "lookup", args: "{}" }]);
  });
});

describe("A stream that ends oddly", () => {
  const text = (content: string): string => chunk({ role: "assistant", content });

  test("with two reasons has one, and loses nothing", () => {
    const told = answer(
      chunk({ role: "assistant", content: "a" }, "stop") + chunk({ content: "b" }, "stop") + DONE,
    );
    expect(told).toMatchObject({ text: "ab", finish: ["stop"], turn: { text: "ab" } });
  });

  test("with text behind its reason has it in its place", () => {
    const told = answer(chunk({ role: "assistant", content: "a" }, "stop") + chunk({ content: "b" }) + DONE);
    expect(told).toMatchObject({ text: "ab", finish: ["stop"], turn: { text: "ab" } });
  });

  test("without [DONE] is an answer", () => {
    expect(answer(text("a") + chunk({}, "stop"))).toMatchObject({ text: "a", finish: ["stop"] });
  });

  test("without a reason but with [DONE] is an answer", () => {
    expect(answer(text("a") + DONE)).toMatchObject({ text: "a", finish: ["stop"] });
  });

  test("with anything behind [DONE] is over there, however it is cut", () => {
    const stream = `${text("a")}${chunk({}, "stop")}${DONE}: bye\n\ndata: {"error":"late"}\n\ndata: {`;
    for (const size of [1, 7, 10_000])
      expect(passAll(relay(), [stream], { sizes: [size] })).toBe(passAll(relay(), [stream], { sizes: [3] }));
    expect(hear(passAll(relay(), [stream]))).toMatchObject({ text: "a", finish: ["stop"] });
  });

  test.each([
    ["nothing", ""],
    ["only comments", ": a\n\n: b\n\n"],
    ["text and no end", text("a")],
  ])("with %s is none", (_, stream) => {
    const passing = relay();
    expect(passStream(passing, stream).fault).toBeNull();
    expect(passing.turn()).toBeNull();
  });

  test.each([
    ["an error", '{"error":{"message":"secret"}}'],
    ["an error as text", '{"error":"secret"}'],
    ["an error of vLLM's older kind", '{"object":"error","message":"secret","code":400}'],
  ])("with %s is broken, and the caller hears nothing of it", (_, data) => {
    for (const before of ["", text("a"), text("a") + chunk({}, "stop")]) {
      const { text: heard, fault } = passStream(relay(), `${before}data: ${data}\n\n`);
      expect(fault).toBe("error");
      expect(heard).not.toContain("secret");
    }
  });

  test.each(["null", "[]", "1", '"text"', "{", "{} {}", "<html>"])(
    "with %s as data is unreadable",
    (data) => {
      expect(passStream(relay(), `data: ${data}\n\n`).fault).toBe("unreadable");
    },
  );
});

describe("Whatever stands in a chunk", () => {
  test.each([
    ["choices that are null", { choices: null }],
    ["choices that are an object", { choices: { 0: {} } }],
    ["a choice that is a list", { choices: [[]] }],
    ["a choice that is null", { choices: [null] }],
    ["a delta that is a list", { choices: [{ delta: ["a"] }] }],
    ["no delta", { choices: [{}] }],
    ["content that is a list", { choices: [{ delta: { content: [{ type: "text" }] } }] }],
    ["calls that are an object", { choices: [{ delta: { tool_calls: { 0: {} } } }] }],
    ["calls that are null", { choices: [{ delta: { tool_calls: [null, 1, []] } }] }],
    ["a function that is a list", { choices: [{ delta: { tool_calls: [{ index: 0, function: [] }] } }] }],
    ["an index that is none", { choices: [{ delta: { tool_calls: [{ index: "x", function: {} }] } }] }],
    ["a name that is none", { choices: [{ delta: { tool_calls: [{ index: 0, function: { name: {} } }] } }] }],
    ["arguments as an object", { choices: [{ delta: { tool_calls: [{ function: { arguments: {} } }] } }] }],
    ["usage that is a number", { choices: [], usage: 1 }],
  ])("%s breaks nothing", (_, data) => {
    const passing = relay();
    const stream = event(data) + chunk({ role: "assistant", content: "a" }) + chunk({}, "stop") + DONE;
    const { text, fault } = passStream(passing, stream);
    expect(fault).toBeNull();
    expect(passing.turn()).toMatchObject({ text: "a" });
    expect(read(text + passing.end(AS_IT_IS)).at(-1)).toMatchObject({ volley: {} });
  });

  trial("any JSON breaks nothing", () => {
    const field = fc.constantFrom("content", "role", "tool_calls", "reasoning_details", "__proto__", "x");
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.array(
        fc.dictionary(fc.constantFrom("index", "id", "function", "text"), fc.jsonValue({ maxDepth: 1 })),
      ),
    );
    const delta = fc.dictionary(field, value, { noNullPrototype: true });
    fc.assert(
      fc.property(fc.array(delta, { maxLength: 5 }), (deltas) => {
        const passing = relay();
        const stream = [...deltas.map((one) => chunk(one)), chunk({}, "stop"), DONE].join("");
        expect(passStream(passing, stream).fault).toBeNull();
        expect(passing.turn()).not.toBeNull();
        passing.end({ ...AS_IT_IS, usage: passing.turn()!.usage });
      }),
    );
  });

  test("keys named __proto__ stay keys", () => {
    const delta = '{"__proto__":{"polluted":1},"x":{"__proto__":{"polluted":2}}}';
    const usage = '{"__proto__":{"polluted":3}}';
    const told = answer(
      `data: {"choices":[{"delta":${delta}}],"usage":${usage}}\n\n`.repeat(2) + chunk({}, "stop") + DONE,
    );
    expect((told.turn as unknown as { polluted?: unknown }).polluted).toBeUndefined();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(told.turn!.message["polluted"]).toBeUndefined();
    expect(JSON.stringify(told.turn!.message)).toContain('"__proto__"');
  });

  test("more calls than anybody makes end it", () => {
    const calls = Array.from({ length: LIMITS.modelCalls + 1 }, (_, index) => ({
      index,
      id: `c${index}`,
      function: { name: "a", arguments: "" },
    }));
    expect(passStream(relay(), chunk({ tool_calls: calls })).fault).toBe("too large");
  });

  trial("a huge chunk and a hundred thousand tiny ones are an answer", () => {
    const huge = "x".repeat(3_000_000);
    expect(answer(chunk({ content: huge }) + chunk({}, "stop") + DONE).text).toHaveLength(huge.length);
    const tiny = chunk({ content: "x" }).repeat(100_000);
    expect(answer(tiny + chunk({}, "stop") + DONE).turn!.text).toHaveLength(100_000);
  });

  trial("a field that comes in many pieces is copied once, not once a piece", () => {
    const many = 60_000;
    const pieces = Array.from({ length: many }, (_, at) => chunk({ x: { [`k${at}`]: at }, list: [{ at }] }));
    const { turn } = answer(pieces.join("") + chunk({}, "stop") + DONE);
    expect(Object.keys(turn!.message["x"] as object)).toHaveLength(many);
    expect(turn!.message["list"]).toHaveLength(many);
  });
});

describe("Text of Volley itself", () => {
  test("is in chunks without choices, under the answer's id", () => {
    const passing = relay();
    const streams = [
      CHAT_SERVERS[0]!.stream({ calls: [OURS] }),
      CHAT_SERVERS[0]!.stream({ text: "Done." }).replaceAll("chatcmpl-1", "chatcmpl-2"),
    ];
    const told = [
      passStream(passing, streams[0]!).text,
      passing.result('{"index":0}'),
      passing.proceed(),
      passStream(passing, streams[1]!).text,
      passing.end({ ...AS_IT_IS, usage: { total_tokens: 30 } }),
    ].join("");
    expect(hear(told)).toMatchObject({ ids: ["chatcmpl-1"], text: "Done.", finish: ["stop"] });
    const own = read(told).filter(({ volley }) => volley !== undefined);
    expect(own.map(({ choices, volley }) => [choices, volley])).toEqual([
      [[], { result: { index: 0 } }],
      [[], { rounds: [] }],
    ]);
  });

  test("of a result before anything else was said does not give the answer two ids, and leaves it its role", () => {
    const passing = relay();
    const first =
      chunk(
        {
          role: "assistant",
          tool_calls: [{ index: 0, ...OURS, function: { name: OURS.name, arguments: "{}" } }],
        },
        "tool_calls",
      ) + DONE;
    const second = (chunk({ role: "assistant", content: "Done." }, "stop") + DONE).replaceAll(
      "chatcmpl-1",
      "chatcmpl-2",
    );
    const told = [
      passStream(passing, first).text,
      passing.result('{"index":0}'),
      passing.proceed(),
      passStream(passing, second).text,
      passing.end({ ...AS_IT_IS, usage: { total_tokens: 30 } }),
    ].join("");
    expect(hear(told)).toMatchObject({ ids: ["chatcmpl-1"], role: "assistant", text: "Done." });
  });

  test("of a failure is an error in OpenAI's shape, and the stream's end", () => {
    const failed = relay().fail(makeRefusal("MODEL_UNAVAILABLE", "Try again."));
    expect(failed.endsWith(DONE)).toBe(true);
    expect(JSON.parse(failed.slice(6, failed.indexOf("\n\n")))).toMatchObject({
      error: { message: expect.stringContaining("Try again."), code: "MODEL_UNAVAILABLE", param: null },
    });
  });
});
