import { expect, test } from "vitest";

import { undoRuns } from "./undo-runs.ts";

test("P9: F36 of batches that are killed while they run, or are undone, the service's ledger and the entries agree", async () => {
  const { runs, kills, booked, takenBack, violations } = await undoRuns({ runs: 20, kills: 5, seed: 1 });
  expect({ runs, kills, violations }).toEqual({ runs: 20, kills: 5, violations: [] });
  expect(takenBack).toBeGreaterThan(0);
  expect(booked).toBeGreaterThan(takenBack);
});
