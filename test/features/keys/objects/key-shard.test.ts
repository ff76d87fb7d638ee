import { describe, expect, test } from "vitest";

import { ACME, elsewhere, hashIn, home, keyOf, openObjects, rotationOf } from "./kept-objects.ts";

const HERE = home();
const [A, B, C] = [0, 1, 2].map((n) => hashIn(HERE, n)) as [string, string, string];
const OTHER = { tenant: "acme", name: "other" };

describe("An object that keeps keys", () => {
  test("finds a key by its digest and no other, and nothing of it once it has expired", async () => {
    const { clock, shard } = openObjects();
    const key = keyOf(A, { expiresAt: 1_001_000 });
    expect(await shard(HERE).make(key)).toEqual({ ok: true, value: key });
    expect(await shard(HERE).find([A, B])).toEqual([{ kind: "key", key }, null]);
    expect(await shard(HERE).read(ACME)).toEqual(key);
    for (const owner of [{ ...ACME, tenant: "other" }, OTHER])
      expect(await shard(HERE).read(owner)).toBeNull();
    await clock.advance(1_000);
    expect(await shard(HERE).read(ACME)).toBeNull();
    expect(await shard(HERE).find([A])).toEqual([{ kind: "elsewhere", owner: ACME }]);
  });

  test("T01 finds nothing by a digest that a name has no more", async () => {
    const { clock, shard } = openObjects();
    await shard(HERE).make(keyOf(A));
    await shard(HERE).rotate(rotationOf(B));
    expect(await shard(HERE).find([A, B])).toMatchObject([{ kind: "key" }, { kind: "key" }]);
    await clock.advance(5_000);
    await shard(HERE).rotate(rotationOf(C));
    expect(await shard(HERE).find([A, B, C])).toMatchObject([null, { kind: "key" }, { kind: "key" }]);
    // A sign that was left there leads to the name, which has no such digest.
    await shard(HERE).point(A, ACME, { untilMs: null });
    expect(await shard(HERE).find([A])).toEqual([null]);
  });

  test("keeps a digest for one name: another name that brings it is refused, and nothing is changed", async () => {
    const { shard } = openObjects();
    await shard(HERE).make(keyOf(A));
    await shard(HERE).make(keyOf(B, OTHER));
    const taken = { ok: false, error: "hash-taken" };
    expect(await shard(HERE).make(keyOf(A, { ...ACME, name: "third" }))).toEqual(taken);
    expect(await shard(HERE).make(keyOf(A, { ...ACME, tenant: "acme-2" }))).toEqual(taken);
    expect(await shard(HERE).rotate(rotationOf(B))).toEqual(taken);
    expect(await shard(HERE).read({ ...ACME, name: "third" })).toBeNull();
    expect(await shard(HERE).find([A, B])).toMatchObject([{ key: { name: "ci" } }, { key: OTHER }]);
  });

  test("takes the same key again for one, and another of its name for none", async () => {
    const { shard } = openObjects();
    await shard(HERE).make(keyOf(A));
    expect(await shard(HERE).make(keyOf(A, { createdAt: 9_000 }))).toEqual({ ok: true, value: keyOf(A) });
    expect(await shard(HERE).make(keyOf(B))).toEqual({ ok: false, error: "taken" });
    expect(await shard(HERE).find([B])).toEqual([null]);
  });

  test("keeps so many names of a tenant, as many of any other, and has room again for what has expired", async () => {
    const { clock, shard } = openObjects(2);
    const make = (name: string, at: number, changes: object = {}) =>
      shard(HERE).make(keyOf(hashIn(HERE, at), { ...ACME, name, ...changes }));
    expect(await make("one", 1)).toMatchObject({ ok: true });
    expect(await make("two", 2, { expiresAt: 1_001_000 })).toMatchObject({ ok: true });
    expect(await make("three", 3)).toEqual({ ok: false, error: "too-many" });
    expect(await make("one", 1), "one that is there already").toMatchObject({ ok: true });
    expect(await make("three", 4, { tenant: "acme-2" })).toMatchObject({ ok: true });
    await clock.advance(1_000);
    expect(await make("three", 3)).toMatchObject({ ok: true });
    // The digest of a key that has expired belongs to no name.
    await shard(HERE).revoke({ ...ACME, name: "one" });
    expect(await make("four", 2)).toMatchObject({ ok: true });
  });

  test("T01 revokes a name with all that is alive of it, once", async () => {
    const { clock, shard } = openObjects();
    await shard(HERE).make(keyOf(A));
    await shard(HERE).rotate(rotationOf(B));
    expect(await shard(HERE).revoke(OTHER)).toBeNull();
    expect(await shard(HERE).revoke(ACME)).toEqual([A, B]);
    expect(await shard(HERE).revoke(ACME)).toBeNull();
    expect(await shard(HERE).find([A, B])).toEqual([null, null]);
    await shard(HERE).make(keyOf(A, { expiresAt: 1_001_000 }));
    await clock.advance(1_000);
    expect(await shard(HERE).revoke(ACME), "what has expired is no key").toBeNull();
  });

  test("lists a tenant's keys newest first, those of one moment by name, from a place on, without what has expired", async () => {
    const { clock, shard } = openObjects();
    const made = [
      ["b", 5_000],
      ["a", 5_000],
      ["new", 9_000],
      ["old", 1_000],
    ] as const;
    for (const [at, [name, createdAt]] of made.entries())
      await shard(HERE).make(keyOf(hashIn(HERE, at), { ...ACME, name, createdAt }));
    await shard(HERE).make(keyOf(hashIn(HERE, 8), { ...ACME, tenant: "acme-2", createdAt: 6_000 }));
    await shard(HERE).make(
      keyOf(hashIn(HERE, 9), { ...ACME, name: "short", createdAt: 7_000, expiresAt: 1_001_000 }),
    );
    const list = async (...args: [{ createdAt: number; name: string } | null, number]) =>
      (await shard(HERE).list("acme", ...args)).rows.map(({ name }) => name);
    expect(await list(null, 9)).toEqual(["new", "short", "a", "b", "old"]);
    await clock.advance(1_000);
    expect(await list(null, 9)).toEqual(["new", "a", "b", "old"]);
    expect(await list(null, 2)).toEqual(["new", "a"]);
    expect(await list({ createdAt: 5_000, name: "a" }, 9)).toEqual(["b", "old"]);
    expect(await list({ createdAt: 5_000, name: "b" }, 9)).toEqual(["old"]);
  });

  test("remembers whose a digest is that is kept elsewhere, until its time is over", async () => {
    const { clock, shard } = openObjects();
    const there = shard(elsewhere());
    expect(await there.point(A, ACME, { untilMs: 1_001_000 })).toBeNull();
    expect(await there.find([A])).toEqual([{ kind: "elsewhere", owner: ACME }]);
    expect(await there.point(A, OTHER, { untilMs: null })).toEqual(ACME);
    expect(await there.point(A, OTHER, { untilMs: null, instead: OTHER })).toEqual(ACME);
    expect(await there.point(A, ACME, { untilMs: 1_001_000 }), "its own again").toBeNull();
    await clock.advance(999);
    expect(await there.point(A, OTHER, { untilMs: null })).toEqual(ACME);
    await clock.advance(1);
    expect(await there.point(A, OTHER, { untilMs: null })).toBeNull();
    expect(await there.find([A])).toEqual([{ kind: "elsewhere", owner: OTHER }]);
    expect(await there.point(A, ACME, { untilMs: null, instead: OTHER })).toBeNull();
  });

  test("forgets whose a digest is for that owner alone", async () => {
    const { shard } = openObjects();
    const there = shard(elsewhere());
    await there.point(A, ACME, { untilMs: null });
    for (const owner of [OTHER, { ...ACME, tenant: "acme-2" }]) await there.unpoint([A], owner);
    expect(await there.find([A])).toMatchObject([{ owner: ACME }]);
    await there.unpoint([B, A], ACME);
    expect(await there.find([A])).toEqual([null]);
  });

  test("forgets a tenant with its digests, and nothing of one whose name begins as its", async () => {
    const { shard } = openObjects();
    await shard(HERE).make(keyOf(A));
    await shard(HERE).point(B, OTHER, { untilMs: null });
    await shard(HERE).make(keyOf(C, { ...ACME, tenant: "acme-2" }));
    expect(await shard(HERE).forget("acme")).toBe(1);
    expect(await shard(HERE).forget("acme")).toBe(0);
    expect(await shard(HERE).find([A, B, C])).toMatchObject([null, null, { key: { tenant: "acme-2" } }]);
  });
});
