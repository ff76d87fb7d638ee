import { expect, test } from "vitest";

import { compareKeys } from "../../../src/features/keys/stored-key.ts";

test("compareKeys() puts the newest first, and those of one moment in the order of their names", () => {
  const keys = [
    { createdAt: 1, name: "b" },
    { createdAt: 2, name: "z" },
    { createdAt: 1, name: "a" },
  ];
  expect(keys.toSorted(compareKeys).map(({ name }) => name)).toEqual(["z", "a", "b"]);
  expect(compareKeys(keys[0]!, { ...keys[0]! })).toBe(0);
});
