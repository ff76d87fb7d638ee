import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { CallbackEnd } from "../../src/contract/gate/job.ts";
import {
  type Callback,
  CALLBACK_ATTEMPTS,
  disableCallback,
  makeCallback,
  settleCallback,
  startCallback,
  toCallbackRecord,
} from "../../src/state/callback.ts";

const NOW = 1_800_000_000_000;
const TARGET = { url: "https://hooks.example.com/x", secretName: "VOLLEY_WEBHOOK_SECRET" };
const started = startCallback(makeCallback(TARGET), NOW);
const answered = (status: number, retryAfterMs: number | null = null): CallbackEnd => ({
  kind: "answered",
  status,
  retryAfterMs,
});
const settle = (callback: Callback, end: CallbackEnd, random = 0): [Callback, boolean] =>
  settleCallback(callback, NOW, { attempt: callback.attempts + 1, end, random });

describe("a callback", () => {
  test("waits while its job is alive, and is due the moment it ends", () => {
    expect(makeCallback(TARGET)).toMatchObject({ status: "pending", attempts: 0, dueAt: null });
    expect(started.dueAt).toBe(NOW);
  });

  test.each([200, 202, 204, 299])("is delivered by a %d", (status) => {
    expect(settle(started, answered(status))).toEqual([
      { target: TARGET, status: "delivered", attempts: 1, lastStatus: status, dueAt: null },
      true,
    ]);
  });

  test("is disabled by a 410, and sent no more", () => {
    expect(settle(started, answered(410))[0]).toMatchObject({ status: "disabled", dueAt: null });
    expect(disableCallback(started)).toMatchObject({ status: "disabled", attempts: 0, dueAt: null });
  });

  test.each([301, 400, 404, 500, 503])("is tried again after a %d", (status) => {
    expect(settle(started, answered(status))[0]).toMatchObject({
      status: "pending",
      attempts: 1,
      lastStatus: status,
      dueAt: NOW + 5_000,
    });
  });

  test("follows the published schedule, and fails after its last attempt", () => {
    const minutes: number[] = [];
    let callback = started;
    for (;;) {
      [callback] = settle(callback, { kind: "unanswered" });
      if (callback.dueAt === null) break;
      minutes.push((callback.dueAt - NOW) / 60_000);
    }
    expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]);
    expect(callback).toMatchObject({ status: "failed", attempts: CALLBACK_ATTEMPTS, lastStatus: null });
  });

  test("waits at least as long as the endpoint asks, and spreads by up to a tenth of its pause", () => {
    expect(settle(started, answered(429, 60_000))[0].dueAt).toBe(NOW + 60_000);
    expect(settle(started, answered(503, 1_000))[0].dueAt).toBe(NOW + 5_000);
    expect(settle(started, answered(500), 0.999)[0].dueAt).toBe(NOW + 5_500);
  });

  test("takes no report twice, none of another attempt, and none once it is over", () => {
    const [tried] = settle(started, answered(500));
    expect(settleCallback(tried, NOW, { attempt: 1, end: answered(200), random: 0 })).toEqual([tried, false]);
    const [over] = settle(started, answered(200));
    expect(settle(over, answered(500))).toEqual([over, false]);
    expect(settle(makeCallback(TARGET), answered(200))[1]).toBe(false);
  });

  test("comes to an end, whatever its endpoint does", () => {
    const ends = fc.array(
      fc.oneof(
        fc.constant<CallbackEnd>({ kind: "unanswered" }),
        fc.record({
          kind: fc.constant("answered" as const),
          status: fc.integer({ min: 200, max: 599 }),
          retryAfterMs: fc.option(fc.integer({ min: 0, max: 3_600_000 })),
        }),
      ),
      { minLength: CALLBACK_ATTEMPTS, maxLength: CALLBACK_ATTEMPTS },
    );
    fc.assert(
      fc.property(ends, fc.double({ min: 0, max: 0.999, noNaN: true }), (list, random) => {
        let callback = started;
        for (const end of list) {
          const before = callback.attempts;
          const [next, accepted] = settle(callback, end, random);
          expect(accepted).toBe(callback.dueAt !== null);
          if (accepted) expect(next.attempts).toBe(before + 1);
          if (next.dueAt !== null) expect(next.dueAt).toBeGreaterThanOrEqual(NOW + 5_000);
          callback = next;
        }
        expect(callback.dueAt).toBeNull();
        expect(["delivered", "disabled", "failed"]).toContain(callback.status);
      }),
    );
  });

  test("is shown without its address", () => {
    expect(toCallbackRecord(settle(started, answered(500))[0])).toEqual({
      status: "pending",
      attempts: 1,
      lastStatus: 500,
      nextAttemptAt: NOW + 5_000,
    });
  });
});
