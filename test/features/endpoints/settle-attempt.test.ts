import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { AttemptAnswer, Delivery } from "../../../src/features/endpoints/delivery.ts";
import { type EndpointHealth, HEALTHY } from "../../../src/features/endpoints/endpoint.ts";
import { disabledAt, settleAttempt } from "../../../src/features/endpoints/settle-attempt.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FRESH: Delivery = {
  no: 1,
  seq: 1,
  eventId: "e",
  type: "x",
  status: "pending",
  tries: 0,
  dueAt: 0,
  createdAt: 0,
  attempts: [],
};
const answerOf = (status: number | undefined, more: Partial<AttemptAnswer> = {}): AttemptAnswer => ({
  attempt: { at: 0, durationMs: 1, ...(status === undefined ? { code: "TIMEOUT" } : { status }) },
  retryAfterMs: null,
  wantsNoMore: false,
  ...more,
});
const settle = (health: EndpointHealth, nowMs: number, answer: AttemptAnswer, delivery = FRESH) =>
  settleAttempt([delivery, health], nowMs, { answer, failures: 0, random: 0.5 });

describe("An attempt to deliver", () => {
  test("comes to an end after ten, however each went, and is delivered by a 2xx only", () => {
    const answers = fc.array(fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined }), {
      minLength: 10,
      maxLength: 12,
    });
    fc.assert(
      fc.property(answers, fc.double({ min: 0, max: 0.999, noNaN: true }), (all, random) => {
        let [delivery, health, now]: [Delivery, EndpointHealth, number] = [FRESH, HEALTHY, 0];
        for (const status of all) {
          if (delivery.dueAt === null) break;
          now = delivery.dueAt;
          ({ delivery, health } = settleAttempt([delivery, health], now, {
            answer: answerOf(status),
            failures: 0,
            random,
          }));
          const isTaken = status !== undefined && status >= 200 && status < 300;
          expect(delivery.status === "delivered").toBe(isTaken);
          if (delivery.dueAt !== null) expect(delivery.dueAt).toBeGreaterThanOrEqual(now + 5_000);
        }
        expect(delivery.dueAt).toBeNull();
        expect(delivery.tries).toBeLessThanOrEqual(10);
        expect(now).toBeLessThanOrEqual(3.5 * DAY);
      }),
    );
  });

  test("writes the endpoint's health down twice at most while it fails: each would be a row", () => {
    let health = HEALTHY;
    let changes = 0;
    for (let hour = 0; hour < 100; hour += 1) {
      const after = settle(health, hour * HOUR, answerOf(500)).health;
      if (after !== health) changes += 1;
      health = after;
    }
    expect(changes).toBe(2);
    expect(disabledAt(health)).toBe(5 * DAY);
    expect(disabledAt(settle(health, 101 * HOUR, answerOf(200)).health)).toBeNull();
  });

  test("disables no endpoint for failures of less than twelve hours", () => {
    let health = HEALTHY;
    for (let minute = 0; minute < 12 * 60; minute += 1)
      health = settle(health, minute * 60_000, answerOf(undefined)).health;
    expect(disabledAt(health)).toBeNull();
  });

  test.each([429, 502, 504])("answered with %i slows its endpoint down, as long as is asked", (status) => {
    expect(settle(HEALTHY, 0, answerOf(status)).slowMs).toBe(5_000);
    expect(settle(HEALTHY, 0, answerOf(status, { retryAfterMs: 90_000 })).slowMs).toBe(90_000);
    expect(settle(HEALTHY, 0, answerOf(500, { retryAfterMs: 90_000 })).slowMs).toBe(0);
  });

  test("leaves an endpoint disabled that was disabled while it was under way", () => {
    const disabled = { at: 1, because: "gone" } as const;
    for (const status of [200, 500, 410])
      expect(settle({ ...HEALTHY, disabled }, 2, answerOf(status)).health.disabled).toEqual(disabled);
  });
});
