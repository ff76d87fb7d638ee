import { expect, test } from "vitest";

import { loseRuns } from "./lose-runs.ts";

test("A kill loses the last runs only, and no job, question or answer under a key", async () => {
  const { kills, answered, lost, holes, promised, broken } = await loseRuns(3);
  expect({ kills, holes, broken }).toEqual({ kills: 3, holes: 0, broken: [] });
  expect(promised).toBeGreaterThan(0);
  expect(lost).toBeLessThan(answered);
});
