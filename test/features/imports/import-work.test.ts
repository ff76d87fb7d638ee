import { expect, test } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { ImportWork } from "../../../src/features/imports/import-work.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const IMPORTS = LIMITS.tenantPatternUnits / LIMITS.importPatternUnits;

test("P6: imports that use all their work have a minute's, and the next one is told how long to wait", () => {
  const work = new ImportWork();
  for (let n = 0; n < IMPORTS; n += 1) valueOf(work.take(1_000 + n));
  expect(errorOf(work.take(21_000))).toEqual({ retryAfterMs: 40_000 });
  expect(work.take(61_000).ok).toBe(true);
});

test("what an import did not use is there for the next, but not in another minute", () => {
  const work = new ImportWork();
  for (let n = 0; n < 10 * IMPORTS; n += 1) valueOf(work.take(0))(LIMITS.importPatternUnits);
  const giveBack = valueOf(work.take(0));
  for (let n = 0; n < IMPORTS; n += 1) valueOf(work.take(60_000));
  giveBack(LIMITS.importPatternUnits);
  expect(work.take(60_000).ok).toBe(false);
});
