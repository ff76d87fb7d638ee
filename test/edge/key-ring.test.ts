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

/** The configuration of keys of one tenant, one for each jurisdiction. */
const keysIn = (...jurisdictions: (string | undefined)[]): string =>
  JSON.stringify(
    jurisdictions.map((jurisdiction, at) => ({
      name: `key-${at}`,
      hash: String(at).repeat(64),
      tenant: "acme",
      tools: ["*"],
      jurisdiction,
    })),
  );

test.each([
  [keysIn("eu", "us"), undefined, "'eu' for 'key-0' and 'us' for 'key-1'"],
  [keysIn("eu", undefined), undefined, "'eu' for 'key-0' and 'none' for 'key-1'"],
  [keysIn(undefined, "us"), "eu", "'eu' for 'key-0' and 'us' for 'key-1'"],
  [keysIn("eu", "eu", undefined), "us", "'eu' for 'key-0' and 'us' for 'key-2'"],
] as const)("parseKeyRing() refuses keys that would split a tenant: %s", (keys, everywhere, which) => {
  expect(() => parseKeyRing(keys, everywhere)).toThrow(
    `Cannot read VOLLEY_KEYS: the keys of tenant 'acme' must have one jurisdiction, received ${which}`,
  );
});

test.each([
  [keysIn("eu", undefined), "eu", ["eu"]],
  [keysIn("us", "us"), "eu", ["us"]],
  [keysIn(undefined, undefined), "us", ["us"]],
  [keysIn(undefined, undefined), undefined, []],
] as const)("parseKeyRing() takes %s where everything else is in %s", (keys, everywhere, jurisdictions) => {
  expect([...parseKeyRing(keys, everywhere).jurisdictions]).toEqual(jurisdictions);
});

test.each(["mars", "EU", "", null, 1])(
  "parseKeyRing() refuses %j for a jurisdiction",
  async (jurisdiction) => {
    await expect(ringWith({ jurisdiction })).rejects.toThrow(/VOLLEY_KEYS[^]*jurisdiction/);
  },
);
