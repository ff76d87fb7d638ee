import { expect } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import * as IMPORTS_LIMITS from "../../../../src/features/imports/limits.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { manyPatterns } from "../../../support/hostile-documents.ts";
import { trial } from "../../../support/trial.ts";

trial(
  "P6: T43 a tenant's imports of dear patterns have a minute's work, then they are refused with how long to wait",
  async () => {
    const volley = await createTestVolley({
      tools: [],
      features: ALL_FEATURES,
      key: { flags: ["manage_tools"] },
    });
    const body = JSON.stringify({ prefix: "dear", openapi: manyPatterns(200), dry_run: true });
    const headers = { "content-type": "application/json" };
    const ask = () => volley.fetch("/v1/tools/import", { method: "POST", headers, body });
    for (let n = 0; n < IMPORTS_LIMITS.tenantPatternUnits / LIMITS.importPatternUnits; n += 1) {
      const answer = await ask();
      const text = await answer.text();
      expect(answer.status, text.slice(0, 500)).toBe(200);
      const { skipped } = JSON.parse(text) as { readonly skipped: readonly { readonly reason: string }[] };
      expect(skipped.at(-1)!.reason).toContain("the work that one import may");
    }
    const refused = await ask();
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: "QUOTA_EXCEEDED" }]);
    const waitS = Number(refused.headers.get("retry-after"));
    expect(waitS).toBeGreaterThan(0);
    await volley.advance(waitS * 1_000);
    expect((await ask()).status).toBe(200);
  },
);
