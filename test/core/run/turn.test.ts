import { expect, test } from "vitest";

import { Turn } from "../../../src/core/run/turn.ts";

test("the end of a turn comes after everything that is synchronous, and what follows it comes last", async () => {
  const turn = new Turn();
  const order: string[] = [];
  turn.afterEnd(() => order.push("after"));
  turn.atEnd(() => order.push("end"));
  turn.atEnd(() => order.push("end too"));
  order.push("now");
  await Promise.resolve();
  expect(order).toEqual(["now", "end", "end too", "after"]);
});

test("what the end of a turn adds belongs to the next", async () => {
  const turn = new Turn();
  const order: string[] = [];
  turn.atEnd(() => {
    order.push("first");
    turn.atEnd(() => order.push("second"));
  });
  await Promise.resolve();
  expect(order).toEqual(["first"]);
  await Promise.resolve();
  expect(order).toEqual(["first", "second"]);
});
