import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { LIMITS } from "../../src/contract/limits.ts";
import { ByteBudget, CallBytes } from "../../src/egress/read-body.ts";

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

  it("holds 500,000 values at most, whatever they are read in", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 30 }), (sizes) => {
        const budget = new ByteBudget(0);
        const admitted = sizes.filter((size) => budget.takeValues(listOf(size)).ok);

        expect(admitted.reduce((sum, size) => sum + size + 1, 0)).toBeLessThanOrEqual(LIMITS.requestValues);
        expect(Math.max(0, ...admitted)).toBeLessThanOrEqual(LIMITS.responseValues);
      }),
      { numRuns: 20 },
    );
  });

  it("says whether one response has too many values or all of them have", () => {
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

/** A list of so many zeros as JSON: one value more than it has elements. */
function listOf(size: number): string {
  return `[${Array.from({ length: size }, () => 0).join(",")}]`;
}
