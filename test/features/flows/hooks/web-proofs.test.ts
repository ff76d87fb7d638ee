import { createHmac, generateKeyPairSync, sign } from "node:crypto";

import fc from "fast-check";
import { expect, test } from "vitest";

import { WEB_PROOFS } from "../../../../src/features/flows/http/respond-hook.ts";

const ALGORITHMS = ["sha1", "sha256", "sha512"] as const;

test("the HMAC of any data under any key is the one that Node computes, whole or in pieces", async () => {
  const key = fc.uint8Array({ minLength: 1, maxLength: 200 });
  const pieces = fc.array(fc.uint8Array(), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ALGORITHMS), key, pieces, async (algorithm, secret, data) => {
      const whole = Buffer.concat(data);
      const expected = createHmac(algorithm, secret).update(whole).digest("hex");
      expect(Buffer.from(await WEB_PROOFS.hmac(algorithm, secret, whole)).toString("hex")).toBe(expected);
      const mac = await WEB_PROOFS.openHmac(algorithm, secret);
      for (const piece of data) await mac.write(piece);
      expect(Buffer.from(await mac.end()).toString("hex")).toBe(expected);
    }),
  );
});

test("an Ed25519 signature is known, and nothing else is one", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = Buffer.from(publicKey.export({ format: "jwk" }).x!, "base64url");
  const data = Buffer.from("text");
  const signature = sign(null, data, privateKey);
  expect(await WEB_PROOFS.verifyEd25519(key, data, signature)).toBe(true);
  expect(await WEB_PROOFS.verifyEd25519(key, Buffer.from("other"), signature)).toBe(false);
  expect(await WEB_PROOFS.verifyEd25519(key, data, signature.subarray(1))).toBe(false);
  expect(await WEB_PROOFS.verifyEd25519(key.subarray(1), data, signature)).toBe(false);
});
