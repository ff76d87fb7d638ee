import { expect, test } from "vitest";

import { digestKey, parseKeyRing } from "../../src/edge/http/key-ring.ts";

/** A ring with one key, `secret-key`, and what its entry says besides. */
async function ringWith(entry: object) {
  const digest = [...(await digestKey("secret-key"))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  return parseKeyRing(
    JSON.stringify([{ name: "agent", hash: digest, tenant: "acme", tools: ["*"], ...entry }]),
  );
}

test("parseKeyRing() takes the name of the secret that signs a key's callbacks", async () => {
  const named = await ringWith({ webhook_secret: "ACME_WEBHOOK_SECRET" });
  expect(await named.identify("secret-key")).toMatchObject({ webhookSecret: "ACME_WEBHOOK_SECRET" });
  expect(await (await ringWith({})).identify("secret-key")).not.toHaveProperty("webhookSecret");
});

test("parseKeyRing() takes a key's name for its tenant unless another is said", async () => {
  expect(await (await ringWith({})).identify("secret-key")).toMatchObject({ tenant: "acme" });
  expect(await (await ringWith({ tenant: undefined })).identify("secret-key")).toMatchObject({
    tenant: "agent",
  });
});

test("parseKeyRing() refuses a secret where its variable's name belongs, without repeating it", async () => {
  const ring = ringWith({ webhook_secret: "whsec_c2VjcmV0" });
  await expect(ring).rejects.toThrow("webhook_secret");
  await expect(ring).rejects.not.toThrow("c2VjcmV0");
});
