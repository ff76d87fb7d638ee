import { describe, expect, test } from "vitest";

import type { LeaseWish, RateLimit } from "../../src/contract/gate/admission.ts";
import {
  acceptLeases,
  drawLeases,
  endLeases,
  type LeaseBook,
  type LeasedBucket,
  leasedRemaining,
  noteRemaining,
} from "../../src/state/lease.ts";

const NOW = 1_800_000_000_000;
const LIMIT: RateLimit = { bucket: "key:busy", limit: 6_000, windowS: 60 };
const TOOL: RateLimit = { bucket: "tool:search", limit: 6_000, windowS: 60 };
const EMPTY: LeaseBook = { seenMs: 0, buckets: new Map() };

/** The book after some changes. */
function after(book: LeaseBook, { seenMs, clear, buckets }: ReturnType<typeof endLeases>): LeaseBook {
  return { seenMs, buckets: new Map<string, LeasedBucket>([...(clear ? [] : book.buckets), ...buckets]) };
}

/** A book that holds `tokens` of every limit, asked for at `sentAtMs`. */
function holding(tokens: number, sentAtMs = NOW, limits = [LIMIT], book = EMPTY): LeaseBook {
  const wishes = limits.map((limit): LeaseWish => ({ limit, tokens }));
  const grants = limits.map(({ bucket }) => ({ bucket, tokens, leaseMs: 2_000, remaining: 900, resetMs: 5 }));
  return after(book, acceptLeases(book, sentAtMs, { sentAtMs, wishes, grants }));
}

/** Draw from each of these limits once; whether the leases covered it. */
function draw(book: LeaseBook, nowMs: number, ...limits: readonly RateLimit[]): [LeaseBook, boolean] {
  const [changes, { covered }] = drawLeases(book, nowMs, limits);
  return [after(book, changes), covered];
}

const tokensOf = (book: LeaseBook, { bucket } = LIMIT): number =>
  book.buckets.get(bucket)!.leases.reduce((sum, { tokens }) => sum + tokens, 0);

describe("drawLeases()", () => {
  test("covers as many draws as there are tokens", () => {
    let book = holding(2);
    const covered = [1, 2, 3].map(() => {
      let done: boolean;
      [book, done] = draw(book, NOW + 1, LIMIT);
      return done;
    });
    expect(covered).toEqual([true, true, false]);
  });

  test("covers all draws of a request or spends nothing", () => {
    const book = holding(2, NOW, [LIMIT, TOOL]);
    const [short, coveredShort] = draw(book, NOW, LIMIT, TOOL, TOOL, TOOL);
    expect([coveredShort, tokensOf(short), tokensOf(short, TOOL)]).toEqual([false, 2, 2]);
    const [spent, covered] = draw(book, NOW, LIMIT, TOOL, TOOL);
    expect([covered, tokensOf(spent), tokensOf(spent, TOOL)]).toEqual([true, 1, 0]);
  });

  test("ends a lease `leaseMs` after its request was sent, to the millisecond", () => {
    expect(draw(holding(5), NOW + 1_999, LIMIT)[1]).toBe(true);
    expect(draw(holding(5), NOW + 2_000, LIMIT)[1]).toBe(false);
  });

  test("spends what ends first", () => {
    const book = holding(5, NOW, [LIMIT], holding(5, NOW - 1_000));
    const [spent] = draw(book, NOW, LIMIT);
    expect(spent.buckets.get(LIMIT.bucket)!.leases.map(({ tokens }) => tokens)).toEqual([4, 5]);
  });

  test("drops everything when the clock was set back, by however little", () => {
    const book = holding(5, NOW, [LIMIT, TOOL]);
    const [changes, { covered }] = drawLeases(book, NOW - 1, [LIMIT]);
    expect([covered, changes.clear, tokensOf(after(book, changes))]).toEqual([false, true, 0]);
    expect(after(book, changes).buckets.has(TOOL.bucket)).toBe(false);
  });

  test("wishes for half a lease of the demand in the last fifth of a second, once, and again after a refusal's pause", () => {
    let book = EMPTY;
    const wishes: [number, number][] = [];
    for (let ms = 0; ms < 1_000; ms += 10) {
      const [changes, result] = drawLeases(book, NOW + ms, [LIMIT]);
      book = after(book, changes);
      for (const { tokens } of result.wishes) {
        wishes.push([ms, tokens]);
        const refused = { sentAtMs: NOW + ms, wishes: result.wishes, grants: [] };
        book = after(book, acceptLeases(book, NOW + ms, refused));
      }
    }
    expect(wishes).toEqual([
      [200, 100],
      [700, 100],
    ]);
  });

  test("wishes for nothing while one is under way, and again when its answer is long overdue", () => {
    let book = EMPTY;
    const at: number[] = [];
    for (let ms = 0; ms < 20_000; ms += 10) {
      const [changes, { wishes }] = drawLeases(book, NOW + ms, [LIMIT]);
      book = after(book, changes);
      if (wishes.length > 0) at.push(ms);
    }
    expect(at[0]).toBe(200);
    expect(at.length).toBeGreaterThanOrEqual(2);
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(1_000);
  });

  test("has nothing to do with a limit that is never leased, nor with what is drawn beside it", () => {
    const small = { ...TOOL, limit: 49 };
    const book = holding(5);
    const [changes, result] = drawLeases(book, NOW, [LIMIT, small]);
    expect(result).toEqual({ covered: false, wishes: [] });
    expect(changes.buckets.size).toBe(0);
  });
});

describe("acceptLeases()", () => {
  test("takes nothing when the clock was set back while the answer was under way", () => {
    const wishes = [{ limit: LIMIT, tokens: 5 }];
    const grants = [{ bucket: LIMIT.bucket, tokens: 5, leaseMs: 2_000, remaining: 1, resetMs: 1 }];
    const changes = acceptLeases(EMPTY, NOW - 1, { sentAtMs: NOW, wishes, grants });
    expect(tokensOf(after(EMPTY, changes))).toBe(0);
  });

  test("never holds a lease for longer than its own timers, whatever the gate says", () => {
    const wishes = [{ limit: LIMIT, tokens: 5 }];
    const grants = [{ bucket: LIMIT.bucket, tokens: 5, leaseMs: 60_000, remaining: 1, resetMs: 1 }];
    const book = after(EMPTY, acceptLeases(EMPTY, NOW, { sentAtMs: NOW, wishes, grants }));
    expect(draw(book, NOW + 2_000, LIMIT)[1]).toBe(false);
  });
});

describe("endLeases()", () => {
  test("ends what ends by then, whatever the clock shows, and leaves what ends later", () => {
    const book = holding(3, NOW + 500, [LIMIT], holding(5, NOW));
    const ended = after(book, endLeases(book, LIMIT, NOW + 2_000));
    expect(tokensOf(ended)).toBe(3);
  });
});

describe("leasedRemaining()", () => {
  test("is what the gate said last, and what is at hand", () => {
    const book = holding(5);
    expect(leasedRemaining(book.buckets.get(LIMIT.bucket)!)).toBe(905);
    const noted = after(
      book,
      noteRemaining(book, LIMIT.bucket, { allowed: true, remaining: 7, resetMs: 1, retryAfterMs: 0 }),
    );
    expect(leasedRemaining(noted.buckets.get(LIMIT.bucket)!)).toBe(12);
  });
});
