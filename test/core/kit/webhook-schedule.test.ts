import fc from "fast-check";
import { expect, test } from "vitest";

import { WEBHOOK_ATTEMPTS, webhookPauseMs } from "../../../src/core/kit/webhook-schedule.ts";

const pauseMs = (attempt: number, askedMs = 0, random = 0) => webhookPauseMs({ attempt, askedMs, random });
const retries = Array.from({ length: WEBHOOK_ATTEMPTS - 1 }, (_, index) => index + 1);

test("webhookPauseMs() follows the schedule that Standard Webhooks publishes, and ends with it", () => {
  const minutes = retries.map((attempt) => pauseMs(attempt)! / 60_000);
  expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]);
  expect(pauseMs(WEBHOOK_ATTEMPTS)).toBeNull();
});

test("webhookPauseMs() waits as long as the receiver asks where that is longer", () => {
  expect([pauseMs(1, 60_000), pauseMs(2, 60_000)]).toEqual([60_000, 300_000]);
});

test("webhookPauseMs() is never sooner than the schedule or the receiver says, and at most a tenth of a pause later", () => {
  const delivery = fc.record({
    attempt: fc.constantFrom(...retries),
    askedMs: fc.nat(3_600_000),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });
  fc.assert(
    fc.property(delivery, (failed) => {
      const least = Math.max(pauseMs(failed.attempt)!, failed.askedMs);
      const waited = webhookPauseMs(failed)!;
      expect(waited).toBeGreaterThanOrEqual(least);
      expect(waited - least).toBeLessThanOrEqual(Math.ceil(pauseMs(failed.attempt)! / 10));
    }),
  );
});
