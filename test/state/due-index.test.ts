import { describe, expect, test } from "vitest";

import { type Due, type DueIndex, firstDue, nextDue } from "../../src/state/due-index.ts";

const indexOf = (...entries: [id: string, due: Due][]): DueIndex => new Map(entries);
const attemptAt = (id: string, dueAt: number): [string, Due] => [id, { kind: "attempt", dueAt }];
const deliveryAt = (id: string, dueAt: number): [string, Due] => [id, { kind: "delivery", dueAt }];
const underWay = (id: string, until: number): [string, Due] => [
  id,
  { kind: "delivery", dueAt: until, claimed: true },
];

describe("nextDue() and firstDue()", () => {
  const live = indexOf(attemptAt("late", 300), attemptAt("early", 100), attemptAt("middle", 200));

  test("find the earliest", () => {
    expect(nextDue(live, 0, 2)).toBe(100);
    expect(firstDue(live, 250, 2)).toBe("early");
  });

  test("find one that is due at this very moment, and none before", () => {
    expect(firstDue(live, 100, 2)).toBe("early");
    expect(firstDue(live, 99, 2)).toBeNull();
  });

  test("find nothing among nothing", () => {
    expect(nextDue(new Map(), 1_000, 2)).toBeNull();
    expect(firstDue(new Map(), 1_000, 2)).toBeNull();
  });

  test("begin with a delivery, however long an attempt has been due", () => {
    const both = indexOf(attemptAt("attempt", 100), deliveryAt("later", 250), deliveryAt("sooner", 200));
    expect(firstDue(both, 300, 2)).toBe("sooner");
    expect(firstDue(both, 199, 2)).toBe("attempt");
    expect(nextDue(both, 0, 2)).toBe(100);
  });

  test("begin no delivery while as many as may be are under way, and the next when one of them is lost", () => {
    const full = indexOf(underWay("a", 500), underWay("b", 600), deliveryAt("waiting", 100));
    expect(firstDue(full, 499, 2)).toBeNull();
    expect(nextDue(full, 499, 2)).toBe(500);
    expect(firstDue(full, 500, 2)).toBe("waiting");
    expect(firstDue(full, 499, 3)).toBe("waiting");
    expect(nextDue(full, 499, 3)).toBe(100);
  });

  test("leave attempts alone that wait behind deliveries under way", () => {
    const full = indexOf(underWay("a", 500), deliveryAt("waiting", 100), attemptAt("attempt", 300));
    expect(firstDue(full, 400, 1)).toBe("attempt");
    expect(nextDue(full, 200, 1)).toBe(300);
  });

  test("find a delivery that is under way again when its claim is over", () => {
    const lost = indexOf(underWay("a", 500));
    expect(firstDue(lost, 499, 1)).toBeNull();
    expect(firstDue(lost, 500, 1)).toBe("a");
  });
});
