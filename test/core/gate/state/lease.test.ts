import { describe, expect, test } from "vitest";

import type { LeaseWish, RateLimit } from "../../../../src/core/contract/gate/admission.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { TenantLeases } from "../../../../src/core/gate/state/lease.ts";

const NOW = 1_800_000_000_000;
const LIMIT: RateLimit = { bucket: "key:busy", limit: 6_000, windowS: 60 };
const TOOL: RateLimit = { bucket: "tool:search", limit: 6_000, windowS: 60 };

/** Grant `tokens` of every limit, asked for at `sentAtMs`. */
function grant(leases: TenantLeases, tokens: number, sentAtMs: number, limits = [LIMIT], nowMs = sentAtMs) {
  const wishes = limits.map((limit): LeaseWish => ({ limit, tokens }));
  const grants = limits.map(({ bucket }) => ({ bucket, tokens, leaseMs: 2_000, remaining: 900, resetMs: 5 }));
  leases.accept(nowMs, sentAtMs, { wishes, grants });
}

/** Leases of `tokens` of every limit, asked for at `sentAtMs`. */
function holding(tokens: number, sentAtMs = NOW, limits = [LIMIT]): TenantLeases {
  const leases = new TenantLeases();
  grant(leases, tokens, sentAtMs, limits);
  return leases;
}

const draw = (leases: TenantLeases, nowMs: number, ...limits: readonly RateLimit[]): string =>
  leases.draw(nowMs, limits).kind;
const heldOf = (leases: TenantLeases, { bucket } = LIMIT): number => leases.heldOf(bucket);

test("accept() takes each grant for its own limit, whatever the order, and a limit that got none is left alone", () => {
  const leases = new TenantLeases();
  const wishes = [LIMIT, TOOL].map((limit): LeaseWish => ({ limit, tokens: 5 }));
  const granted = { tokens: 5, leaseMs: 2_000, remaining: 900, resetMs: 5 };
  leases.accept(NOW, NOW, { wishes, grants: [{ bucket: TOOL.bucket, ...granted }] });
  expect([heldOf(leases), heldOf(leases, TOOL)]).toEqual([0, 5]);
  expect(leases.stateOf(LIMIT.bucket).remaining).toBe(0);
});

test("draw() holds nothing of a limit that is too small to be leased, and of the smallest that is it does", () => {
  const small: RateLimit = { ...LIMIT, limit: LIMITS.leaseLeastLimit };
  expect(draw(holding(5, NOW, [small]), NOW, small)).toBe("covered");
  expect(draw(holding(5, NOW, [small]), NOW, { ...small, limit: small.limit - 1 })).toBe("short");
});

describe("draw()", () => {
  test("covers as many draws as there are tokens", () => {
    const leases = holding(2);
    expect([1, 2, 3].map(() => draw(leases, NOW + 1, LIMIT))).toEqual(["covered", "covered", "short"]);
  });

  test("covers all draws of a request or spends nothing", () => {
    const leases = holding(2, NOW, [LIMIT, TOOL]);
    expect(draw(leases, NOW, LIMIT, TOOL, TOOL, TOOL)).toBe("short");
    expect([heldOf(leases), heldOf(leases, TOOL)]).toEqual([2, 2]);
    expect(draw(leases, NOW, LIMIT, TOOL, TOOL)).toBe("covered");
    expect([heldOf(leases), heldOf(leases, TOOL)]).toEqual([1, 0]);
  });

  test("ends a lease `leaseMs` after its request was sent, to the millisecond", () => {
    expect(draw(holding(5), NOW + 1_999, LIMIT)).toBe("covered");
    expect(draw(holding(5), NOW + 2_000, LIMIT)).toBe("short");
  });

  test("spends what ends first", () => {
    const leases = holding(5, NOW - 1_000);
    grant(leases, 5, NOW);
    draw(leases, NOW, LIMIT);
    leases.end(LIMIT.bucket, NOW + 1_000);
    expect(heldOf(leases)).toBe(5);
  });

  test("drops everything when the clock was set back, by however little", () => {
    const leases = holding(5, NOW, [LIMIT, TOOL]);
    expect(draw(leases, NOW - 1, LIMIT)).toBe("short");
    expect([heldOf(leases), heldOf(leases, TOOL)]).toEqual([0, 0]);
  });

  test("wishes for as much as a new demand has drawn, once, and again after a refusal's pause", () => {
    const leases = new TenantLeases();
    const wished: [number, number][] = [];
    for (let ms = 0; ms < 1_000; ms += 10) {
      const { wishes } = leases.draw(NOW + ms, [LIMIT]);
      for (const { tokens } of wishes) wished.push([ms, tokens]);
      if (wishes.length > 0) leases.accept(NOW + ms, NOW + ms, { wishes, grants: [] });
    }
    // At 100 a second; the second is of the demand by then, half of it because it is new, three quarters of that.
    expect(wished).toEqual([
      [150, 16],
      [650, 76],
    ]);
  });

  test("wishes, with the first request after a pause, for what the burst before it has used", () => {
    const leases = new TenantLeases();
    for (let ms = 0; ms < 1_000; ms += 5) {
      const { wishes } = leases.draw(NOW + ms, [LIMIT]);
      if (wishes.length > 0) leases.accept(NOW + ms, NOW + ms, { wishes, grants: [] });
    }
    expect(leases.draw(NOW + 2_000, [LIMIT])).toEqual({
      kind: "short",
      wishes: [{ limit: LIMIT, tokens: 150 }],
    });
    // The granted block is enough for the draws that come meanwhile, as many as it is.
    const kinds = Array.from({ length: 151 }, () => draw(leases, NOW + 2_001, LIMIT));
    expect(kinds.filter((kind) => kind === "coming")).toHaveLength(150);
    expect(kinds.at(-1)).toBe("short");
    grant(leases, 150, NOW + 2_000, [LIMIT], NOW + 2_050);
    const again = Array.from({ length: 150 }, () => leases.draw(NOW + 2_050, [LIMIT], true).kind);
    expect(new Set(again)).toEqual(new Set(["covered"]));
  });

  test("never waits twice, nor lets anyone wait for what one has waited for in vain", () => {
    const leases = new TenantLeases();
    for (let k = 0; k < 16; k += 1) draw(leases, NOW + k, LIMIT);
    expect([20, 21].map((ms) => draw(leases, NOW + ms, LIMIT))).toEqual(["coming", "coming"]);
    expect(leases.draw(NOW + 30, [LIMIT], true).kind).toBe("short");
    expect(draw(leases, NOW + 31, LIMIT)).toBe("short");
  });

  test("wishes for a block that the gate grants down to its reserve, however high the demand", () => {
    const leases = new TenantLeases();
    const { wishes } = Array.from({ length: 3_000 }, () => leases.draw(NOW, [LIMIT])).findLast(
      (drawn) => drawn,
    )!;
    expect(wishes).toEqual([]);
    leases.accept(NOW, NOW, { wishes: [{ limit: LIMIT, tokens: 16 }], grants: [] });
    expect(leases.draw(NOW + 600, [LIMIT]).wishes).toEqual([{ limit: LIMIT, tokens: 187 }]);
  });

  test("wishes for nothing while one is under way, and again when its answer is long overdue", () => {
    const leases = new TenantLeases();
    const at: number[] = [];
    for (let ms = 0; ms < 20_000; ms += 10) if (leases.draw(NOW + ms, [LIMIT]).wishes.length > 0) at.push(ms);
    expect(at[0]).toBe(150);
    expect(at.length).toBeGreaterThanOrEqual(2);
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(1_000);
  });

  test("has nothing to do with a limit that is never leased, nor with what is drawn beside it", () => {
    const small = { ...TOOL, limit: 49 };
    const leases = holding(5);
    expect(leases.draw(NOW, [LIMIT, small])).toEqual({ kind: "short", wishes: [] });
    expect([heldOf(leases), heldOf(leases, small)]).toEqual([5, 0]);
  });
});

describe("accept()", () => {
  test("takes nothing when the clock was set back while the answer was under way", () => {
    const leases = new TenantLeases();
    grant(leases, 5, NOW, [LIMIT], NOW - 1);
    expect(heldOf(leases)).toBe(0);
  });

  test("never holds a lease for longer than its own timers, whatever the gate says", () => {
    const leases = new TenantLeases();
    const grants = [{ bucket: LIMIT.bucket, tokens: 5, leaseMs: 60_000, remaining: 1, resetMs: 1 }];
    leases.accept(NOW, NOW, { wishes: [{ limit: LIMIT, tokens: 5 }], grants });
    expect(draw(leases, NOW + 2_000, LIMIT)).toBe("short");
  });
});

describe("end()", () => {
  test("ends what ends by then, whatever the clock shows, and leaves what ends later", () => {
    const leases = holding(5, NOW);
    grant(leases, 3, NOW + 500);
    leases.end(LIMIT.bucket, NOW + 2_000);
    expect(heldOf(leases)).toBe(3);
  });
});

describe("stateOf()", () => {
  test("is what the gate said last, and what is at hand", () => {
    const leases = holding(5);
    expect(leases.stateOf(LIMIT.bucket).remaining).toBe(905);
    leases.note(LIMIT.bucket, { allowed: true, remaining: 7, resetMs: 1, retryAfterMs: 0 });
    expect(leases.stateOf(LIMIT.bucket).remaining).toBe(12);
  });
});
