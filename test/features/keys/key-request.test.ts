import { describe, expect, test } from "vitest";

import type { KeptKey } from "../../../src/features/keys/stored-key.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import * as KEYS_LIMITS from "../../../src/features/keys/limits.ts";
import {
  keyRequestSchema,
  type KeyMaker,
  makeKeptKey,
  makeRotation,
} from "../../../src/features/keys/key-request.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";
import { SHIPPED_FLAGS } from "../../../src/shipped.ts";

const KEY_FLAGS = Object.keys(SHIPPED_FLAGS);
const DECLARED = { flags: KEY_FLAGS };

const MAKER: KeyMaker = {
  caller: {
    name: "maker",
    tenant: "acme",
    tools: ["*"],
    quota: { limit: 5, windowS: 60 },
    flags: ["manage_keys"],
  },
  mayGrant: () => true,
  nowMs: 1_000_000,
};

const make = (limit: number, window_s: number) => {
  const asked = keyRequestSchema(DECLARED).parse({ name: "made", tools: ["*"], quota: { limit, window_s } });
  return makeKeptKey(asked, "0".repeat(64), MAKER);
};

test("a made key may not burst beyond its maker, however long its window is", () => {
  expect(make(7_200, 86_400)).toMatchObject({ error: { code: "FORBIDDEN" } });
  expect(make(6, 86_400)).toMatchObject({ error: { code: "FORBIDDEN" } });
  expect(make(6, 60)).toMatchObject({ error: { code: "FORBIDDEN" } });
  expect(make(5, 86_400)).toMatchObject({ value: { quota: { limit: 5, windowS: 86_400 } } });
});

test("T45 a made key knows the keys above it, and below four there is no more", () => {
  const asked = keyRequestSchema(DECLARED).parse({
    name: "made",
    tools: ["*"],
    quota: { limit: 3, window_s: 60 },
  });
  const above = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `above-${n}`, quota: { limit: 9, windowS: 60 } }));
  const by = (count: number) =>
    makeKeptKey(asked, "0".repeat(64), { ...MAKER, caller: { ...MAKER.caller, makers: above(count) } });
  expect(makeKeptKey(asked, "0".repeat(64), MAKER)).toMatchObject({
    value: { makers: [{ name: "maker", quota: { limit: 5, windowS: 60 } }] },
  });
  expect(by(3)).toMatchObject({ value: { makers: [{ name: "maker" }, ...above(3)] } });
  expect(by(4)).toMatchObject({ error: { code: "FORBIDDEN" } });
});

test("a made key's callbacks are signed with what signs its maker's", () => {
  const asked = keyRequestSchema(DECLARED).parse({ name: "made", tools: ["*"] });
  const maker = { ...MAKER, caller: { ...MAKER.caller, webhookSecret: "OWN_SECRET" } };
  expect(makeKeptKey(asked, "0".repeat(64), maker)).toMatchObject({ value: { webhookSecret: "OWN_SECRET" } });
});

const HASH = "0".repeat(64);
const NOW = MAKER.nowMs;
const at = (ms: number): string => new Date(ms).toISOString();
const parse = (fields: object) => keyRequestSchema(DECLARED).parse({ name: "made", tools: ["*"], ...fields });
type MakerChanges = Omit<Partial<KeyMaker>, "caller"> & { caller?: Partial<KeyMaker["caller"]> };
const makeBy = (fields: object, { caller, ...maker }: MakerChanges = {}) =>
  makeKeptKey(parse(fields), HASH, { ...MAKER, ...maker, caller: { ...MAKER.caller, ...caller } });

describe("POST /v1/keys", () => {
  test.each([
    ["a hash that is longer", { hash: `${HASH}0` }],
    ["a hash that is shorter", { hash: "0" }],
    ["a hash in capitals", { hash: "A".repeat(64) }],
    ["a hash after something else", { hash: `x${HASH}` }],
    ["no tool", { tools: [] }],
    ["a tool without a name", { tools: [""] }],
    ["a tool with too long a name", { tools: ["x".repeat(65)] }],
    ["too many tools", { tools: Array(KEYS_LIMITS.keyTools + 1).fill("a") }],
    ["a flag that there is not", { flags: ["root"] }],
    ["an overlap that is too long", { overlap_s: KEYS_LIMITS.keyOverlapS + 1 }],
    ["an overlap below none", { overlap_s: -1 }],
    ["a quota of nothing", { quota: { limit: 0, window_s: 60 } }],
    ["a window of nothing", { quota: { limit: 1, window_s: 0 } }],
    ["a window of more than a day", { quota: { limit: 1, window_s: 86_401 } }],
    ["a field that there is not", { rights: ["*"] }],
  ])("refuses %s", (_, fields) => {
    expect(keyRequestSchema(DECLARED).safeParse({ name: "made", tools: ["*"], ...fields }).success).toBe(
      false,
    );
  });

  test("takes every field at its bounds", () => {
    const fields = {
      name: "made",
      tenant: "acme",
      tools: ["x".repeat(64), "a"],
      quota: { limit: 1, window_s: 86_400 },
      flags: ["approve"],
      hash: "0123456789abcdef".repeat(4),
      overlap_s: KEYS_LIMITS.keyOverlapS,
    };
    expect(keyRequestSchema(DECLARED).parse(fields)).toEqual(fields);
    expect(keyRequestSchema(DECLARED).parse({ name: "made", overlap_s: 0 })).toEqual({
      name: "made",
      overlap_s: 0,
    });
  });
});

describe("makeKeptKey()", () => {
  test("keeps what was asked for, each tool once, and no flag that was not", () => {
    const caller = { flags: ["approve", "skip_approval"] };
    const asked = { tools: ["a", "b", "a"], flags: ["approve"], expires_at: at(NOW + 5_000) };
    expect(valueOf(makeBy(asked, { caller }))).toEqual({
      tenant: "acme",
      name: "made",
      makers: [{ name: "maker", quota: { limit: 5, windowS: 60 } }],
      tools: ["a", "b"],
      quota: { limit: 5, windowS: 60 },
      flags: ["approve"],
      createdAt: NOW,
      expiresAt: NOW + 5_000,
      rotatedAt: null,
      digests: [{ hash: HASH, endsAt: null }],
    });
  });

  test("gives the usual quota where none was asked for, or its maker's where that is less", () => {
    const usual = { limit: LIMITS.quota, windowS: LIMITS.quotaWindowS };
    const rich = { quota: { limit: LIMITS.quota, windowS: LIMITS.quotaWindowS } };
    expect(valueOf(makeBy({}, { caller: rich })).quota).toEqual(usual);
    expect(valueOf(makeBy({})).quota).toEqual({ limit: 5, windowS: 60 });
    const slow = { quota: { limit: LIMITS.quota, windowS: LIMITS.quotaWindowS + 1 } };
    expect(valueOf(makeBy({}, { caller: slow })).quota).toEqual(slow.quota);
  });

  test.each([
    [{ quota: { limit: 5, window_s: 59 } }, "FORBIDDEN", "/quota", "5 in 59 s"],
    [{ tenant: "other" }, "FORBIDDEN", "/tenant", "'other'"],
    [{ flags: ["manage_keys", "approve"] }, "FORBIDDEN", "/flags/1", "'approve'"],
    [{ flags: ["operator"] }, "FORBIDDEN", "/flags/0", "'operator'"],
    [{ flags: ["approve"] }, "FORBIDDEN", "/flags/0", "'approve'"],
    [{ tools: undefined }, "INVALID_REQUEST", "/tools", "nothing"],
    [{ expires_at: "tomorrow" }, "INVALID_REQUEST", "/expires_at", "'tomorrow'"],
    [{ expires_at: at(NOW) }, "INVALID_REQUEST", "/expires_at", `'${at(NOW)}'`],
  ])("refuses %o", (fields, code, path, received) => {
    expect(errorOf(makeBy(fields))).toMatchObject({ code, issue: { path, received } });
  });

  test("takes its own tenant by name, and a time that is just to come", () => {
    expect(valueOf(makeBy({ tenant: "acme", expires_at: at(NOW + 1) }))).toMatchObject({
      tenant: "acme",
      expiresAt: NOW + 1,
    });
  });

  test("refuses the first tool that its maker may not call", () => {
    const mayGrant = (grant: string): boolean => grant === "mine";
    const refused = makeBy({ tools: ["mine", "theirs"] }, { mayGrant });
    expect(errorOf(refused)).toMatchObject({
      code: "FORBIDDEN",
      issue: { path: "/tools/1", received: "'theirs'" },
    });
    expect(makeBy({ tools: ["theirs"] }, { mayGrant }).ok).toBe(false);
    expect(makeBy({ tools: ["mine"] }, { mayGrant }).ok).toBe(true);
  });

  test("by a key that ends makes none that lives longer, and none without an end", () => {
    const caller = { endsAtMs: NOW + 1_000 };
    expect(valueOf(makeBy({ expires_at: at(NOW + 1_000) }, { caller })).expiresAt).toBe(NOW + 1_000);
    for (const fields of [{ expires_at: at(NOW + 1_001) }, {}])
      expect(errorOf(makeBy(fields, { caller }))).toMatchObject({
        code: "FORBIDDEN",
        issue: { path: "/expires_at", received: fields.expires_at ?? "nothing" },
      });
  });
});

describe("A key that acts for one subject", () => {
  test.each(KEY_FLAGS)(
    "T58 is made with %s only where that reaches nothing but the subject's own, by a key that has it",
    (flag) => {
      const all = { caller: { flags: KEY_FLAGS } };
      expect(makeBy({ flags: [flag] }, all)).toMatchObject({ ok: true });
      const made = makeBy({ subject: "ada", flags: ["approve", flag] }, all);
      if (["skip_approval", "approve", "manage_connections"].includes(flag))
        expect(valueOf(made).flags).toContain(flag);
      else
        expect(errorOf(made)).toMatchObject({
          code: "INVALID_REQUEST",
          issue: {
            path: "/flags/1",
            expected: "skip_approval, approve, manage_connections",
            received: `'${flag}'`,
          },
        });
    },
  );

  test("is made by a key that acts for anybody, for whom it is asked, and names nobody unless it is", () => {
    expect(valueOf(makeBy({ subject: "ada" })).subject).toBe("ada");
    expect(valueOf(makeBy({}))).not.toHaveProperty("subject");
  });
});

describe("makeRotation()", () => {
  const keptKey = (): KeptKey => valueOf(makeBy({ tools: ["a"] }));
  const rotate = (
    fields: object,
    { known = {}, caller, ...maker }: MakerChanges & { known?: Partial<KeptKey> } = {},
  ) =>
    makeRotation({ name: "made", overlap_s: 90, ...fields }, { ...keptKey(), ...known }, HASH, {
      ...MAKER,
      ...maker,
      caller: { ...MAKER.caller, ...caller },
    });

  test("names what was seen, and how long the keys before it go on", () => {
    const seen = { tools: ["a"], quota: { limit: 5, windowS: 60 }, flags: [] };
    const rotation = { tenant: "acme", name: "made", hash: HASH, overlapMs: 90_000, seen };
    expect(valueOf(rotate({}))).toEqual(rotation);
    expect(valueOf(rotate({ expires_at: at(NOW + 7) }))).toEqual({ ...rotation, expiresAt: NOW + 7 });
    expect(valueOf(rotate({}, { known: { expiresAt: NOW + 9 } }))).toEqual({
      ...rotation,
      expiresAt: NOW + 9,
    });
  });

  test.each(["tools", "quota", "flags", "subject"])("leaves %s as they are", (field) => {
    expect(errorOf(rotate({ [field]: [] }))).toMatchObject({
      code: "INVALID_REQUEST",
      issue: { path: `/${field}` },
    });
  });

  test("refuses a name that may more than the key that asks: by a tool, a flag, or its quota", () => {
    const mayGrant = (grant: string): boolean => grant !== "a";
    expect(errorOf(rotate({}, { mayGrant })).code).toBe("FORBIDDEN");
    expect(errorOf(rotate({}, { known: { flags: ["approve"] } })).code).toBe("FORBIDDEN");
    const quota = { limit: 6, windowS: 60 };
    expect(errorOf(rotate({}, { known: { quota } }))).toMatchObject({
      code: "FORBIDDEN",
      issue: { path: "/quota", received: "6 in 60 s" },
    });
    expect(rotate({}, { known: { quota }, caller: { quota } }).ok).toBe(true);
  });

  test("refuses another tenant, a time that is over, and a life that is longer than that of the key that asks", () => {
    expect(errorOf(rotate({ tenant: "other" })).code).toBe("FORBIDDEN");
    expect(errorOf(rotate({ expires_at: at(NOW - 1) })).code).toBe("INVALID_REQUEST");
    const caller = { endsAtMs: NOW + 1_000 };
    expect(errorOf(rotate({}, { caller })).code).toBe("FORBIDDEN");
    expect(rotate({}, { caller, known: { expiresAt: NOW + 1_000 } }).ok).toBe(true);
  });
});
