import { expect, test } from "vitest";

import * as LIMITS from "../../src/core/contract/limits.ts";
import * as IMPORTS_LIMITS from "../../src/features/imports/limits.ts";
import { manyPatterns } from "../support/hostile-documents.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const { volley } = await setUpSandbox();
const admin = new TestCaller(volley.url, "sandbox-admin-key");

test("eight dry runs at once are all answered", async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 200 }, (_, n) => [`/things${n}`, { get: { operationId: `listThings${n}` } }]),
  );
  const openapi = { openapi: "3.1.0", servers: [{ url: "https://api.example.com" }], paths };
  const body = JSON.stringify({ prefix: "things", openapi, dry_run: true });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => admin.send({ path: "/v1/tools/import", body })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
});

test("P6: T43 a tenant's imports of dear patterns have a minute's work, then they are refused with how long to wait", async () => {
  const body = JSON.stringify({ prefix: "dear", openapi: manyPatterns(200), dry_run: true });
  const ask = () => admin.send({ path: "/v1/tools/import", body });
  for (let n = 0; n < IMPORTS_LIMITS.tenantPatternUnits / LIMITS.importPatternUnits; n += 1) {
    const { status, text } = await ask();
    expect(status, text.slice(0, 500)).toBe(200);
    const { skipped } = JSON.parse(text) as { readonly skipped: readonly { readonly reason: string }[] };
    expect(skipped.at(-1)!.reason).toContain("the work that one import may");
  }
  const refused = await ask();
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([429, { code: "QUOTA_EXCEEDED" }]);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
});
