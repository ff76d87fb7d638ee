import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideGcra, gcraIntervalMs, type GcraRate } from "../../../src/core/kit/gcra.ts";
import { samples } from "../../support/samples.ts";
import { trial } from "../../support/trial.ts";

const NOW = 1_800_000_000_123;

/** Draw as often as asked at the given times; the times that were allowed. */
function drawAt(times: readonly number[], rate: GcraRate, tatMs = 0): { allowed: number[]; tatMs: number } {
  const allowed: number[] = [];
  for (const now of times) {
    const decision = decideGcra(tatMs, now, rate);
    if (decision.allowed) allowed.push(now);
    tatMs = decision.tatMs;
  }
  return { allowed, tatMs };
}

const times = (count: number, at: number): number[] => Array.from({ length: count }, () => at);

const rates = fc.record({
  limit: fc.integer({ min: 1, max: 2_000 }),
  windowS: fc.constantFrom(1, 7, 10, 60, 3_600, 86_400),
});

describe("decideGcra()", () => {
  test.each([1, 2, 3, 7, 11, 90, 97, 100, 120, 333, 999, 1_000, 4_999])(
    "admits exactly %i in one instant",
    (limit) => {
      expect(drawAt(times(limit + 50, NOW), { limit, windowS: 60 }).allowed).toHaveLength(limit);
    },
  );

  test.each([7, 11, 90, 97, 100, 333])(
    "gives %i back after exactly one window, and not a millisecond earlier",
    (limit) => {
      const rate = { limit, windowS: 60 };
      const { tatMs } = drawAt(times(limit, NOW), rate);
      expect(drawAt(times(limit + 5, NOW + 60_000), rate, tatMs).allowed).toHaveLength(limit);
      expect(drawAt(times(limit + 5, NOW + 59_999), rate, tatMs).allowed).toHaveLength(limit - 1);
    },
  );

  trial(
    "does not drift: 7 a minute for a day of single draws, each at the first moment it may, is 7 a minute",
    () => {
      const rate = { limit: 7, windowS: 60 };
      let { tatMs } = drawAt(times(7, NOW), rate);
      let now = NOW;
      for (let minute = 1; minute <= 1_440; minute += 1) {
        for (let k = 0; k < 7; k += 1) {
          now += decideGcra(tatMs, now, rate).retryAfterMs;
          const decision = decideGcra(tatMs, now, rate);
          expect(decision.allowed).toBe(true);
          tatMs = decision.tatMs;
        }
        expect(now).toBe(NOW + minute * 60_000);
      }
    },
  );

  trial.each([97, 331, 999])(
    "counts exactly what %i a minute is, asked every millisecond for five minutes",
    (limit) => {
      const everyMs = Array.from({ length: 300_001 }, (_, ms) => NOW + ms);
      const rate = { limit, windowS: 60 };
      const { tatMs } = drawAt(times(limit, NOW), rate);
      expect(drawAt(everyMs, rate, tatMs).allowed).toHaveLength(5 * limit);
    },
  );

  test("draws several at once as so many single draws, all of them or none, and says when they would fit", () => {
    const rate = { limit: 10, windowS: 60 };
    const six = decideGcra(0, NOW, { ...rate, count: 6 });
    expect(six).toMatchObject({ allowed: true, remaining: 4, tatMs: drawAt(times(6, NOW), rate).tatMs });
    const five = decideGcra(six.tatMs, NOW, { ...rate, count: 5 });
    expect(five).toMatchObject({ allowed: false, remaining: 4, tatMs: six.tatMs, retryAfterMs: 6_000 });
    expect(decideGcra(six.tatMs, NOW + 5_999, { ...rate, count: 5 }).allowed).toBe(false);
    expect(decideGcra(six.tatMs, NOW + 6_000, { ...rate, count: 5 }).allowed).toBe(true);
    expect(decideGcra(0, NOW, { ...rate, count: 11 }).allowed).toBe(false);
  });

  trial(
    "never admits more than limit + refill in any interval of clock time, whichever way the clock goes",
    () => {
      const steps = fc.array(fc.integer({ min: -90_000, max: 90_000 }), { minLength: 1, maxLength: 60 });
      fc.assert(
        fc.property(rates, steps, fc.integer({ min: 1, max: 40 }), (rate, jumps, draws) => {
          let now = NOW;
          const at = jumps.flatMap((jump) => times(draws, (now += jump)));
          const sorted = drawAt(at, rate).allowed.sort((a, b) => a - b);
          for (let first = 0; first < sorted.length; first += 1) {
            for (let last = first; last < sorted.length; last += 1) {
              const refill = ((sorted[last]! - sorted[first]!) * rate.limit) / (rate.windowS * 1_000);
              expect(last - first + 1).toBeLessThanOrEqual(rate.limit + refill + 1e-6);
            }
          }
        }),
        { numRuns: samples(60) },
      );
    },
  );

  test("says truly when one more is allowed, and when the whole limit is", () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 0, max: 3_000 }), (rate, draws) => {
        const { tatMs } = drawAt(times(draws, NOW), rate);
        const { retryAfterMs, resetMs, remaining } = decideGcra(tatMs, NOW, { ...rate });
        const before = drawAt(times(rate.limit + 1, NOW), rate, tatMs).allowed.length;
        expect(remaining).toBe(Math.max(0, before - 1));
        const next = decideGcra(tatMs, NOW, rate).tatMs;
        expect(decideGcra(next, NOW + retryAfterMs, rate).allowed).toBe(true);
        if (retryAfterMs > 0) expect(decideGcra(next, NOW + retryAfterMs - 1, rate).allowed).toBe(false);
        expect(drawAt(times(rate.limit + 1, NOW + resetMs), rate, next).allowed).toHaveLength(rate.limit);
      }),
      { numRuns: samples(60) },
    );
  });

  test("keeps the arrival time when it refuses, and never lowers it", () => {
    const rate = { limit: 2, windowS: 60 };
    const { tatMs } = drawAt(times(2, NOW), rate);
    expect(decideGcra(tatMs, NOW, rate)).toMatchObject({ allowed: false, tatMs, remaining: 0 });
    expect(decideGcra(tatMs, NOW - 1e6, rate).tatMs).toBe(tatMs);
  });

  test("moves the wait by one slot for every draw that comes back before", () => {
    const rate = { limit: 6, windowS: 60 };
    const { tatMs } = drawAt(times(6, NOW), rate);
    expect([0, 1, 2].map((ahead) => decideGcra(tatMs, NOW, { ...rate, ahead }).retryAfterMs)).toEqual([
      10_000, 20_000, 30_000,
    ]);
  });

  test("rounds the interval up where a millisecond has no tick that fits", () => {
    const interval = gcraIntervalMs({ limit: 99_991, windowS: 60 });
    expect(interval).toBeGreaterThanOrEqual(60_000 / 99_991);
    expect(interval).toBeLessThan(60_000 / 99_991 + 1 / 512);
  });

  test.each([0, -1, 1.5, Number.NaN])("refuses a limit of %s", (limit) => {
    expect(() => decideGcra(0, NOW, { limit, windowS: 60 })).toThrow("'limit' must be a positive integer");
  });

  test("refuses a window of nothing", () => {
    expect(() => decideGcra(0, NOW, { limit: 1, windowS: 0 })).toThrow("'windowS' must be at least 0.001");
  });
});

describe("decideGcra() of a block", () => {
  const rate = { limit: 60, windowS: 60 };

  test("draws a block whole, on top of what it may lie idle", () => {
    const { allowed, tatMs, remaining } = decideGcra(0, NOW, { ...rate, count: 10, holdMs: 2_000 });
    expect([allowed, tatMs, remaining]).toEqual([true, NOW + 12_000, 48]);
  });

  test("raises nothing when more than the hold was drawn before", () => {
    const { tatMs } = drawAt(times(30, NOW), rate);
    expect(decideGcra(tatMs, NOW, { ...rate, count: 10, holdMs: 2_000 }).tatMs).toBe(tatMs + 10_000);
  });

  test("refuses a block that does not fit whole, keeps the arrival time, and says when it would", () => {
    const { tatMs } = drawAt(times(55, NOW), rate);
    const refused = decideGcra(tatMs, NOW, { ...rate, count: 10, holdMs: 2_000 });
    expect(refused).toMatchObject({ allowed: false, tatMs, remaining: 5, retryAfterMs: 5_000 });
    const again = decideGcra(tatMs, NOW + refused.retryAfterMs, { ...rate, count: 10, holdMs: 2_000 });
    expect(again.allowed).toBe(true);
  });
});

describe("a rate of which a millisecond has several ticks", () => {
  const rate = { limit: 3, windowS: 10 };

  test("says in milliseconds when all of it is there again", () => {
    const first = decideGcra(0, NOW, rate);
    expect(first).toMatchObject({ allowed: true, remaining: 2, retryAfterMs: 0, resetMs: 3_334 });
    expect(first.tatMs).toBeCloseTo(NOW + 10_000 / 3, 3);
    expect(decideGcra(first.tatMs, NOW, rate).resetMs).toBe(6_667);
  });

  test("draws a block with the time that it may lie idle, and says in milliseconds when it would fit", () => {
    const block = decideGcra(0, NOW, { ...rate, count: 2, holdMs: 1_000 });
    expect(block).toMatchObject({ allowed: true, remaining: 0, retryAfterMs: 1_000, resetMs: 7_667 });
    expect(block.tatMs).toBeCloseTo(NOW + 23_000 / 3, 3);
    expect(decideGcra(0, NOW, { ...rate, count: 3, holdMs: 1_000 })).toMatchObject({
      allowed: false,
      tatMs: 0,
      retryAfterMs: 1_000,
      resetMs: 0,
    });
    const later = decideGcra(block.tatMs, NOW, { ...rate, count: 1, holdMs: 0 });
    expect(later).toMatchObject({ allowed: false, retryAfterMs: 1_000, resetMs: 7_667 });
  });

  test("may have a window of a millisecond, and none below", () => {
    expect(decideGcra(0, NOW, { limit: 1, windowS: 0.001 }).allowed).toBe(true);
    expect(() => decideGcra(0, NOW, { limit: 1, windowS: 0.0004 })).toThrow(RangeError);
  });
});
