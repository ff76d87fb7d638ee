import { expect, test } from "vitest";

import { countLost } from "./count-lost.ts";

test("countLost() waits until all calls were made", async () => {
  const made = [0, 4, 9, 10];
  await expect(countLost(10, () => Promise.resolve(made.shift()!), 60_000)).resolves.toBe(0);
  expect(made).toEqual([]);
});

test("countLost() counts the calls that were promised and never made", async () => {
  await expect(countLost(10, () => Promise.resolve(7), 10)).resolves.toBe(3);
});
