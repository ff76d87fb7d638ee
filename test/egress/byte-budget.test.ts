import { describe, expect, it } from "vitest";

import { ByteBudget } from "../../src/egress/read-body.ts";

describe("ByteBudget", () => {
  it("gives exactly as many bytes as it has", () => {
    const budget = new ByteBudget(10);

    expect([budget.take(4), budget.take(6), budget.take(0), budget.take(1)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it("takes nothing for what it refuses, so smaller responses still fit", () => {
    const budget = new ByteBudget(10);

    expect(budget.take(11)).toBe(false);
    expect(budget.take(10)).toBe(true);
  });
});
