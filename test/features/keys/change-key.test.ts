import { describe, expect, test } from "vitest";

import type { KeptKey, KeyRotation } from "../../../src/features/keys/stored-key.ts";
import * as LIMITS from "../../../src/features/keys/limits.ts";
import { addKey, endOfKey, isOver, rotateKey } from "../../../src/features/keys/change-key.ts";
import { valueOf } from "../../support/unwrap.ts";

const NOW = 1_000_000;
const keyOf = (changes: Partial<KeptKey> = {}): KeptKey => ({
  tenant: "acme",
  name: "ci",
  tools: ["*"],
  quota: { limit: 120, windowS: 60 },
  flags: [],
  createdAt: NOW,
  expiresAt: null,
  rotatedAt: null,
  digests: [{ hash: "first", endsAt: null }],
  ...changes,
});
const rotationOf = (changes: Partial<KeyRotation> = {}): KeyRotation => ({
  tenant: "acme",
  name: "ci",
  hash: "second",
  overlapMs: 60_000,
  seen: { tools: ["*"], flags: [], quota: { limit: 120, windowS: 60 } },
  ...changes,
});

describe("The subject of a key", () => {
  test("T02 belongs to what it may: the same hash for another subject, or for all of them, is another key", () => {
    const [ada, bob, everybody] = [keyOf({ subject: "ada" }), keyOf({ subject: "bob" }), keyOf()];
    for (const [known, asked] of [
      [ada, bob],
      [ada, everybody],
      [everybody, ada],
    ] as const)
      expect(addKey(known, NOW, asked)).toEqual({ ok: false, error: "taken" });
    expect(addKey(ada, NOW, keyOf({ subject: "ada" }))).toEqual({ ok: true, value: ada });
  });

  test("T02 is seen before a rotation: a name that was made anew for another subject, or a larger quota, is not rotated", () => {
    const { seen } = rotationOf();
    const refused = { ok: false, error: "changed" };
    expect(rotateKey(keyOf(), NOW, rotationOf({ seen: { ...seen, subject: "ada" } }))).toEqual(refused);
    expect(rotateKey(keyOf({ subject: "bob" }), NOW, rotationOf())).toEqual(refused);
    expect(rotateKey(keyOf({ quota: { limit: 121, windowS: 60 } }), NOW, rotationOf())).toEqual(refused);
    expect(rotateKey(keyOf({ quota: { limit: 120, windowS: 59 } }), NOW, rotationOf())).toEqual(refused);
    const ada = rotateKey(keyOf({ subject: "ada" }), NOW, rotationOf({ seen: { ...seen, subject: "ada" } }));
    expect(valueOf(ada)).toMatchObject({ subject: "ada" });
  });
});

describe("addKey()", () => {
  test("keeps a new name, and one whose key has expired", () => {
    const asked = keyOf({ digests: [{ hash: "new", endsAt: null }] });
    expect(addKey(null, NOW, asked)).toEqual({ ok: true, value: asked });
    expect(addKey(keyOf({ expiresAt: NOW }), NOW, asked)).toEqual({ ok: true, value: asked });
    expect(addKey(keyOf({ expiresAt: NOW + 1 }), NOW, asked)).toEqual({ ok: false, error: "taken" });
  });

  test("takes the same key again for the one that there is, and the same hash with other powers for another", () => {
    const known = keyOf({ createdAt: NOW - 5_000 });
    expect(valueOf(addKey(known, NOW, keyOf()))).toBe(known);
    expect(addKey(known, NOW, keyOf({ tools: ["maps"] }))).toEqual({ ok: false, error: "taken" });
    expect(addKey(known, NOW, keyOf({ expiresAt: NOW + 9 }))).toEqual({ ok: false, error: "taken" });
  });

  test("knows any key of the name again, and takes another key with the same powers for another", () => {
    const digests = ["zeroth", "first"].map((hash) => ({ hash, endsAt: null }));
    const known = keyOf({ digests });
    expect(valueOf(addKey(known, NOW, keyOf()))).toBe(known);
    const other = keyOf({ digests: [{ hash: "other", endsAt: null }] });
    expect(addKey(known, NOW, other)).toEqual({ ok: false, error: "taken" });
  });
});

describe("rotateKey()", () => {
  test("makes another key, and ends the one before it when the overlap is over, to the millisecond", () => {
    const rotated = valueOf(rotateKey(keyOf(), NOW, rotationOf()));
    expect(rotated).toMatchObject({ rotatedAt: NOW, createdAt: NOW, expiresAt: null });
    expect([endOfKey(rotated, "first"), endOfKey(rotated, "second")]).toEqual([NOW + 60_000, Infinity]);
    expect(endOfKey(rotated, "never")).toBeNull();
  });

  test("with no overlap ends all before it at once", () => {
    const rotated = valueOf(rotateKey(keyOf(), NOW, rotationOf({ overlapMs: 0 })));
    expect(rotated.digests).toEqual([{ hash: "second", endsAt: null }]);
    expect(endOfKey(rotated, "first")).toBeNull();
  });

  test("never lets an old key live longer: not by a longer overlap, and not by a later expiry", () => {
    const once = valueOf(rotateKey(keyOf(), NOW, rotationOf({ overlapMs: 1_000 })));
    const twice = valueOf(rotateKey(once, NOW + 500, rotationOf({ hash: "third", overlapMs: 90_000 })));
    expect(endOfKey(twice, "first")).toBe(NOW + 1_000);
    expect(endOfKey(twice, "second")).toBe(NOW + 90_500);

    const ending = keyOf({ expiresAt: NOW + 2_000 });
    const longer = valueOf(rotateKey(ending, NOW, rotationOf({ expiresAt: NOW + 99_000 })));
    expect([endOfKey(longer, "first"), endOfKey(longer, "second")]).toEqual([NOW + 2_000, NOW + 99_000]);
  });

  test("keeps an expiry that is not changed, for all keys of the name", () => {
    const rotated = valueOf(rotateKey(keyOf({ expiresAt: NOW + 5_000 }), NOW, rotationOf()));
    expect(rotated.expiresAt).toBe(NOW + 5_000);
    expect(endOfKey(rotated, "second")).toBe(NOW + 5_000);
    expect([isOver(rotated, NOW + 4_999), isOver(rotated, NOW + 5_000)]).toEqual([false, true]);
  });

  test("refuses a name that is not there, has expired, or may more than was seen of it", () => {
    expect(rotateKey(null, NOW, rotationOf())).toEqual({ ok: false, error: "unknown" });
    expect(rotateKey(keyOf({ expiresAt: NOW }), NOW, rotationOf())).toEqual({ ok: false, error: "unknown" });
    for (const more of [keyOf({ tools: ["*", "x"] }), keyOf({ flags: ["manage_keys"] })])
      expect(rotateKey(more, NOW, rotationOf())).toEqual({ ok: false, error: "changed" });
  });

  test("asked again with the same key it is the same rotation; an older key never comes back", () => {
    const once = valueOf(rotateKey(keyOf(), NOW, rotationOf()));
    expect(valueOf(rotateKey(once, NOW + 10, rotationOf()))).toBe(once);
    const twice = valueOf(rotateKey(once, NOW + 10, rotationOf({ hash: "third" })));
    expect(valueOf(rotateKey(twice, NOW + 20, rotationOf({ hash: "third" })))).toBe(twice);
    expect(rotateKey(twice, NOW + 20, rotationOf())).toEqual({ ok: false, error: "hash-taken" });
    expect(rotateKey(once, NOW + 10, rotationOf({ hash: "first" }))).toEqual({
      ok: false,
      error: "hash-taken",
    });
  });

  test("lets only so many keys of a name go on side by side, and one more without an overlap", () => {
    let key = keyOf();
    for (let at = 0; at < LIMITS.keysAlive - 1; at += 1)
      key = valueOf(rotateKey(key, NOW + at, rotationOf({ hash: `k${at}` })));
    key = valueOf(rotateKey(key, NOW + 5, rotationOf({ hash: "last" })));
    expect(key.digests).toHaveLength(LIMITS.keysAlive + 1);
    expect(rotateKey(key, NOW + 6, rotationOf({ hash: "more" }))).toEqual({
      ok: false,
      error: "too-many-alive",
    });
    const alone = valueOf(rotateKey(key, NOW + 7, rotationOf({ hash: "alone", overlapMs: 0 })));
    expect(alone.digests).toEqual([{ hash: "alone", endsAt: null }]);
  });
});
