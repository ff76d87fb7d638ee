import { expect, test } from "vitest";

import { editDistance } from "../../src/kit/edit-distance.ts";

test.each([
  ["", "", 0],
  ["abc", "abc", 0],
  ["abc", "", 3],
  ["abc", "abd", 1],
  ["abc", "acb", 1],
  ["calender", "calendar", 1],
  ["kitten", "sitting", 3],
])("editDistance('%s', '%s') is %i", (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});
