import fc from "fast-check";
import { describe, expect, it } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { CallClock } from "../../../src/core/egress/call-clock.ts";
import { IsolateBytes } from "../../../src/core/egress/isolate-bytes.ts";
import { ByteBudget, CallBytes } from "../../../src/core/egress/byte-budget.ts";
import { attempt } from "../../../src/core/kit/result.ts";
import { samples } from "../../support/samples.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

const KIB = 1024;

describe("ByteBudget", () => {
  it("P6: gives exactly as many bytes as it has", () => {
    const budget = new ByteBudget(10);

    expect([budget.take(4), budget.take(6), budget.take(0), budget.take(1)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it("takes nothing for what it refuses, so smaller responses still fit", () => {
    const budget = new ByteBudget(10);

    expect(budget.take(11)).toBe(false);
    expect(budget.take(10)).toBe(true);
  });

  it("T30 has again what was given back, and no more", () => {
    const budget = new ByteBudget(10);
    budget.take(10);
    budget.give(4);

    expect([budget.take(5), budget.take(4)]).toEqual([false, true]);
  });

  trial("holds 500,000 values at most, whatever they are read in", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 30 }), (sizes) => {
        const budget = new ByteBudget(0);
        const admitted = sizes.filter((size) => budget.takeValues(listOf(size)).ok);

        expect(admitted.reduce((sum, size) => sum + size + 1, 0)).toBeLessThanOrEqual(LIMITS.requestValues);
        expect(Math.max(0, ...admitted)).toBeLessThanOrEqual(LIMITS.responseValues);
      }),
      { numRuns: samples(20) },
    );
  });

  trial("says whether one response has too many values or all of them have", () => {
    const budget = new ByteBudget(0);

    expect(budget.takeValues(listOf(250_000))).toMatchObject({ error: { code: "RESPONSE_TOO_LARGE" } });
    expect(budget.takeValues(listOf(249_999))).toEqual({ ok: true, value: 250_000 });
    expect(budget.takeValues(listOf(249_999))).toMatchObject({
      error: { code: "RESPONSE_TOO_LARGE", hint: expect.stringContaining("batch") },
    });
    budget.give(0, 250_000);
    expect(budget.takeValues(listOf(249_999)).ok).toBe(true);
  });

  it("counts no values of the first responses, which are small", () => {
    const budget = new ByteBudget(0);

    for (let read = 0; read < 100; read += 1)
      expect(budget.takeValues(listOf(200))).toMatchObject({ value: 0 });
    expect(budget.takeValues(listOf(40_000))).toMatchObject({ value: 40_001 });
  });
});

describe("CallBytes", () => {
  it("T30 leaves the reserve to small bodies and to the answers of writes", () => {
    const budget = new ByteBudget(1_000 * KIB, 400 * KIB);
    const read = new CallBytes(budget, false);
    const write = new CallBytes(budget, true);

    expect(read.take(1_000 * KIB, 1_000 * KIB)).toBe(true);
    expect(read.take(1, 65 * KIB)).toBe(false);
    expect(write.take(200 * KIB, 200 * KIB)).toBe(true);
    expect(write.take(1, 65 * KIB)).toBe(false);
    expect(read.take(64 * KIB, 64 * KIB)).toBe(true);
    expect(read.take(64 * KIB, 64 * KIB)).toBe(false);
    expect(write.take(64 * KIB, 64 * KIB)).toBe(true);
    expect(write.take(64 * KIB, 64 * KIB)).toBe(true);
  });

  it("holds of what was read what its output still has", () => {
    const budget = new ByteBudget(100);
    const call = new CallBytes(budget, false);
    call.take(90, 90);
    call.keep(90);
    call.end(30);

    expect([budget.take(71), budget.take(70)]).toEqual([false, true]);
  });

  it("holds nothing of an attempt that failed, nor of a request that outlives its call", () => {
    const budget = new ByteBudget(100);
    const call = new CallBytes(budget, false);
    call.take(60, 60);
    call.keep(60);
    call.drop();
    call.take(100, 100);
    call.end(0);
    call.keep(100);

    expect(budget.take(100)).toBe(true);
  });
});

describe("CallBytes.hold()", () => {
  const clockOf = (time: VirtualClock): CallClock => new CallClock(time, 10_000, "tool");

  /** A budget, calls under it, and what became so far of what one of them asked for. */
  function world(bytes: number, reserve = 0) {
    const time = new VirtualClock();
    const budget = new ByteBudget(bytes, reserve);
    const ask = (call: CallBytes, wanted: number, clock = clockOf(time)) => {
      const asked = { is: "waits" };
      const say = (is: string) => (): void => void (asked.is = is);
      call.hold(wanted, clock).then(say("holds"), ({ failure }) => say(failure.code)());
      return asked;
    };
    return { time, budget, ask, open: (isWrite = false) => new CallBytes(budget, isWrite) };
  }

  it("T44 lets calls beside each other wait in the order of asking, instead of refusing them", async () => {
    const { time, ask, open } = world(100);
    const [first, second, third] = [open(), open(), open()];
    const asked = [ask(first, 60), ask(second, 60), ask(third, 30)];
    await time.advance(1);
    expect(asked.map(({ is }) => is)).toEqual(["holds", "waits", "waits"]);

    first.end(0);
    await time.advance(1);
    expect(asked.map(({ is }) => is)).toEqual(["holds", "holds", "holds"]);
  });

  it("refuses what is not there even when all others have ended", async () => {
    const { time, ask, open } = world(100);
    const [first, second] = [open(), open()];
    ask(first, 60);
    const [tooMuch, waits] = [ask(second, 101), ask(open(), 60)];
    await time.advance(1);
    expect([tooMuch.is, waits.is]).toEqual(["RESPONSE_TOO_LARGE", "waits"]);

    // Its output is held for the answer.
    first.end(60);
    await time.advance(1);
    expect(waits.is).toBe("RESPONSE_TOO_LARGE");
  });

  it("T44 lets no calls wait for each other: what those hold that wait is not in sight", async () => {
    const { time, ask, open } = world(100);
    const [first, second] = [open(), open()];
    ask(first, 40);
    ask(second, 40);
    await time.advance(1);
    const asked = [ask(first, 80), ask(second, 80)];
    await time.advance(1);
    expect(asked.map(({ is }) => is)).toEqual(["RESPONSE_TOO_LARGE", "waits"]);

    // It fails, and holds nothing any more.
    first.drop();
    await time.advance(1);
    expect(asked[1]!.is).toBe("holds");
  });

  it("holds what was said last, and nothing for a call that is over or an attempt that failed", async () => {
    const { time, budget, ask, open } = world(100);
    const call = open();
    for (const bytes of [20, 90, 30]) {
      ask(call, bytes);
      await time.advance(1);
    }
    expect([budget.take(71), budget.take(70)]).toEqual([false, true]);
    budget.give(70);
    call.drop();
    ask(call, 100);
    await time.advance(1);
    expect(budget.take(1)).toBe(false);
    call.end(10);
    for (const bytes of [0, 50]) {
      ask(call, bytes);
      await time.advance(1);
    }
    expect([budget.take(91), budget.take(90)]).toEqual([false, true]);
  });

  it("gives back what comes when the call's time is over", async () => {
    const { time, budget, ask, open } = world(100);
    const holder = open();
    ask(holder, 100);
    const clock = clockOf(time);
    const late = ask(open(), 50, clock);
    await time.advance(10_000);
    expect(late.is).toBe("TIMEOUT");
    holder.end(0);
    await time.advance(1);
    expect(budget.take(100)).toBe(true);
  });

  it("T30 leaves the reserve to what is small, and half of it to writes", async () => {
    const { time, ask, open } = world(0, 400 * KIB);
    const asked = [ask(open(), 65 * KIB), ask(open(true), 200 * KIB), ask(open(), 64 * KIB)];
    await time.advance(1);
    expect(asked.map(({ is }) => is)).toEqual(["RESPONSE_TOO_LARGE", "holds", "holds"]);
  });

  it("T44 waits for the isolate's turn as a response does, and is OVERLOADED when that does not come", async () => {
    const time = new VirtualClock();
    const isolate = new IsolateBytes(time, { bytes: 600_000, claim: 200_000, waiting: 10 });
    const open = (): CallBytes =>
      new CallBytes(new ByteBudget(150_000, 0, { share: () => isolate.open("acme", time) }), false);
    const calls = [open(), open(), open()];
    const ended = calls.map((call) => attempt(() => call.hold(150_000, clockOf(time))));
    await time.advance(1);
    expect(isolate.heldBy("acme")).toBeLessThanOrEqual(300_000);
    await time.advance(LIMITS.bytesWaitMs);
    const results = await Promise.all(ended);
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    for (const result of results)
      if (!result.ok) expect(result.error).toMatchObject({ failure: { code: "OVERLOADED" } });
    calls[0]!.end(0);
    expect(isolate.held).toBe(0);
  });
});

/** A list of so many zeros as JSON: one value more than it has elements. */
function listOf(size: number): string {
  return `[${Array.from({ length: size }, () => 0).join(",")}]`;
}
