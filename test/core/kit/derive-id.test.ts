import { expect, test } from "vitest";

import { deriveId } from "../../../src/core/kit/derive-id.ts";
import { trial } from "../../support/trial.ts";

const SEED = "f65c7be6-7e69-452b-ad20-a799bd6f0984";

test("the same seed and position give the same id, in the shape of the seed", () => {
  expect(deriveId(SEED, 0)).toBe("f65c7be6-7e69-452b-ad20-a799bd6f0000");
  expect(deriveId(SEED, 26)).toBe("f65c7be6-7e69-452b-ad20-a799bd6f001a");
});

trial("no two positions give the same id", () => {
  const ids = Array.from({ length: 65_536 }, (_, position) => deriveId(SEED, position));
  expect(new Set(ids).size).toBe(65_536);
});

test.each([
  ["a seed that is no UUID", "job-1", 0, /'seed' must be a UUID/],
  ["a negative position", SEED, -1, /'position' must be/],
  ["a position that does not fit", SEED, 65_536, /'position' must be/],
  ["half a position", SEED, 0.5, /'position' must be/],
])("%s is a bug", (_, seed, position, problem) => {
  expect(() => deriveId(seed, position)).toThrow(problem);
});
