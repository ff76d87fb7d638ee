import { beforeEach, describe, expect, it } from "vitest";

import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { CallClock } from "../../../src/core/egress/call-clock.ts";
import { IsolateBytes } from "../../../src/core/egress/isolate-bytes.ts";
import { ByteBudget, CallBytes } from "../../../src/core/egress/byte-budget.ts";
import { parseJsonBody, readBody, readEvents } from "../../../src/core/egress/read-body.ts";
import { type BodyStep, FakeBody, STALL } from "../../support/fake-upstream.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

let time: VirtualClock;
let clock: CallClock;
beforeEach(() => {
  time = new VirtualClock();
  clock = new CallClock(time, 60_000);
});

function read(
  steps: Iterable<BodyStep>,
  headers: Record<string, string>,
  { maxBytes = 1_000_000, budget = new ByteBudget(1_000_000) } = {},
) {
  const body = new FakeBody(steps, time);
  const held = new CallBytes(budget, false);
  const limits = { maxBytes, held, clock, idleTimeoutMs: 5_000 };
  return { body, held, budget, text: readBody(new Response(body.stream, { headers }), limits) };
}

async function failureOf(promise: Promise<unknown>) {
  const error: unknown = await time.runUntil(promise).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ToolFailure);
  return (error as ToolFailure).failure;
}

const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(97);
const declared = (length: number, more: Record<string, string> = {}) => ({
  "content-length": String(length),
  ...more,
});

/** Exactly so many bytes are left in the budget. */
function expectLeft(budget: ByteBudget, left: number): void {
  expect([budget.take(left + 1), budget.take(left)]).toEqual([false, true]);
}

/** An isolate in which nothing of a tenant fits before `free` is called, and a budget of that tenant. */
function crowded() {
  const isolate = new IsolateBytes(time, { bytes: 900_000, claim: 300_000, waiting: 10 });
  const [leader, beside] = [isolate.open("acme", time), isolate.open("acme", time)];
  expect([leader.take(300_000, false), beside.take(150_000, true)]).toEqual([true, true]);
  const budget = new ByteBudget(300_000, 0, { share: () => isolate.open("acme", time) });
  // Every request may hold so many without being counted.
  budget.take(16 * 1024);
  return { isolate, budget, free: () => leader.give(300_000) };
}

describe("readBody() of a small body whose length is declared", () => {
  it("reads as many bytes as the cap allows, and holds them for its call", async () => {
    const { text, held, budget } = read([bytes(1_000)], declared(1_000), { maxBytes: 1_000 });
    expect(await text).toBe("a".repeat(1_000));
    expectLeft(budget, 999_000);
    budget.give(999_000);
    held.end(0);
    expectLeft(budget, 1_000_000);
  });

  it.each([
    ["ASCII to its last character", '{"a":"~\u007f"}'],
    ["anything else", '{"a":"é€\u{1f511}"}'],
    ["more than two thousand characters", `"${"a".repeat(5_000)}"`],
    ["more than two thousand characters of all kinds", `"${"é".repeat(5_000)}"`],
  ])("reads %s", async (_, text) => {
    const encoded = new TextEncoder().encode(text);
    expect(await read([encoded], declared(encoded.length)).text).toBe(text);
  });

  it("refuses a character that is cut off", async () => {
    const { text, budget } = read([new Uint8Array([97, 0xc3])], declared(2));
    expect((await failureOf(text)).code).toBe("BAD_UPSTREAM_RESPONSE");
    expectLeft(budget, 1_000_000);
  });

  it.each([
    ["text/plain; charset=iso-8859-1", [0xe9], "é"],
    ["text/plain; charset = iso-8859-1", [0xe9], "é"],
    ["text/plain;charset=utf-8", [0xc3, 0xa9], "é"],
    ['text/plain;charset="UTF-8"', [0xc3, 0xa9], "é"],
    ["text/plain;charset=utf-16le", [0xe9, 0x00], "é"],
  ])("decodes what %s says", async (type, content, expected) => {
    const headers = declared(content.length, { "content-type": type });
    expect(await read([new Uint8Array(content)], headers).text).toBe(expected);
  });

  it.each(["klingon", "x-utf-8", "utf-8x"])("says that %s is not known", async (charset) => {
    const headers = declared(1, { "content-type": `text/plain; charset=${charset}` });
    expect(await failureOf(read([bytes(1)], headers).text)).toMatchObject({
      code: "BAD_UPSTREAM_RESPONSE",
      hint: expect.stringContaining("not known"),
    });
  });

  it("T13 F02 ends with the phase idle when it falls silent", async () => {
    const { text, budget } = read([bytes(5), STALL], declared(10));
    expect(await failureOf(text)).toMatchObject({ code: "TIMEOUT", phase: "idle" });
    expect(time.now()).toBe(1_005_000);
    expectLeft(budget, 1_000_000);
  });

  it("leaves no phase behind that would end its call", async () => {
    await read([bytes(10)], declared(10)).text;
    await time.advance(6_000);
    expect(clock.ended).toBeNull();
  });

  it("T44 is not read before its isolate has the bytes for it", async () => {
    const { budget, free } = crowded();
    const { text, body } = read([bytes(60_000)], declared(60_000), { budget });
    await time.advance(1_000);
    expect(body.chunksRead).toBe(0);
    free();
    expect(await time.runUntil(text)).toHaveLength(60_000);
  });
});

describe("readBody() of any other body", () => {
  it("admits a declared length of exactly the cap", async () => {
    const headers = declared(1_000, { "content-encoding": "gzip" });
    expect(await read([bytes(1_000)], headers, { maxBytes: 1_000 }).text).toHaveLength(1_000);
  });

  it("says how many bytes one answer may have", async () => {
    expect(await failureOf(read([bytes(1_001)], {}, { maxBytes: 1_000 }).text)).toMatchObject({
      code: "RESPONSE_TOO_LARGE",
      hint: expect.stringContaining("1000 bytes"),
    });
  });

  it("reads nothing of a large one for which there are no bytes left", async () => {
    const budget = new ByteBudget(99_999);
    const { text, body } = read([bytes(100_000)], declared(100_000), { budget });
    expect((await failureOf(text)).code).toBe("RESPONSE_TOO_LARGE");
    expect(body).toMatchObject({ chunksRead: 0, cancelled: true });
    expectLeft(budget, 99_999);
  });

  it("holds all of a large one from its beginning on, and what came of it in the end", async () => {
    const { text, held, budget } = read([bytes(10_000), { waitMs: 1_000 }, bytes(60_000)], declared(100_000));
    await time.advance(500);
    expectLeft(budget, 900_000);
    budget.give(900_000);
    expect(await time.runUntil(text)).toHaveLength(70_000);
    expectLeft(budget, 930_000);
    budget.give(930_000);
    held.end(0);
    expectLeft(budget, 1_000_000);
  });

  it.each([
    ["whose length is declared", declared(100_000)],
    ["whose length is not", {}],
  ])("T44 waits for the isolate's turn with a body %s", async (_, headers) => {
    const { budget, free, isolate } = crowded();
    const { text, body } = read([bytes(50_000), bytes(50_000)], headers, { budget });
    let isRead = false;
    void text.then(() => (isRead = true));
    await time.advance(1_000);
    expect([isRead, body.chunksRead < 2]).toEqual([false, true]);
    expect(isolate.held).toBe(450_000);
    free();
    expect(await time.runUntil(text)).toHaveLength(100_000);
    expect(isolate.held).toBe(250_000);
  });

  it("reads nothing of a large declared one while it waits for its turn", async () => {
    const { budget } = crowded();
    const { body, text } = read([bytes(100_000)], declared(100_000), { budget });
    await time.advance(1_000);
    expect(body.chunksRead).toBe(0);
    expect((await failureOf(text)).code).toBe("OVERLOADED");
    expect(body.chunksRead).toBe(0);
  });

  it("leaves nothing behind that its call would still have to end", async () => {
    await read([bytes(10)], {}).text;
    clock.close();
    expect(clock.ended).toBeNull();
  });
});

describe("readEvents()", () => {
  it("holds what came until it had enough", async () => {
    const budget = new ByteBudget(1_000_000);
    const held = new CallBytes(budget, false);
    const body = new FakeBody([bytes(40_000), bytes(40_000), STALL]);
    const limits = { maxBytes: 1_000_000, held, clock, idleTimeoutMs: 5_000 };
    let pieces = 0;
    const response = new Response(body.stream, { headers: declared(100_000) });
    const text = await readEvents(response, limits, () => (pieces += 1) === 2);
    expect(text).toHaveLength(80_000);
    expectLeft(budget, 920_000);
    budget.give(920_000);
    held.end(0);
    expectLeft(budget, 1_000_000);
  });
});

describe("parseJsonBody() of what is no JSON", () => {
  it.each([
    ["application/json; charset=utf-8", "something that only claims to be JSON"],
    ["application/problem+json", "something that only claims to be JSON"],
    ["application/json-seq", '"application/json-seq"'],
    ["application/xjson", '"application/xjson"'],
    [" text/html ", '"text/html"'],
    ["x-text/html", "something else"],
  ])("says of %s that %s came", (type, came) => {
    const parse = (): unknown => parseJsonBody("<html>", { get: () => type });
    expect(parse).toThrow(ToolFailure);
    const { failure } = ((): ToolFailure => {
      try {
        parse();
      } catch (error) {
        return error as ToolFailure;
      }
      return expect.unreachable();
    })();
    expect(failure.hint).toContain(`answered with ${came} where`);
  });
});
