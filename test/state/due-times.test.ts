import { describe, expect, test } from "vitest";

import { firstDue, nextDue } from "../../src/state/due-times.ts";

describe("nextDue() and firstDue()", () => {
  const live = new Map([
    ["late", 300],
    ["early", 100],
    ["middle", 200],
  ]);

  test("find the earliest", () => {
    expect(nextDue(live)).toBe(100);
    expect(firstDue(live, 250)).toBe("early");
  });

  test("find one that is due at this very moment, and none before", () => {
    expect(firstDue(live, 100)).toBe("early");
    expect(firstDue(live, 99)).toBeNull();
  });

  test("find nothing among nothing", () => {
    expect(nextDue(new Map())).toBeNull();
    expect(firstDue(new Map(), 1_000)).toBeNull();
  });
});
