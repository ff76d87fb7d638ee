import { expect, test } from "vitest";

import type { RequestContext } from "../../../../src/cloudflare/http/request-context.ts";
import { KEYS_OF_TENANT } from "../../../../src/features/keys/http/export-keys.ts";
import { ACME, hashIn, keyOf, openObjects, rotationOf } from "../objects/kept-objects.ts";
import { trial } from "../../../support/trial.ts";

/** All keys of an export, slice by slice; null where the caller may see none. */
async function readAll(context: RequestContext): Promise<readonly Record<string, unknown>[] | null> {
  const all: Record<string, unknown>[] = [];
  for (let from: unknown = null; ;) {
    const slice = await KEYS_OF_TENANT.exportJson(context, from);
    if (slice === null || typeof slice === "string") return null;
    all.push(...(JSON.parse(slice.json) as Record<string, unknown>[]));
    // A place travels as JSON.
    from = JSON.parse(JSON.stringify(slice.next));
    if (from === null) return all;
  }
}

/** The part of a tenant whose keys these objects keep, for a caller who may manage them or not. */
function open() {
  const { clock, namespace, shards } = openObjects();
  const configured = { env: { KEYS: namespace }, keys: { callers: [] }, ports: { clock } };
  const contextOf = (caller: object, of: object = configured): RequestContext =>
    ({
      caller: { tenant: "acme", flags: ["manage_keys"], ...caller },
      configured: of,
      ports: { clock },
    }) as unknown as RequestContext;
  const exported = (caller: object = {}) => readAll(contextOf(caller));
  return { clock, shards, contextOf, exported };
}

test("T02 the keys of a tenant are exported to who may manage them, none of another tenant's", async () => {
  const { shards, exported } = open();
  await shards.make(keyOf(hashIn(1)));
  await shards.make(keyOf(hashIn(2), { ...ACME, tenant: "acme-2" }));
  expect(await exported()).toMatchObject([{ name: "ci", hashes: [{ hash: hashIn(1), ends_at: null }] }]);
  expect(await exported({ flags: [] })).toBeNull();
});

test("a key's digests are exported while they are good, with the time when that ends, and not after it", async () => {
  const { clock, shards, exported } = open();
  await shards.make(keyOf(hashIn(1)));
  await shards.rotate(rotationOf(hashIn(2), 5_000));
  const newest = { hash: hashIn(2), ends_at: null };
  expect((await exported())![0]!["hashes"]).toEqual([
    { hash: hashIn(1), ends_at: new Date(1_005_000).toISOString() },
    newest,
  ]);
  await clock.advance(5_000);
  expect((await exported())![0]!["hashes"]).toEqual([newest]);
});

trial("as many keys as a tenant has are exported, each once, newest first", async () => {
  for (const count of [500, 501, 1_001]) {
    const names = Array.from({ length: count }, (_, n) => `key-${String(n).padStart(4, "0")}`);
    const { contextOf } = open();
    // The objects answer so many keys without being filled.
    const list = async (_: string, after: { readonly name: string } | null, limit: number) => {
      const from = after === null ? 0 : names.indexOf(after.name) + 1;
      const rows = names
        .slice(from, from + limit)
        .map((name) => keyOf(hashIn(1), { ...ACME, name, createdAt: 1 }));
      return { rows, hasMore: from + limit < names.length };
    };
    const namespace = {
      idFromName: (name: string) => name,
      get: (id: string) => ({ list: id === "keys 0" ? list : async () => ({ rows: [], hasMore: false }) }),
    };
    const { clock } = openObjects();
    const configured = { env: { KEYS: namespace }, keys: { callers: [] }, ports: { clock } };
    const kept = await readAll(contextOf({}, configured));
    expect(kept!.map(({ name }) => name)).toEqual(names);
  }
});

test("a deleted tenant's names are counted and gone, and where no keys are kept there are none", async () => {
  const { clock, shards, contextOf, exported } = open();
  for (const n of [1, 2]) await shards.make(keyOf(hashIn(n), { ...ACME, name: `key-${n}` }));
  expect(await KEYS_OF_TENANT.erase!(contextOf({}))).toBe(2);
  expect(await exported()).toEqual([]);
  const without = { env: {}, keys: { callers: [] }, ports: { clock } };
  expect(await KEYS_OF_TENANT.erase!(contextOf({}, without))).toBe(0);
  expect(await readAll(contextOf({}, without))).toBeNull();
});
