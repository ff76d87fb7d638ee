import { expect, test } from "vitest";

import { killPairs } from "./pairs/kill-pairs.ts";

test("F10 F32 a runtime that is killed while two features write loses nothing that was acknowledged, writes nothing twice, and shows it to no other tenant or subject", async () => {
  const { kills, pairs, violations } = await killPairs(2, 1);
  expect({ kills, violations }).toEqual({ kills: 2 * pairs.length, violations: [] });
  expect(pairs).toHaveLength(6);
});
