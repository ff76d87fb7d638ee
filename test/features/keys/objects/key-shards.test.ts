import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/features/keys/limits.ts";
import { createKeyShards, type KeyShardNamespace } from "../../../../src/features/keys/objects/key-shards.ts";
import { ACME, elsewhere, hashIn, home, keyOf, openObjects, rotationOf } from "./kept-objects.ts";

const [HERE, THERE] = [home(), elsewhere()];
const OTHER = { tenant: "acme", name: "other" };

describe("The objects that keep keys, as one", () => {
  test("keep a key where its name is, and lead to it where its digest is looked for", async () => {
    const { shards } = openObjects();
    const key = keyOf(hashIn(THERE));
    expect(await shards.make(key)).toEqual({ ok: true, value: key });
    expect(await shards.find(THERE, [hashIn(THERE)])).toEqual([{ kind: "elsewhere", owner: ACME }]);
    expect(await shards.find(HERE, [hashIn(THERE)])).toEqual([{ kind: "key", key }]);
    expect(await shards.read(ACME)).toEqual(key);
  });

  test("T01 revoke a name in one turn, and take its signs away", async () => {
    const { shards } = openObjects();
    await shards.make(keyOf(hashIn(THERE)));
    expect(await shards.revoke(OTHER)).toBeNull();
    expect(await shards.revoke(ACME)).toEqual([hashIn(THERE)]);
    expect(await shards.read(ACME)).toBeNull();
    expect(await shards.find(THERE, [hashIn(THERE)])).toEqual([null]);
  });

  test("T01 let a digest belong to one name, wherever the two are kept, and leave its owner as it was", async () => {
    const { shards } = openObjects();
    await shards.make(keyOf(hashIn(THERE)));
    expect(await shards.make(keyOf(hashIn(THERE), OTHER))).toEqual({ ok: false, error: "hash-taken" });
    expect(await shards.read(OTHER)).toBeNull();
    expect(await shards.find(THERE, [hashIn(THERE)])).toMatchObject([{ owner: ACME }]);
    await shards.make(keyOf(hashIn(elsewhere(OTHER), 5), OTHER));
    expect(await shards.rotate(rotationOf(hashIn(elsewhere(OTHER), 5)))).toEqual({
      ok: false,
      error: "hash-taken",
    });
    expect(await shards.find(elsewhere(OTHER), [hashIn(elsewhere(OTHER), 5)])).not.toEqual([null]);
  });

  test("take over a sign that leads to nothing, because something broke off", async () => {
    const { shards, shard } = openObjects();
    await shard(THERE).point(hashIn(THERE), OTHER, { untilMs: null });
    expect(await shards.make(keyOf(hashIn(THERE)))).toMatchObject({ ok: true });
    expect(await shards.find(THERE, [hashIn(THERE)])).toMatchObject([{ owner: ACME }]);
  });

  test("refuse a digest whose sign somebody else takes over meanwhile", async () => {
    const { shards, shard, namespace, clock } = openObjects();
    await shard(THERE).point(hashIn(THERE), OTHER, { untilMs: null });
    const third = { tenant: "acme", name: "third" };
    // The second sign is written after the first one was found to lead to nothing.
    const raced: KeyShardNamespace = {
      ...namespace,
      idFromName: (name) => namespace.idFromName(name),
      get: (id) => {
        const stub = namespace.get(id);
        return new Proxy(stub, {
          get: (_, name: keyof typeof stub) =>
            name === "point"
              ? async (...[hash, owner, options]: Parameters<typeof stub.point>) => {
                  if (options.instead !== undefined)
                    await stub.point(hash, third, { untilMs: null, instead: OTHER });
                  return stub.point(hash, owner, options);
                }
              : stub[name],
        });
      },
    };
    const racing = createKeyShards(raced, { clock, timeoutMs: 5_000 });
    expect(await racing.make(keyOf(hashIn(THERE)))).toEqual({ ok: false, error: "hash-taken" });
    expect(await shards.read(ACME)).toBeNull();
    expect(await shards.find(THERE, [hashIn(THERE)])).toMatchObject([{ owner: third }]);
  });

  test("take the sign back where the name is not written, and leave it where the name has the digest", async () => {
    const { shards } = openObjects();
    await shards.make(keyOf(hashIn(HERE)));
    expect(await shards.make(keyOf(hashIn(THERE)))).toEqual({ ok: false, error: "taken" });
    expect(await shards.find(THERE, [hashIn(THERE)])).toEqual([null]);
    await shards.rotate(rotationOf(hashIn(THERE)));
    // It is the name's own digest, in a request that is not the same as the one before.
    expect(await shards.make(keyOf(hashIn(THERE), { tools: ["email"] }))).toEqual({
      ok: false,
      error: "taken",
    });
    expect(await shards.find(THERE, [hashIn(THERE)])).toMatchObject([{ owner: ACME }]);
  });

  test("remember the sign of a digest for no longer than it is good", async () => {
    const { clock, shards, shard } = openObjects();
    const gone = async (hash: string): Promise<boolean> => {
      // A sign whose time is over goes with the next that is written there.
      await shard(THERE).point(hashIn(THERE, 99), OTHER, { untilMs: null });
      return (await shards.find(THERE, [hash]))[0] === null;
    };
    const [first, second, third] = [1, 2, 3].map((n) => hashIn(THERE, n)) as [string, string, string];
    await shards.make(keyOf(first, { expiresAt: 1_100_000 }));
    await shards.rotate(rotationOf(second, 5_000));
    await clock.advance(4_999);
    expect([await gone(first), await gone(second)]).toEqual([false, false]);
    await clock.advance(1);
    expect([await gone(first), await gone(second)]).toEqual([true, false]);
    await shards.rotate({ ...rotationOf(third, 0), expiresAt: 1_050_000 });
    expect(await gone(third)).toBe(false);
    await clock.advance(45_000);
    expect(await gone(third)).toBe(true);
  });

  test("list a tenant's keys of every object, newest first, so many and no more", async () => {
    const { shards } = openObjects();
    const names = Array.from({ length: 12 }, (_, n) => `key-${String(n).padStart(2, "0")}`);
    for (const [n, name] of names.entries())
      await shards.make(keyOf(hashIn(n % LIMITS.keyShards, 50 + n), { ...ACME, name, createdAt: n }));
    expect((await shards.list("acme", null, 5)).rows.map(({ name }) => name)).toEqual(
      names.toReversed().slice(0, 5),
    );
    expect(
      (await shards.list("acme", { createdAt: 2, name: "key-02" }, 5)).rows.map(({ name }) => name),
    ).toEqual(["key-01", "key-00"]);
    expect(await shards.forget("acme")).toBe(12);
    expect(await shards.list("acme", null, 5)).toEqual({ rows: [], hasMore: false });
  });

  test("reject what is asked of an object that does not answer", async () => {
    const { clock, namespace } = openObjects();
    const silent = { ...namespace, get: () => new Proxy({}, { get: () => () => new Promise(() => {}) }) };
    const shards = createKeyShards(silent as unknown as KeyShardNamespace, { clock, timeoutMs: 5_000 });
    const asked = shards.read(ACME);
    const ended = expect(asked).rejects.toThrow("no answer within 5000 ms");
    await clock.advance(5_000);
    await ended;
  });
});
