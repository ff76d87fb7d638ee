import { expect, test, vi } from "vitest";

import { digestKey, EMPTY_KEY_DIGEST, KeyRing, parseKeyRing } from "../../src/cloudflare/http/key-ring.ts";

async function hashOf(key: string): Promise<string> {
  return [...(await digestKey(key))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A ring with one key, `secret-key`, and what its entry says besides. */
async function ringWith(entry: object) {
  const hash = await hashOf("secret-key");
  return parseKeyRing(JSON.stringify([{ name: "agent", hash, tenant: "acme", tools: ["*"], ...entry }]));
}

test("parseKeyRing() takes the name of the secret that signs a key's callbacks", async () => {
  const named = await ringWith({ webhook_secret: "ACME_WEBHOOK_SECRET" });
  expect(await named.identify("secret-key")).toMatchObject({ webhookSecret: "ACME_WEBHOOK_SECRET" });
  expect(await (await ringWith({})).identify("secret-key")).not.toHaveProperty("webhookSecret");
});

test("parseKeyRing() takes a key's name for its tenant unless another is said", async () => {
  expect(await (await ringWith({})).identify("secret-key")).toMatchObject({ tenant: "acme" });
  expect(await (await ringWith({ tenant: undefined })).identify("secret-key")).toMatchObject({
    tenant: "agent",
  });
});

test("parseKeyRing() refuses a secret where its variable's name belongs, without repeating it", async () => {
  const ring = ringWith({ webhook_secret: "whsec_c2VjcmV0" });
  await expect(ring).rejects.toThrow("webhook_secret");
  await expect(ring).rejects.not.toThrow("c2VjcmV0");
});

/** The configuration of keys of one tenant, one for each jurisdiction. */
const keysIn = (...jurisdictions: (string | undefined)[]): string =>
  JSON.stringify(
    jurisdictions.map((jurisdiction, at) => ({
      name: `key-${at}`,
      hash: String(at).repeat(64),
      tenant: "acme",
      tools: ["*"],
      jurisdiction,
    })),
  );

test.each([
  [keysIn("eu", "us"), undefined, "'eu' for 'key-0' and 'us' for 'key-1'"],
  [keysIn("eu", undefined), undefined, "'eu' for 'key-0' and 'none' for 'key-1'"],
  [keysIn(undefined, "us"), "eu", "'eu' for 'key-0' and 'us' for 'key-1'"],
  [keysIn("eu", "eu", undefined), "us", "'eu' for 'key-0' and 'us' for 'key-2'"],
] as const)("parseKeyRing() refuses keys that would split a tenant: %s", (keys, everywhere, which) => {
  expect(() => parseKeyRing(keys, { everywhere })).toThrow(
    `Cannot read VOLLEY_KEYS: the keys of tenant 'acme' must have one jurisdiction, received ${which}`,
  );
});

test.each([
  [keysIn("eu", undefined), "eu", ["eu"]],
  [keysIn("us", "us"), "eu", ["us"]],
  [keysIn(undefined, undefined), "us", ["us"]],
  [keysIn(undefined, undefined), undefined, []],
] as const)("parseKeyRing() takes %s where everything else is in %s", (keys, everywhere, jurisdictions) => {
  expect([
    ...new Set(parseKeyRing(keys, { everywhere }).callers.flatMap(({ jurisdiction }) => jurisdiction ?? [])),
  ]).toEqual(jurisdictions);
});

test.each(["mars", "EU", "", null, 1])(
  "parseKeyRing() refuses %j for a jurisdiction",
  async (jurisdiction) => {
    await expect(ringWith({ jurisdiction })).rejects.toThrow(/VOLLEY_KEYS[^]*jurisdiction/);
  },
);

test("T35 parseKeyRing() refuses two entries of one name and tenant, said or not", async () => {
  const [first, second] = [await hashOf("first"), await hashOf("second")];
  const parse = (...entries: object[]) =>
    parseKeyRing(
      JSON.stringify(
        entries.map((entry, at) => ({ hash: at === 0 ? first : second, tools: ["*"], ...entry })),
      ),
    );
  for (const [one, other] of [
    [
      { name: "ci", tenant: "acme" },
      { name: "ci", tenant: "acme" },
    ],
    [{ name: "ci" }, { name: "ci", tenant: "ci" }],
  ] as const)
    expect(() => parse(one, other)).toThrow(
      /VOLLEY_KEYS: entry 1 \('ci'\) has the name of entry 0, .*'(acme|ci)'/,
    );
  expect(() => parse({ name: "ci", tenant: "acme" }, { name: "ci", tenant: "other" })).not.toThrow();
  expect(() => parse({ name: "a.b", tenant: "c" }, { name: "b", tenant: "c.a" })).not.toThrow();
});

test("T35 parseKeyRing() refuses one key under two names, without showing its hash", async () => {
  const hash = await hashOf("shared");
  const text = JSON.stringify([
    { name: "a", tenant: "acme", hash, tools: ["*"] },
    { name: "b", tenant: "other", hash, tools: ["email"] },
  ]);
  expect(() => parseKeyRing(text)).toThrow("VOLLEY_KEYS: entry 1 ('b') has the hash of entry 0 ('a')");
  expect(() => parseKeyRing(text)).not.toThrow(hash);
});

test("parseKeyRing() refuses the hash of an empty key, which a request without a key would have", async () => {
  expect(btoa(String.fromCharCode(...(await digestKey(""))))).toBe(EMPTY_KEY_DIGEST);
  await expect(ringWith({ hash: await hashOf("") })).rejects.toThrow(
    "VOLLEY_KEYS: entry 0 ('agent') has the hash of an empty key",
  );
});

test.each([
  ["an unknown field", { tool: ["*"] }, "tool"],
  ["a field that reaches a prototype", JSON.parse('{"__proto__":{}}') as object, "__proto__"],
  ["an empty name", { name: "" }, "name"],
  ["a name that is a number", { name: 7 }, "name"],
  ["an empty tenant", { tenant: "" }, "tenant"],
  ["tools that are no list", { tools: "*" }, "tools"],
  ["a tool without a name", { tools: [""] }, "tools"],
  ["a hash that is a key", { hash: "vk_secret" }, "hash"],
  ["a hash in capitals", { hash: "AB".repeat(32) }, "hash"],
  ["a limit of none", { quota: { limit: 0, window_s: 60 } }, "limit"],
  ["a limit as text", { quota: { limit: "60", window_s: 60 } }, "limit"],
  ["half a quota", { quota: { limit: 60 } }, "window_s"],
  ["an unknown flag", { flags: ["admin"] }, "flags"],
])("parseKeyRing() refuses %s, and names the field", async (_, entry, field) => {
  const parsed = ringWith(entry);
  await expect(parsed).rejects.toThrow(/^Cannot read VOLLEY_KEYS: /);
  await expect(parsed).rejects.toThrow(field);
  await expect(parsed).rejects.not.toThrow(/vk_secret|ABAB/);
});

test.each(["manage_tools", "manage_keys", "manage_endpoints", "operator"])(
  "T58 parseKeyRing() refuses a key that acts for one subject and has the flag %s, and names the key",
  async (flag) => {
    await expect(ringWith({ subject: "ada", flags: ["approve", flag] })).rejects.toThrow(
      `Cannot read VOLLEY_KEYS: entry 0 ('agent') acts for the subject 'ada', so its flags may be ` +
        `skip_approval, approve, manage_connections and not '${flag}'`,
    );
    await expect(ringWith({ flags: [flag] })).resolves.toBeDefined();
  },
);

test("parseKeyRing() takes a key that acts for one subject, decides its questions and connects its accounts", async () => {
  const flags = ["skip_approval", "approve", "manage_connections"];
  const { callers } = await ringWith({ subject: "ada", flags });
  expect(callers).toMatchObject([
    { subject: "ada", flags: ["approve", "skip_approval", "manage_connections"] },
  ]);
});

test("T01 a key that is wrong, nearly right or was taken out costs one digest, and all of each that is configured is read", async () => {
  const reads = new Map<string, number>();
  const watched = async (name: string) => {
    const digest = new Proxy(await digestKey(name), {
      get(bytes, at) {
        if (typeof at === "string" && /^\d+$/.test(at)) reads.set(name, (reads.get(name) ?? 0) + 1);
        return Reflect.get(bytes, at, bytes) as unknown;
      },
    });
    const [caller] = (await ringWith({})).callers;
    return { digest, caller: { ...caller!, name } };
  };
  const ring = new KeyRing([await watched("first-key"), await watched("second-key")]);
  const sign = vi.spyOn(crypto.subtle, "sign");
  for (const wrong of ["", "x", "first-kez", "first-key ", "taken-out-key", "x".repeat(8_000)]) {
    reads.clear();
    sign.mockClear();
    expect(await ring.identify(wrong)).toBeNull();
    // An early end would tell how much of a guess was right.
    expect(Object.fromEntries(reads)).toEqual({ "first-key": 32, "second-key": 32 });
    expect(sign).toHaveBeenCalledTimes(1);
  }
  expect(await ring.identify("first-key")).toMatchObject({ name: "first-key" });
  expect(Object.fromEntries(reads)).toEqual({ "first-key": 64, "second-key": 64 });
  sign.mockRestore();
});
