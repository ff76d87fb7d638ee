import { createHash } from "node:crypto";

import { expect, test } from "vitest";

import * as LIMITS from "../../../src/features/keys/limits.ts";
import { hasKeyForm, makeKey, shardOfHash, shardOfName } from "../../../src/features/keys/stored-key.ts";

const BYTES = Uint8Array.from({ length: 32 }, (_, at) => 255 - at);

test("makeKey() makes a text of letters, digits, dashes and lines that ends in its own checksum", () => {
  const key = makeKey(BYTES);
  expect(key).toMatch(/^vk_[A-Za-z0-9_-]{43}_[0-9a-f]{8}$/);
  const [text, checksum] = [key.slice(0, -9), key.slice(-8)];
  expect(Buffer.from(text.slice(3), "base64url")).toEqual(Buffer.from(BYTES));
  expect(checksum).toBe(createHash("sha256").update(text).digest("hex").slice(0, 8));
});

test("hasKeyForm() knows what was made here, and takes no slip for it", () => {
  const key = makeKey(BYTES);
  expect(hasKeyForm(key)).toBe(true);
  for (const other of [
    "",
    "sandbox-key",
    key.slice(0, -1),
    `${key}0`,
    key.toUpperCase(),
    `${key}\n`,
    key.replace("vk_", "vk-"),
    // Two neighbours in the other order.
    key.slice(0, 5) + key[6] + key[5] + key.slice(7),
  ])
    expect([other, other === key || hasKeyForm(other)]).toEqual([other, other === key]);
});

test("shardOfHash() goes by the first digit, and names of many tenants are spread over all objects", () => {
  expect(["0", "9", "a", "f"].map((digit) => shardOfHash(digit.repeat(64)))).toEqual([0, 9, 10, 15]);
  const names = Array.from({ length: 400 }, (_, at) => shardOfName({ tenant: `t${at}`, name: "default" }));
  expect(new Set(names).size).toBe(LIMITS.keyShards);
});
