import { describe, expect, test } from "vitest";

import { type KeptKey, keySchema, toKeyJson } from "../../../src/features/keys/stored-key.ts";

const NOW = Date.UTC(2026, 10, 2, 15);
const KEY: KeptKey = {
  tenant: "acme",
  name: "ci",
  tools: ["email"],
  quota: { limit: 5, windowS: 60 },
  flags: ["approve"],
  createdAt: NOW - 1_000,
  expiresAt: null,
  rotatedAt: null,
  digests: [{ hash: "never shown", endsAt: null }],
};

describe("toKeyJson()", () => {
  test("shows what a key may do, and neither the key nor its hash", () => {
    const shown = toKeyJson(KEY, NOW);
    expect(keySchema({ flags: ["approve", "manage_keys"] }).parse(shown)).toEqual({
      name: "ci",
      tenant: "acme",
      tools: ["email"],
      quota: { limit: 5, window_s: 60 },
      flags: ["approve"],
      created_at: "2026-11-02T14:59:59.000Z",
      expires_at: null,
      rotated_at: null,
      previous_ends_at: null,
    });
  });

  test("shows whose accounts it uses, where that is said", () => {
    expect(
      keySchema({ flags: ["approve", "manage_keys"] }).parse(toKeyJson({ ...KEY, subject: "ada" }, NOW)),
    ).toHaveProperty("subject", "ada");
    expect(toKeyJson(KEY, NOW)).not.toHaveProperty("subject");
  });

  test("says when it ends, when it was rotated, and until when the last key before it is good", () => {
    const digests = [NOW, NOW + 2_000, NOW + 1_000, null].map((endsAt, at) => ({ hash: `${at}`, endsAt }));
    const key = { ...KEY, expiresAt: NOW + 9_000, rotatedAt: NOW - 500, digests };
    expect(toKeyJson(key, NOW)).toMatchObject({
      expires_at: "2026-11-02T15:00:09.000Z",
      rotated_at: "2026-11-02T14:59:59.500Z",
      previous_ends_at: "2026-11-02T15:00:02.000Z",
    });
    expect(toKeyJson({ ...key, digests: digests.slice(0, 1) }, NOW).previous_ends_at).toBeNull();
  });
});
