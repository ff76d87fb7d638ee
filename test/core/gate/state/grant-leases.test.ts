import { describe, expect, test } from "vitest";

import type { LeaseWish, RateLimit } from "../../../../src/core/contract/gate/admission.ts";
import { grantLeases } from "../../../../src/core/gate/state/grant-leases.ts";
import { leaseMsOf } from "../../../../src/core/gate/state/lease.ts";
import { type Bucket, drawQuota } from "../../../../src/core/gate/state/quota.ts";

const NOW = 1_800_000_000_000;
const LIMIT: RateLimit = { bucket: "key:busy", limit: 6_000, windowS: 60 };
const FRESH = { floorMs: 0, buckets: new Map<string, Bucket>() };

const wish = (tokens: number, limit = LIMIT): LeaseWish => ({ limit, tokens });
const grantedOf = (...wishes: readonly LeaseWish[]): number[] =>
  grantLeases(FRESH, wishes, { nowMs: NOW })[1].map(({ tokens }) => tokens);

describe("grantLeases()", () => {
  test("debits the block, and raises the arrival time to the end of the lease first", () => {
    const [changes, grants] = grantLeases(FRESH, [wish(100)], { nowMs: NOW });
    // T is 10 ms: 2 s held, 100 tokens.
    expect(changes).toMatchObject([{ bucket: "key:busy", tatMs: NOW + 2_000 + 1_000, persist: true }]);
    expect(grants).toEqual([
      { bucket: "key:busy", tokens: 100, leaseMs: 2_000, remaining: 5_700, resetMs: 3_000 },
    ]);
  });

  test("a lease ends after 2 s, or a twentieth of a shorter window", () => {
    expect([1, 7, 10, 40, 60, 86_400].map((windowS) => leaseMsOf(windowS))).toEqual([
      50, 350, 500, 2_000, 2_000, 2_000,
    ]);
  });

  test("grants a wish whole or not at all: at most an eighth of what is left", () => {
    // 5,800 are left beside the hold.
    expect(grantedOf(wish(725))).toEqual([725]);
    expect(grantedOf(wish(726))).toEqual([]);
  });

  test("keeps a quarter of the limit out of every lease", () => {
    const draws = Array.from({ length: 4_400 }, (_, index) => ({ index, limit: LIMIT }));
    const [changes] = drawQuota(FRESH, NOW, { quota: null, draws });
    const book = { floorMs: 0, buckets: new Map(changes.map((change) => [change.bucket, change])) };
    expect(grantLeases(book, [wish(100)], { nowMs: NOW })[1]).toHaveLength(1);
    expect(grantLeases(book, [wish(101)], { nowMs: NOW })[1]).toHaveLength(0);
  });

  test("never leases a limit under 50, nor less than one token", () => {
    expect(grantedOf(wish(1, { ...LIMIT, limit: 49 }))).toEqual([]);
    expect(grantedOf(wish(1, { ...LIMIT, limit: 50 }))).toEqual([1]);
    expect(grantedOf(wish(0))).toEqual([]);
  });

  test("counts every wish of one request, also those for the same bucket", () => {
    const [changes, grants] = grantLeases(FRESH, [wish(100), wish(100), wish(5, { ...LIMIT, bucket: "b" })], {
      nowMs: NOW,
    });
    expect(changes.map(({ bucket, tatMs }) => [bucket, tatMs - NOW])).toEqual([
      ["key:busy", 4_000],
      ["b", 2_050],
    ]);
    expect(grants).toHaveLength(3);
  });
});
