import fc from "fast-check";
import { expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import {
  countCall,
  createRetryBudget,
  type RetryBudget,
  takeRetry,
} from "../../../../src/core/egress/upstream-health.ts";

const NOW = 1_800_000_000_000;

/** Take as many retries as there are. */
function takeAll(budget: RetryBudget, nowMs: number): [RetryBudget, number] {
  let taken = 0;
  for (;;) {
    const [next, ok] = takeRetry(budget, nowMs);
    budget = next;
    if (!ok) return [budget, taken];
    taken += 1;
  }
}

test("a tool that was quiet may retry its reserve, and no more", () => {
  expect(takeAll(createRetryBudget(NOW), NOW)[1]).toBe(LIMITS.retryReserve);
});

test("ten calls pay for one retry", () => {
  let [budget] = takeAll(createRetryBudget(NOW), NOW);
  for (let call = 0; call < 50; call += 1) budget = countCall(budget, NOW);
  expect(takeAll(budget, NOW)[1]).toBe((50 * LIMITS.retryPercent) / 100);
});

test("what calls paid for is capped by the reserve, however many there were", () => {
  let budget = createRetryBudget(NOW);
  for (let call = 0; call < 10_000; call += 1) budget = countCall(budget, NOW);
  expect(takeAll(budget, NOW)[1]).toBe(LIMITS.retryReserve);
});

test("a lone call finds a retry again after a while", () => {
  const [budget] = takeAll(createRetryBudget(NOW), NOW);
  expect(takeRetry(budget, NOW + LIMITS.retryReserveMs - 1)[1]).toBe(false);
  expect(takeRetry(budget, NOW + LIMITS.retryReserveMs)[1]).toBe(true);
});

test("a clock that is set back gains nothing, and loses no more than the time it went back", () => {
  const [budget] = takeAll(createRetryBudget(NOW), NOW);
  const [back] = takeRetry(budget, NOW - 3_600_000);
  expect(takeRetry(back, NOW - 3_600_000)[1]).toBe(false);
  expect(takeRetry(back, NOW - 3_600_000 + LIMITS.retryReserveMs)[1]).toBe(true);
});

test("no history gives more than the reserve, a tenth of the calls and one for every half minute", () => {
  const event = fc.record({ call: fc.boolean(), afterMs: fc.nat(3_000) });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 500 }), (events) => {
      let budget = createRetryBudget(NOW);
      let [nowMs, calls, retries] = [NOW, 0, 0];
      for (const { call, afterMs } of events) {
        nowMs += afterMs;
        if (call) {
          budget = countCall(budget, nowMs);
          calls += 1;
          continue;
        }
        const [next, taken] = takeRetry(budget, nowMs);
        budget = next;
        if (taken) retries += 1;
      }
      const bound =
        LIMITS.retryReserve + (calls * LIMITS.retryPercent) / 100 + (nowMs - NOW) / LIMITS.retryReserveMs;
      expect(retries).toBeLessThanOrEqual(bound + 1e-6);
    }),
  );
});
