import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import { type KeptKey, shardOfHash, shardOfName } from "../../src/features/keys/stored-key.ts";
import { createKeyShards } from "../../src/features/keys/objects/key-shards.ts";
import { systemClock } from "../../src/cloudflare/platform/system-ports.ts";
import { trial } from "../support/trial.ts";

let tenants = 0;
const newTenant = () => `tenant-${(tenants += 1)}`;
const hashOf = (digit: string) => digit + crypto.randomUUID().replaceAll("-", "").padEnd(63, "0");
const keyOf = (tenant: string, changes: Partial<KeptKey> = {}): KeptKey => ({
  tenant,
  name: "ci",
  tools: ["*"],
  quota: { limit: 120, windowS: 60 },
  flags: [],
  createdAt: Date.now(),
  expiresAt: null,
  rotatedAt: null,
  digests: [{ hash: hashOf("a"), endsAt: null }],
  ...changes,
});
const bounds = { clock: systemClock, timeoutMs: 5_000 };
const shards = createKeyShards(env.KEYS, bounds);
/** An object whose digests no other object is asked for. */
const open = (namespace = env.KEYS) => namespace.getByName(`alone ${newTenant()}`);

/** Whose a digest is, as a Worker finds it. */
async function ownerOf(hash: string): Promise<string | null> {
  const [found] = await shards.find(shardOfHash(hash), [hash]);
  if (found?.kind !== "elsewhere") return found?.key.tenant ?? null;
  const [there] = await shards.find(shardOfName(found.owner), [hash]);
  return there?.kind === "key" ? there.key.tenant : null;
}

describe("An object that keeps keys", () => {
  test("keeps them through an eviction, finds them by digest, and tells no tenant of others", async () => {
    const shard = open();
    const key = keyOf("acme");
    expect(await shard.make(key)).toEqual({ ok: true, value: key });
    await evictDurableObject(shard);
    const [hash] = [key.digests[0]!.hash];
    expect(await shard.find([hash, hashOf("b"), "", hash.toUpperCase()])).toEqual([
      { kind: "key", key },
      null,
      null,
      null,
    ]);
    expect(await shard.read({ tenant: "other", name: "ci" })).toBeNull();
  });

  test("knows no name that has expired, by its name or by its digest", async () => {
    const shard = open();
    const key = keyOf("acme", { expiresAt: Date.now() + 86_400_000 });
    await shard.make(key);
    expect(await shard.read(key)).toEqual(key);
    // As if its time had passed.
    const over = JSON.stringify({ ...key, expiresAt: 1 });
    await runInDurableObject(
      shard,
      (_shard, { storage }) => void storage.sql.exec("UPDATE keys SET json = ?", over),
    );
    expect(await shard.read(key)).toBeNull();
    expect(await shard.find([key.digests[0]!.hash])).not.toMatchObject([{ kind: "key" }]);
  });

  test("has two rows for a key, and none when it is revoked", async () => {
    const shard = open();
    const key = keyOf("acme");
    await shard.make(key);
    const { tenant, name } = key;
    await shard.rotate({ tenant, name, hash: hashOf("a"), overlapMs: 1_000, seen: key });
    const rows = () =>
      runInDurableObject(shard, (_, { storage: { sql } }) =>
        ["keys", "digests"].map((table) => sql.exec(`SELECT * FROM ${table}`).toArray().length),
      );
    expect(await rows()).toEqual([1, 2]);
    expect(await shard.revoke(key)).toHaveLength(2);
    expect(await shard.revoke(key)).toBeNull();
    expect(await rows()).toEqual([0, 0]);
  });

  test("forgets the digests of a tenant with its keys, and nothing of another's", async () => {
    const shard = open();
    await shard.make(keyOf("acme"));
    await shard.point(hashOf("b"), { tenant: "acme", name: "elsewhere" }, { untilMs: null });
    await shard.make(keyOf("acme-2"));
    expect(await shard.forget("acme")).toBe(1);
    const tenants = await runInDurableObject(shard, (_, { storage: { sql } }) =>
      ["keys", "digests"].map((table) =>
        sql
          .exec<{ tenant: string }>(`SELECT tenant FROM ${table}`)
          .toArray()
          .map((row) => row.tenant),
      ),
    );
    expect(tenants).toEqual([["acme-2"], ["acme-2"]]);
  });

  trial(
    "keeps so many names of a tenant, has room again for what has expired, and other tenants are not held up",
    async () => {
      const shard = open(env.SMALL_KEYS);
      const make = (name: string, changes: Partial<KeptKey> = {}) =>
        shard.make(keyOf("full", { name, digests: [{ hash: hashOf("c"), endsAt: null }], ...changes }));
      const now = Date.now();
      vi.spyOn(Date, "now").mockReturnValue(now);
      expect(await make("one")).toMatchObject({ ok: true });
      expect(await make("two", { expiresAt: now + 1_000 })).toMatchObject({ ok: true });
      expect(await make("three")).toEqual({ ok: false, error: "too-many" });
      expect(await shard.make(keyOf("other"))).toMatchObject({ ok: true });
      vi.spyOn(Date, "now").mockReturnValue(now + 1_000);
      expect(await make("three")).toMatchObject({ ok: true });
      vi.restoreAllMocks();
      expect(await shard.forget("full")).toBe(2);
      expect((await shard.list("other", null, 10)).rows).toHaveLength(1);
    },
  );

  test("forgets a sign when what it leads to has ended", async () => {
    const shard = open();
    const owner = { tenant: "acme", name: "elsewhere" };
    const hash = hashOf("d");
    expect(await shard.point(hash, owner, { untilMs: Date.now() - 1 })).toBeNull();
    expect(await shard.point(hashOf("d"), { ...owner, name: "b" }, { untilMs: null })).toBeNull();
    expect(await shard.find([hash])).toEqual([null]);
  });
});

describe("The objects as one", () => {
  trial("a key is found by its digest wherever its name is kept, and not when it is revoked", async () => {
    const tenant = newTenant();
    const hashes = "0123456789abcdef".split("").map(hashOf);
    for (const [at, hash] of hashes.entries())
      await shards.make(keyOf(tenant, { name: `k${at}`, digests: [{ hash, endsAt: null }] }));
    expect(await Promise.all(hashes.map(ownerOf))).toEqual(hashes.map(() => tenant));
    const { rows: listed } = await shards.list(tenant, null, 100);
    expect(listed).toHaveLength(16);
    await shards.revoke({ tenant, name: "k3" });
    expect(await ownerOf(hashes[3]!)).toBeNull();
    expect(await shards.forget(tenant)).toBe(15);
    expect(await Promise.all(hashes.map(ownerOf))).toEqual(hashes.map(() => null));
  });

  trial(
    "a digest belongs to one name: a second name that brings it changes nothing for its owner",
    async () => {
      const [owner, thief] = [newTenant(), newTenant()];
      for (const digit of "0123456789abcdef") {
        const digests = [{ hash: hashOf(digit), endsAt: null }];
        await shards.make(keyOf(owner, { name: `k${digit}`, digests }));
        const stolen = await shards.make(keyOf(thief, { name: `t${digit}`, digests }));
        expect(stolen).toEqual({ ok: false, error: "hash-taken" });
        const rotated = keyOf(thief, { name: `r${digit}`, digests: [{ hash: hashOf(digit), endsAt: null }] });
        await shards.make(rotated);
        const { tenant, name } = rotated;
        const turned = { tenant, name, hash: digests[0]!.hash, overlapMs: 0, seen: rotated };
        expect(await shards.rotate(turned)).toEqual({ ok: false, error: "hash-taken" });
        expect(await ownerOf(digests[0]!.hash)).toBe(owner);
        expect(await ownerOf(rotated.digests[0]!.hash)).toBe(thief);
      }
    },
  );

  trial("a sign that leads to nothing, because something broke off, delays no request", async () => {
    const tenant = newTenant();
    const hash = hashOf("7");
    const stray = { tenant: newTenant(), name: "never-written" };
    await env.KEYS.getByName(`keys ${shardOfHash(hash)}`).point(hash, stray, { untilMs: null });
    expect(await ownerOf(hash)).toBeNull();
    expect(await shards.make(keyOf(tenant, { digests: [{ hash, endsAt: null }] }))).toMatchObject({
      ok: true,
    });
    expect(await ownerOf(hash)).toBe(tenant);
  });

  test("what does not answer rejects, whatever is asked", async () => {
    const gone = createKeyShards(
      {
        idFromName: () => ({}),
        get: () => new Proxy({} as never, { get: () => async () => Promise.reject(new Error("gone")) }),
      },
      bounds,
    );
    for (const ask of [
      () => gone.find(0, ["a"]),
      () => gone.make(keyOf("acme")),
      () => gone.revoke({ tenant: "acme", name: "ci" }),
      () => gone.list("acme", null, 10),
      () => gone.forget("acme"),
    ])
      await expect(ask()).rejects.toThrow("gone");
  });
});

trial(
  "T58 reads a key that an earlier version made for one subject as if it had no flag that reaches others",
  async () => {
    const shard = open();
    const flags = ["approve", "manage_tools", "manage_keys"] as const;
    const key = keyOf("acme", { subject: "ada", flags });
    await shard.make(key);
    const narrow = { ...key, flags: ["approve"] };
    expect(await shard.read(key)).toEqual(narrow);
    expect(await shard.find([key.digests[0]!.hash])).toEqual([{ kind: "key", key: narrow }]);
    expect((await shard.list("acme", null, 10)).rows).toEqual([narrow]);
    const whole = keyOf("acme-2", { flags });
    await shard.make(whole);
    expect(await shard.read(whole)).toEqual(whole);
  },
);
