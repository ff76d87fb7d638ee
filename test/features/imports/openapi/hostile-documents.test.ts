import { describe, expect } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { toDeclarations } from "../../../../src/features/imports/openapi/to-declarations.ts";
import { HOSTILE_DOCUMENTS } from "../../../support/hostile-documents.ts";
import { trial } from "../../../support/trial.ts";

describe("A hostile document becomes tools within their bounds, or reasons", () => {
  trial.each(HOSTILE_DOCUMENTS)("$title", ({ make }) => {
    const made = toDeclarations(make(), { prefix: "p" });
    if (!made.ok) {
      expect(made.error[0]!.path).toBe("/include");
      return;
    }
    const { declarations, skipped } = made.value;
    expect(declarations.length + skipped.length).toBe(500);
    expect(new Set(declarations.map(({ name }) => name)).size).toBe(declarations.length);
    for (const declaration of declarations)
      expect(JSON.stringify(declaration).length).toBeLessThanOrEqual(LIMITS.declarationBytes);
    for (const { reason } of skipped) expect(reason.length).toBeLessThan(400);
  });
});
