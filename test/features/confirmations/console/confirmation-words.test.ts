import { describe, expect, test } from "vitest";

import {
  type ListedConfirmation,
  sayArgs,
  sayLeft,
  sayStatus,
  toPlan,
  type WireParked,
} from "../../../../src/features/confirmations/console/confirmation-words.ts";

test("a yes that is remembered is said with its arguments, as far as they are kept and as short as a question's", () => {
  expect(sayArgs({ any_args: true })).toBe("with any arguments");
  expect(sayArgs({ any_args: false })).toBe("with one call’s long arguments");
  expect(sayArgs({ any_args: false, args: { amount: 5 } })).toBe('{"amount":5}');
  expect(sayArgs({ any_args: false, args: { note: "x".repeat(400) } })).toHaveLength(301);
});

describe("A question", () => {
  const LISTED: ListedConfirmation = {
    id: "c1",
    status: "pending",
    created_at: "2026-01-01T00:00:00.000Z",
    expires_at: "2026-01-01T00:15:00.000Z",
    requested_by: { key: "ci", run_id: "r1" },
    url: "https://volley.example/console#/confirmations/c1",
    actions: [],
    asks: [],
  };

  test("waits until its time is over, whatever was read before", () => {
    expect(sayStatus(LISTED, Date.UTC(2026, 0, 1, 0, 14))).toBe("waiting");
    expect(sayStatus(LISTED, Date.UTC(2026, 0, 1, 0, 15))).toBe("expired");
    expect(sayStatus({ ...LISTED, status: "done" }, Date.UTC(2027, 0))).toBe("approved");
  });

  test("has a clock that never runs below nothing", () => {
    expect([899_001, 60_000, 1, 0, -5, 8_000_000].map(sayLeft)).toEqual([
      "15:00",
      "1:00",
      "0:01",
      "0:00",
      "0:00",
      "2 hours",
    ]);
  });

  test("is drawn in the order in which it would run, even where an order bites its tail", () => {
    const parked = (id: string, waits: readonly string[]): WireParked => ({
      id,
      tool: "t",
      gated: waits.length === 0,
      resolved: true,
      waits_for: [...waits],
      followed_by: [],
    });
    const { plan } = toPlan([parked("c", ["b"]), parked("a", []), parked("b", ["a"])]);
    expect(plan.waves).toEqual([["a"], ["b"], ["c"]]);
    expect(plan.confirmations).toEqual(["a"]);
    expect(
      toPlan([parked("x", ["y"]), parked("y", ["x"])])
        .plan.waves.flat()
        .sort(),
    ).toEqual(["x", "y"]);
  });
});
