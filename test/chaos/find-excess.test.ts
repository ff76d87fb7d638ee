import { expect, test } from "vitest";

import { findExcess } from "./find-excess.ts";

const RATE = { limit: 10, windowS: 1 };
const passagesAt = (...times: readonly number[]) =>
  times.map((at) => ({ notBefore: at - 5, notAfter: at + 5 }));
const burst = (count: number): number[] => Array.from({ length: count }, () => 100);

test("the limit at once, and one more for every interval after it, is no excess", () => {
  expect(findExcess(passagesAt(...burst(10), 200, 300, 400), RATE)).toBe(0);
  expect(findExcess([], RATE)).toBe(0);
});

test("what is above that is counted, wherever its window begins", () => {
  expect(findExcess(passagesAt(...burst(13)), RATE)).toBe(3);
  expect(findExcess(passagesAt(0, 1_000, ...burst(12).map((at) => at + 5_000), 9_000), RATE)).toBe(2);
});

test("what may have been early or late is given the benefit of it", () => {
  const slow = burst(10).map((at) => ({ notBefore: at, notAfter: at + 300 }));
  expect(findExcess([...slow, ...slow.slice(0, 3)], RATE)).toBe(0);
});
