import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RateLimit } from "../../../../src/core/contract/gate/admission.ts";
import {
  type Bucket,
  drawQuota,
  expireBuckets,
  peekQuota,
  type QuotaCommand,
  type QuotaResult,
  resumeBucket,
} from "../../../../src/core/gate/state/quota.ts";
import { samples } from "../../../support/samples.ts";
import { trial } from "../../../support/trial.ts";

const NOW = 1_800_000_000_000;

/** Memory and storage of one object, with what a crash keeps and what it loses. */
class Book {
  floorMs = 0;
  buckets = new Map<string, Bucket>();
  readonly rows = new Map<string, number>();
  rowsWritten = 0;

  draw(nowMs: number, command: QuotaCommand): QuotaResult {
    const [changes, result] = drawQuota(this, nowMs, command);
    for (const { bucket, tatMs, markMs, persist } of changes) {
      this.buckets.set(bucket, { tatMs, markMs });
      if (persist) this.#write(bucket, markMs);
    }
    return result;
  }

  evict(): void {
    this.floorMs = this.rows.get("") ?? 0;
    this.buckets = new Map(
      [...this.rows]
        .filter(([bucket]) => bucket !== "")
        .map(([bucket, mark]) => [bucket, resumeBucket(mark)]),
    );
  }

  sweep(nowMs: number): void {
    const { expired, floorMs } = expireBuckets(this, nowMs);
    this.#write("", floorMs);
    this.floorMs = floorMs;
    for (const bucket of expired) {
      this.buckets.delete(bucket);
      this.rows.delete(bucket);
    }
  }

  #write(bucket: string, mark: number): void {
    this.rows.set(bucket, mark);
    this.rowsWritten += 1;
  }
}

const key = (limit: number, windowS = 60): RateLimit => ({ bucket: "key:ci", limit, windowS });
const quotaOf = (limit: RateLimit): QuotaCommand => ({ quota: limit, draws: [] });
const drawsOf = (limit: RateLimit, count: number): QuotaCommand["draws"] =>
  Array.from({ length: count }, (_, index) => ({ index, limit }));

describe("drawQuota()", () => {
  test("admits exactly the limit of 3,000 that come at once", () => {
    const book = new Book();
    const answers = Array.from({ length: 3_000 }, () => book.draw(NOW, quotaOf(key(100))));
    expect(answers.filter(({ quota }) => quota?.allowed)).toHaveLength(100);
  });

  test("counts the quota, then every draw in order, each from its own bucket", () => {
    const search = { bucket: "tool:search", limit: 2, windowS: 60 };
    const send = { bucket: "tool:send", limit: 1, windowS: 60 };
    const draws = [search, send, search, send, search].map((limit, index) => ({ index, limit }));
    const { quota, denied } = new Book().draw(NOW, { quota: key(5), draws });
    expect(quota).toEqual({ allowed: true, remaining: 4, resetMs: 12_000, retryAfterMs: 0 });
    expect(denied).toEqual([
      { index: 3, retryAfterMs: 60_000 },
      { index: 4, retryAfterMs: 30_000 },
    ]);
  });

  test("T45 counts a made key's request on its maker's quota too: on both, or on none", () => {
    const book = new Book();
    const maker = { bucket: "key:maker", limit: 5, windowS: 60 };
    const quotaOf = (k: number) => ({ bucket: `key:${k}`, limit: 3, windowS: 60, makers: [maker] });
    const drawn = Array.from({ length: 12 }, (_, k) => book.draw(1_000, { quota: quotaOf(k), draws: [] }));
    expect(drawn.filter(({ quota }) => quota!.allowed)).toHaveLength(5);
    expect(drawn[0]!.quota).toMatchObject({ remaining: 2 });
    expect(drawn[4]!.quota).toMatchObject({ remaining: 0 });
    expect(drawn[5]!.quota).toMatchObject({ allowed: false, usedUp: "key:maker", retryAfterMs: 12_000 });
    expect(peekQuota(book, 1_000, quotaOf(11))).toMatchObject({ remaining: 0 });
    expect(
      peekQuota(book, 1_000, { ...quotaOf(11), makers: [] }),
      "nothing of its own is used",
    ).toMatchObject({
      remaining: 3,
    });
    // The maker's is not used if its own is used up.
    const alone = new Book();
    for (let k = 0; k < 9; k += 1) alone.draw(1_000, { quota: quotaOf(0), draws: [] });
    expect(peekQuota(alone, 1_000, maker)).toMatchObject({ remaining: 2 });
  });

  test("counts nothing else when the quota is used up", () => {
    const book = new Book();
    const tool = { bucket: "tool:search", limit: 1, windowS: 60 };
    book.draw(NOW, quotaOf(key(1)));
    const { quota, denied } = book.draw(NOW, { quota: key(1), draws: drawsOf(tool, 1) });
    expect(quota).toEqual({
      allowed: false,
      remaining: 0,
      resetMs: 60_000,
      retryAfterMs: 60_000,
      usedUp: "key:ci",
    });
    expect(denied).toEqual([]);
    expect(book.buckets.has("tool:search")).toBe(false);
  });

  trial("tells every denied draw of a batch its own time, and each succeeds at it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.constantFrom(1, 7, 60, 3_600),
        fc.integer({ min: 0, max: 50 }),
        (limit, windowS, extra) => {
          const book = new Book();
          const tool = { bucket: "tool:search", limit, windowS };
          const { denied } = book.draw(NOW, { quota: null, draws: drawsOf(tool, limit + extra) });
          expect(denied).toHaveLength(extra);
          for (const { retryAfterMs } of denied) {
            const again = book.draw(NOW + retryAfterMs, { quota: null, draws: drawsOf(tool, 1) });
            expect(again.denied).toEqual([]);
          }
        },
      ),
    );
  });

  test("writes a row only when the arrival time passes the mark: about one in twenty of a window's draws", () => {
    const book = new Book();
    for (let k = 0; k < 2_000; k += 1) book.draw(NOW + k * 30, quotaOf(key(2_000)));
    expect(book.rowsWritten).toBeLessThanOrEqual(21);
    expect(book.rows.get("key:ci")).toBeGreaterThanOrEqual(book.buckets.get("key:ci")!.tatMs);
  });

  test("writes one row for a batch that draws from one bucket many times", () => {
    const book = new Book();
    book.draw(NOW, { quota: null, draws: drawsOf(key(50), 50) });
    expect(book.rowsWritten).toBe(1);
  });

  test("leaves the book it was given as it was", () => {
    const book = { floorMs: 0, buckets: new Map<string, Bucket>() };
    const [changes] = drawQuota(book, NOW, quotaOf(key(3)));
    expect(changes).toHaveLength(1);
    expect(book.buckets.size).toBe(0);
  });

  test("admits at most the lead less after an eviction", () => {
    const book = new Book();
    for (let k = 0; k < 40; k += 1) book.draw(NOW, quotaOf(key(100)));
    book.evict();
    const allowed = Array.from({ length: 100 }, () => book.draw(NOW, quotaOf(key(100)))).filter(
      ({ quota }) => quota?.allowed,
    );
    expect(allowed.length).toBeLessThanOrEqual(60);
    expect(allowed.length).toBeGreaterThanOrEqual(55);
  });

  trial(
    "P3: never admits more than limit + refill in any window, through evictions, sweeps and clocks set back",
    () => {
      const event = fc.oneof(
        {
          weight: 6,
          arbitrary: fc.record({
            kind: fc.constant("draw" as const),
            count: fc.integer({ min: 1, max: 30 }),
          }),
        },
        {
          weight: 4,
          arbitrary: fc.record({
            kind: fc.constant("pass" as const),
            count: fc.integer({ min: 1, max: 40_000 }),
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            kind: fc.constant("back" as const),
            count: fc.integer({ min: 1, max: 200_000 }),
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            kind: fc.constantFrom("evict" as const, "sweep" as const),
            count: fc.constant(0),
          }),
        },
      );
      const rate = fc.record({ limit: fc.integer({ min: 1, max: 60 }), windowS: fc.constantFrom(7, 60) });
      fc.assert(
        fc.property(rate, fc.array(event, { minLength: 5, maxLength: 80 }), ({ limit, windowS }, events) => {
          const book = new Book();
          const allowed: { real: number; clock: number }[] = [];
          let real = NOW;
          let offset = 0;
          for (const { kind, count } of events) {
            if (kind === "pass") real += count;
            if (kind === "back") offset -= count;
            if (kind === "evict") book.evict();
            if (kind === "sweep") book.sweep(real + offset);
            const draws = kind === "draw" ? count : 0;
            for (let k = 0; k < draws; k += 1) {
              const { quota } = book.draw(real + offset, quotaOf(key(limit, windowS)));
              if (quota!.allowed) allowed.push({ real, clock: real + offset });
            }
          }
          for (const timeline of ["real", "clock"] as const) {
            const at = allowed.map((times) => times[timeline]).sort((a, b) => a - b);
            for (let first = 0; first < at.length; first += 1) {
              for (let last = first; last < at.length; last += 1) {
                const refill = ((at[last]! - at[first]!) * limit) / (windowS * 1_000);
                expect(last - first + 1).toBeLessThanOrEqual(limit + refill + 1e-6);
              }
            }
          }
        }),
        { numRuns: samples(300) },
      );
    },
  );
});

describe("expireBuckets()", () => {
  test("forgets what owes nothing, keeps what does, and raises the floor to what it forgot", () => {
    const book = new Book();
    book.draw(NOW, { quota: { bucket: "old", limit: 60, windowS: 60 }, draws: [] });
    book.draw(NOW + 60_000, { quota: { bucket: "new", limit: 60, windowS: 60 }, draws: [] });
    const mark = book.buckets.get("old")!.markMs;
    expect(expireBuckets(book, NOW + 60_000)).toEqual({ expired: ["old"], floorMs: mark });
  });

  trial("bounds the book: buckets that are not used any more all go", () => {
    const book = new Book();
    for (let k = 0; k < 5_000; k += 1) book.draw(NOW, quotaOf({ bucket: `b${k}`, limit: 10, windowS: 1 }));
    book.sweep(NOW + 10_000);
    expect(book.buckets.size).toBe(0);
    expect(book.rows.size).toBe(1);
  });
});

describe("peekQuota()", () => {
  test("says what is left of a limit as drawing would, and counts nothing", () => {
    const book = new Book();
    const limit = key(10);
    expect(peekQuota(book, NOW, limit)).toEqual({ remaining: 10, resetMs: 0 });
    for (let drawn = 1; drawn <= 3; drawn += 1) book.draw(NOW, quotaOf(limit));
    expect(peekQuota(book, NOW, limit)).toEqual({ remaining: 7, resetMs: 18_000 });
    expect(peekQuota(book, NOW, limit)).toEqual({ remaining: 7, resetMs: 18_000 });
    expect(peekQuota(book, NOW + 6_000, limit)).toEqual({ remaining: 8, resetMs: 12_000 });
  });

  test("takes a forgotten bucket for as full as one may have been", () => {
    const book = new Book();
    book.floorMs = NOW + 60_000;
    expect(peekQuota(book, NOW, key(10))).toEqual({ remaining: 0, resetMs: 60_000 });
  });
});
