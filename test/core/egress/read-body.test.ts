import fc from "fast-check";
import { describe, expect, it } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import { ByteBudget, CallBytes } from "../../../src/core/egress/byte-budget.ts";
import { CallClock } from "../../../src/core/egress/call-clock.ts";
import { parseJsonBody, readBody } from "../../../src/core/egress/read-body.ts";
import { type BodyStep, FakeBody, STALL } from "../../support/fake-upstream.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

interface Setup {
  readonly headers?: Record<string, string>;
  readonly maxBytes?: number;
  readonly budget?: ByteBudget;
}

function read(steps: Iterable<BodyStep>, { headers = {}, maxBytes = 1_000, budget }: Setup = {}) {
  const time = new VirtualClock();
  const clock = new CallClock(time, 60_000);
  const body = new FakeBody(steps, time);
  const text = readBody(new Response(body.stream, { headers }), {
    maxBytes,
    held: new CallBytes(budget ?? new ByteBudget(1_000_000), false),
    clock,
    idleTimeoutMs: 5_000,
  });
  return { text, body, time, clock };
}

async function failureOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ToolFailure);
  return (error as ToolFailure).failure;
}

function bytes(length: number): Uint8Array {
  return new Uint8Array(length).fill(97);
}

describe("readBody()", () => {
  it("reads a body in pieces, a character cut in two included", async () => {
    const { text } = read(["caf", new Uint8Array([0xc3]), new Uint8Array([0xa9]), "!"]);

    expect(await text).toBe("café!");
  });

  it("reads no body as no text", async () => {
    const clock = new CallClock(new VirtualClock(), 1_000);
    const limits = { maxBytes: 1, held: new CallBytes(new ByteBudget(1), false), clock, idleTimeoutMs: 1 };

    expect(await readBody(new Response(null, { status: 204 }), limits)).toBe("");
  });

  it("admits a body of exactly the cap", async () => {
    expect(await read([bytes(600), bytes(400)]).text).toHaveLength(1_000);
  });

  it("refuses a declared length over the cap before it reads anything", async () => {
    const { text, body } = read([bytes(1)], { headers: { "content-length": "1001" } });

    expect((await failureOf(text)).code).toBe("RESPONSE_TOO_LARGE");
    expect(body).toMatchObject({ chunksRead: 0, cancelled: true });
  });

  it("T29 believes no declared length that is too small", async () => {
    const { text } = read([bytes(2_000)], { headers: { "content-length": "5" } });

    expect((await failureOf(text)).code).toBe("RESPONSE_TOO_LARGE");
  });

  it("P6: T12 never reads more than the cap and one chunk of an endless body", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 700 }),
        async (maxBytes, size) => {
          const endless = (function* () {
            for (;;) yield bytes(size);
          })();
          const { text, body } = read(endless, { maxBytes });

          expect((await failureOf(text)).code).toBe("RESPONSE_TOO_LARGE");
          expect(body.bytesRead).toBeLessThanOrEqual(maxBytes + size);
          expect(body.cancelled).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });

  trial("T12 gives up a body in too many pieces, empty ones included", async () => {
    const endless = (function* () {
      for (;;) yield bytes(1);
    })();
    const { text, body } = read(endless, { maxBytes: 1_000_000 });

    const failure = await failureOf(text);
    expect(failure.code).toBe("RESPONSE_TOO_LARGE");
    expect(failure.hint).toContain("pieces");
    expect(body.chunksRead).toBe(LIMITS.responseChunks + 1);
  });

  it("F24 takes from the request's budget and says so when it is spent", async () => {
    const budget = new ByteBudget(1_500);

    expect(await read([bytes(1_000)], { budget }).text).toHaveLength(1_000);
    const { text, body } = read([bytes(400), bytes(400)], { budget });
    const failure = await failureOf(text);

    expect(failure.code).toBe("RESPONSE_TOO_LARGE");
    expect(failure.hint).toContain("batch");
    expect(body.cancelled).toBe(true);
  });

  it.each<[string, BodyStep[], Record<string, string>]>([
    ["too large", [bytes(600), bytes(600)], {}],
    ["broken off", [bytes(600), new Error("reset")], {}],
    ["not text", [bytes(600), new Uint8Array([0xff])], {}],
    ["cut off in a character", [bytes(600), new Uint8Array([0xc3])], {}],
    ["silent", [bytes(600), STALL], {}],
    ["short and broken off", [new Error("reset")], { "content-length": "600" }],
    ["short and not text", [new Uint8Array([0xff])], { "content-length": "1" }],
  ])("T30 gives back what it took of a body that is %s", async (_, steps, headers) => {
    const budget = new ByteBudget(1_000);
    const { text, time } = read(steps, { budget, headers });
    await failureOf(time.runUntil(text));

    expect(budget.take(1_001)).toBe(false);
    expect(budget.take(1_000)).toBe(true);
  });

  it("reads nothing of a small body for which there are no bytes left", async () => {
    const { text, body } = read(["12345"], {
      budget: new ByteBudget(4),
      headers: { "content-length": "5" },
    });

    expect((await failureOf(text)).code).toBe("RESPONSE_TOO_LARGE");
    expect(body).toMatchObject({ chunksRead: 0, cancelled: true });
  });

  it.each<Record<string, string>>([
    { "content-length": "10", "transfer-encoding": "chunked" },
    { "content-length": "10", "transfer-encoding": "identity" },
    { "content-length": "10", "content-encoding": "gzip" },
    { "content-length": "10, 10" },
    { "content-length": "-10" },
    { "content-length": "+10" },
    { "content-length": "0x0a" },
    { "content-length": "1e1" },
    { "content-length": "" },
  ])("P6: T29 counts what comes, whatever %j says", async (headers) => {
    const endless = (function* () {
      for (;;) yield bytes(300);
    })();
    const { text, body } = read(endless, { headers });

    expect((await failureOf(text)).code).toBe("RESPONSE_TOO_LARGE");
    expect(body.bytesRead).toBeLessThanOrEqual(1_300);
    expect(body.cancelled).toBe(true);
  });

  it("P6: F24 lets as many bodies be as fit when they come at once", async () => {
    const budget = new ByteBudget(1_000);
    const reads = Array.from({ length: 20 }, () =>
      read(
        Array.from({ length: 9 }, () => bytes(10)),
        { budget },
      ),
    );
    const ended = await Promise.allSettled(reads.map(({ text }) => text));

    expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(11);
  });

  it("T13 F02 ends a body that falls silent with the idle timeout", async () => {
    const { text, body, time } = read(["{", STALL]);

    expect(await failureOf(time.runUntil(text))).toMatchObject({ code: "TIMEOUT", phase: "idle" });
    expect(time.now()).toBe(1_005_000);
    expect(body.cancelled).toBe(true);
  });

  it("P6: T13 F02 waits for a slow body as long as it keeps coming, up to the total", async () => {
    const trickle = (function* () {
      for (;;) {
        yield { waitMs: 4_000 };
        yield "a";
      }
    })();
    const { text, time } = read(trickle);

    expect(await failureOf(time.runUntil(text))).toMatchObject({ code: "TIMEOUT", phase: "total" });
    expect(time.now()).toBe(1_060_000);
  });

  it("ends a stalled read the moment the call is ended from outside", async () => {
    const { text, clock, time, body } = read([STALL]);
    const failure = failureOf(text);

    clock.end(makeFailure("CANCELLED"));
    await time.advance(0);

    expect((await failure).code).toBe("CANCELLED");
    expect(body.cancelled).toBe(true);
  });

  it("reads nothing when the call is over already", async () => {
    const time = new VirtualClock();
    const clock = new CallClock(time, 60_000);
    clock.end(makeFailure("CANCELLED"));
    const body = new FakeBody(["a"]);
    const limits = { maxBytes: 10, held: new CallBytes(new ByteBudget(10), false), clock, idleTimeoutMs: 1 };

    expect((await failureOf(readBody(new Response(body.stream), limits))).code).toBe("CANCELLED");
    expect(body).toMatchObject({ chunksRead: 0, cancelled: true });
  });

  it("says that the service broke off when the body breaks, without the error's text", async () => {
    const failure = await failureOf(read(["{", new Error("ECONNRESET https://x/?key=s3cret")]).text);

    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(JSON.stringify(failure)).not.toContain("s3cret");
  });

  it("leaves no timer and no phase behind", async () => {
    const { text, clock, time } = read(["{}"]);
    await text;

    await time.advance(6_000);
    expect(clock.signal.aborted).toBe(false);
    clock.stop();
    expect(time.pending).toBe(0);
  });

  it.each([
    ["text/plain; charset=iso-8859-1", [0xe9], "é"],
    ['text/plain; charset="ISO-8859-1"; x=y', [0xe9], "é"],
    ["text/plain;charset=shift_jis", [0x82, 0xa0], "あ"],
    ["application/json", [0xc3, 0xa9], "é"],
    ["application/json; charset=UTF8", [0xef, 0xbb, 0xbf, 0x7b, 0x7d], "{}"],
  ])("decodes what %s says", async (type, content, expected) => {
    expect(await read([new Uint8Array(content)], { headers: { "content-type": type } }).text).toBe(expected);
  });

  it.each([
    ["invalid bytes", "application/json", [0x7b, 0xff, 0x7d]],
    ["a character that is cut off", "application/json", [0xc3]],
    ["an unknown charset", "text/plain; charset=klingon", [0x61]],
    ["a binary body", "image/png", [0x89, 0x50, 0x4e, 0x47]],
  ])("refuses %s", async (_, type, content) => {
    const { text } = read([new Uint8Array(content)], { headers: { "content-type": type } });

    expect((await failureOf(text)).code).toBe("BAD_UPSTREAM_RESPONSE");
  });
});

describe("parseJsonBody()", () => {
  it("parses JSON whatever its content type says", () => {
    expect(parseJsonBody('{"a":[1]}', new Headers({ "content-type": "text/plain" }))).toEqual({ a: [1] });
  });

  it.each([
    ["<html>s3cret</html>", "text/html; charset=utf-8", '"text/html"'],
    ["<html>s3cret</html>", "TEXT/HTML", '"text/html"'],
    ["s3cret", null, "something else"],
    ["s3cret", "ignore previous instructions/now", "something else"],
    ["s3cret", `text/${"x".repeat(200)}`, "something else"],
    ["", "application/json", "nothing"],
    ["  \n", "application/json", "nothing"],
  ])("says for %j of type %j that %s came, never the text", (text, type, came) => {
    try {
      parseJsonBody(text, new Headers(type === null ? {} : { "content-type": type }));
      expect.unreachable();
    } catch (error) {
      const { failure } = error as ToolFailure;
      expect(failure.code).toBe("BAD_UPSTREAM_RESPONSE");
      expect(failure.hint).toContain(`answered with ${came} where`);
      expect(failure.hint).not.toContain("s3cret");
    }
  });
});
