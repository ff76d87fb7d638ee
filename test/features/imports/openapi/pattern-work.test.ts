import { expect } from "vitest";

import { PatternWork } from "../../../../src/features/added-tools/json-schema/weigh-pattern.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { makeDeclarations } from "../../../../src/features/imports/openapi/to-declarations.ts";
import { manyPatterns } from "../../../support/hostile-documents.ts";
import { valueOf } from "../../../support/unwrap.ts";
import { trial } from "../../../support/trial.ts";

function importPatterns(operations: number, patterns: PatternWork) {
  const making = makeDeclarations(manyPatterns(operations), { prefix: "p" }, { patterns });
  for (let turns = 0; ; turns += 1) {
    const step = making.next();
    if (step.done === true) return { turns, imported: valueOf(step.value) };
  }
}

trial(
  "T43 a document of patterns takes the work of one import, and what comes after it is left out with the reason",
  () => {
    const patterns = new PatternWork();
    const { imported } = importPatterns(500, patterns);
    const { declarations, skipped } = imported;
    expect(patterns.left).toBe(0);
    expect(declarations.length).toBeGreaterThan(10);
    expect(declarations.length + skipped.length).toBe(500);
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(
      new Set([expect.stringContaining("the patterns before it took all the work that one import may")]),
    );
    for (const { input_schema: schema } of declarations)
      expect(JSON.stringify(schema)).toContain('"pattern"');
  },
);

trial("a document within the work of one import has all its patterns, and weighs none twice", () => {
  const patterns = new PatternWork();
  const { imported } = importPatterns(10, patterns);
  expect(imported.skipped).toEqual([]);
  const { left } = patterns;
  expect(left).toBeLessThan(LIMITS.importPatternUnits);
  importPatterns(10, patterns);
  expect(patterns.left).toBe(left);
});

trial("T43 an import stops before each operation, so that others have their turn", () => {
  expect(importPatterns(10, new PatternWork()).turns).toBe(10);
});
