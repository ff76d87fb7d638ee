import { createHmac, randomBytes } from "node:crypto";

import fc from "fast-check";
import { expect, test } from "vitest";

import { verifyMac } from "../../../../src/features/flows/http/verify-mac.ts";

test("verifyMac() knows the HMAC of any data under any key", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.uint8Array(), async (key, data) => {
      const mac = createHmac("sha256", key).update(data).digest();
      expect(await verifyMac(key, data, mac)).toBe(true);
      expect(await verifyMac(key, data, mac.subarray(0, 31))).toBe(false);
      mac[data.length % 32]! ^= 1;
      expect(await verifyMac(key, data, mac)).toBe(false);
    }),
  );
});

test("verifyMac() knows none under an empty key", async () => {
  const data = randomBytes(8);
  const mac = createHmac("sha256", "").update(data).digest();
  expect(await verifyMac(new Uint8Array(), data, mac)).toBe(false);
});
