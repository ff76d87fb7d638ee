import { expect, test } from "vitest";

import { killPairs } from "./pairs/kill-pairs.ts";

test("F10 of two features that write at once and are killed nothing acknowledged is lost, nothing is written twice, and nobody else sees it", async () => {
  const { kills, pairs, violations } = await killPairs(2, 1);
  expect({ kills, violations }).toEqual({ kills: 2 * pairs.length, violations: [] });
  expect(pairs).toHaveLength(6);
});
