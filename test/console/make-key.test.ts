import { expect, test } from "vitest";

import { makeKey, refuseWish, toEntry } from "../../src/console/keys/make-key.ts";
import { digestKey, parseKeyRing } from "../../src/cloudflare/http/key-ring.ts";

const WISH = { name: "ci", tenant: "", tools: "maps, email ,", flags: ["manage_tools"] };

test("a key made in the browser is found by the digest that it is configured with", async () => {
  const { key, hash } = await makeKey();
  expect(key).toMatch(/^vk_[A-Za-z0-9_-]{43}_[0-9a-f]{8}$/);
  expect(hash).toBe(Buffer.from(await digestKey(key)).toString("hex"));
  const entry = toEntry(WISH, hash);
  expect(entry).not.toContain(key);
  const caller = await parseKeyRing(`[${entry}]`).identify(key);
  expect(caller).toMatchObject({ name: "ci", tenant: "ci", tools: ["maps", "email"] });
});

test("no two keys are the same, and the same bytes make the same key", async () => {
  const bytes = new Uint8Array(32).fill(251);
  expect((await makeKey(bytes)).key).toBe((await makeKey(bytes)).key);
  expect((await makeKey()).key).not.toBe((await makeKey()).key);
});

test("a wish is refused with what would be right", () => {
  expect(refuseWish(WISH)).toEqual({});
  expect(refuseWish({ ...WISH, name: "a b" }).name).toContain("letters");
  expect(refuseWish({ ...WISH, tenant: "é" }).tenant).toContain("tenant");
  expect(refuseWish({ ...WISH, tools: " , " }).tools).toContain("* is all");
});
