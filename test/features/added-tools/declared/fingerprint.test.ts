import { createHash } from "node:crypto";
import { expect, test } from "vitest";

import { fingerprintOf } from "../../../../src/features/added-tools/put-tool.ts";
import { declareCustomers } from "../../../support/sample-declarations.ts";

const sha256 = (text: string): Promise<string> =>
  Promise.resolve(createHash("sha256").update(text).digest("hex"));

test("a fingerprint is the same whatever the order of the fields, and another for another declaration", async () => {
  const declaration = declareCustomers();
  const { name, ...rest } = declaration;
  const fingerprint = await fingerprintOf(declaration, sha256);

  expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
  expect(await fingerprintOf({ ...rest, name }, sha256)).toBe(fingerprint);
  expect(await fingerprintOf(declareCustomers({ summary: "Another" }), sha256)).not.toBe(fingerprint);
});
