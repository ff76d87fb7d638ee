import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import type { Writing } from "../../src/features/sign-in/store-methods.ts";
import { trial } from "../support/trial.ts";

let objects = 0;
const open = (namespace = env.SIGN_INS) => namespace.getByName(`alone ${(objects += 1)}`);
const HOUR = 3_600_000;
const writing = (changes: Partial<Writing> = {}): Writing => ({
  metadata: null,
  expiresAtMs: Date.now() + HOUR,
  expected: null,
  unused: false,
  ...changes,
});
const PAGE = { after: null, limit: 100 };

describe("An object that keeps sign-ins", () => {
  test("reads what it wrote, at once and after an eviction, and lists it by its beginning", async () => {
    const store = open();
    await store.write(
      "grant:o:1",
      '{"id":"1"}',
      writing({ metadata: '{"clientId":"c"}', expiresAtMs: null }),
    );
    await store.write("grant:o:2", "{}", writing());
    await store.write("grant:other:1", "{}", writing());
    expect(await store.read("grant:o:1")).toEqual({ value: '{"id":"1"}', version: 1 });
    await evictDurableObject(store);
    expect(await store.list("grant:o:", PAGE)).toEqual([
      { name: "grant:o:1", metadata: '{"clientId":"c"}', expiresAtMs: null },
      { name: "grant:o:2", metadata: null, expiresAtMs: expect.any(Number) },
    ]);
    expect(await store.list("grant:o:", { after: "grant:o:1", limit: 1 })).toMatchObject([
      { name: "grant:o:2" },
    ]);
    expect([await store.drop("grant:o:1"), await store.drop("grant:o:1")]).toEqual([true, false]);
  });

  test("T51 replaces a record only by who has read it as it is", async () => {
    const store = open();
    const write = (expected: number | null) => store.write("grant:o:1", "{}", writing({ expected }));
    expect(await write(0)).toBe("written");
    expect([await write(0), await write(2)]).toEqual(["conflict", "conflict"]);
    expect([await write(1), await write(1)]).toEqual(["written", "conflict"]);
    expect(await write(null)).toBe("written");
    expect((await store.read("grant:o:1"))?.version).toBe(3);
  });

  test("F37 takes nothing of an owner that was forgotten after the request came, after an eviction too", async () => {
    const store = open();
    const begunAt = Date.now() - 1;
    await store.write("grant:acme-k:1", "{}", writing({ begunAt }));
    expect(await store.forget("acme-")).toBe(1);
    await evictDurableObject(store);
    for (const key of ["grant:acme-k:1", "token:acme-k:1:a", "again:acme-k:1:b"])
      expect(await store.write(key, "{}", writing({ begunAt })), key).toBe("conflict");
    expect(await store.write("grant:acme2-k:1", "{}", writing({ begunAt }))).toBe("written");
    expect(await store.write("grant:acme-k:1", "{}", writing({ begunAt: Date.now() + 1 }))).toBe("written");
  });

  test("has nothing of a record whose time is over, and deletes it in its alarm", async () => {
    const store = open();
    await store.write("token:o:1:a", "{}", writing({ expiresAtMs: Date.now() - 1 }));
    expect(await store.read("token:o:1:a")).toBeNull();
    expect(await store.list("token:o:", PAGE)).toEqual([]);
    expect(
      await store.write("token:o:1:a", "{}", writing({ expected: 0, expiresAtMs: Date.now() - 1 })),
    ).toBe("written");
    await runDurableObjectAlarm(store);
    const rows = await runInDurableObject(
      store,
      (_, { storage }) => storage.sql.exec("SELECT key FROM records").toArray().length,
    );
    expect(rows).toBe(0);
  });

  trial("T51 keeps the newest of the clients that were not let in, and all that were", async () => {
    const store = open(env.SMALL_SIGN_INS);
    await store.write("client:used", "{}", writing({ unused: true }));
    await store.use("client:used", Date.now() + HOUR);
    for (let n = 0; n < 6; n += 1) {
      await store.write(`client:${n}`, "{}", writing({ unused: true }));
    }
    const left = await store.list("client:", PAGE);
    expect(left.map(({ name }) => name)).toEqual(["client:3", "client:4", "client:5", "client:used"]);
  });

  trial("T51 keeps the newest forms, and the newest tokens of each sign-in", async () => {
    const store = open(env.SMALL_SIGN_INS);
    for (let n = 0; n < 5; n += 1) {
      await store.write(`transaction:${n}`, "x", writing());
      await store.write(`token:o:1:${n}`, "{}", writing());
    }
    await store.write("token:o:2:0", "{}", writing());
    expect((await store.list("transaction:", PAGE)).map(({ name }) => name)).toEqual([
      "transaction:2",
      "transaction:3",
      "transaction:4",
    ]);
    expect((await store.list("token:o:", PAGE)).map(({ name }) => name)).toEqual([
      "token:o:1:3",
      "token:o:1:4",
      "token:o:2:0",
    ]);
  });

  trial(
    "T51 refuses more sign-ins of one owner than there may be, and goes on with those there are",
    async () => {
      const store = open(env.SMALL_SIGN_INS);
      const sign = (id: string, owner = "o") => store.write(`grant:${owner}:${id}`, "{}", writing());
      expect([await sign("1"), await sign("2"), await sign("3")]).toEqual(["written", "written", "full"]);
      expect([await sign("2"), await sign("1", "other")]).toEqual(["written", "written"]);
      expect(await store.write("x".repeat(3_000), "{}", writing())).toBe("full");
      expect(await store.read("x".repeat(3_000))).toBeNull();
    },
  );

  trial("lists sign-ins that were redeemed, newest first, and ends one with its tokens", async () => {
    const store = open();
    await store.write("grant:t-a-0:AAAAAAAAAAAAAAAA", '{"id":"A"}', writing());
    await store.write("grant:t-b-0:BBBBBBBBBBBBBBBB", '{"id":"B"}', writing());
    await store.write("grant:t-b-0:CCCCCCCCCCCCCCCC", '{"authCodeWrappedKey":"x"}', writing());
    await store.write("token:t-b-0:BBBBBBBBBBBBBBBB:1", "{}", writing());
    const named = async (prefix: string) =>
      (await store.signIns(prefix, null, 10)).rows.map(({ value }) => value);
    expect(await named("t-")).toEqual(['{"id":"B"}', '{"id":"A"}']);
    expect(await named("t-a-")).toEqual(['{"id":"A"}']);
    expect(await store.end("t-a-", "BBBBBBBBBBBBBBBB")).toBeNull();
    expect(await store.end("t-", "BBBBBBBBBBBBBBBB")).toBe("t-b-0:BBBBBBBBBBBBBBBB");
    expect(await store.read("token:t-b-0:BBBBBBBBBBBBBBBB:1")).toBeNull();
    expect(await store.forget("t-")).toBe(2);
    expect(await named("t-")).toEqual([]);
  });
});
