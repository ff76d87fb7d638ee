import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import type { Jurisdiction } from "../../src/core/contract/gate/caller.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import * as KEYS_LIMITS from "../../src/features/keys/limits.ts";
import { readKeys } from "../../src/cloudflare/configuration.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";
import type { KeyShardNamespace } from "../../src/features/keys/objects/key-shards.ts";
import { digestKey, toHash } from "../../src/cloudflare/http/key-ring.ts";
import { MadeKeys } from "../../src/features/keys/http/check-key.ts";
import { readKeyShards } from "../../src/features/keys/http/key-client.ts";
import { systemClock } from "../../src/cloudflare/platform/system-ports.ts";
import { makeKey } from "../../src/features/keys/stored-key.ts";
import { valueOf } from "../support/unwrap.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { ALL_FEATURES } from "../support/all-features.ts";
import { trial } from "../support/trial.ts";

const freshKey = () => makeKey(crypto.getRandomValues(new Uint8Array(32)));
const hashOf = async (key: string) => toHash(await digestKey(key));
const VOLLEY_KEYS = JSON.stringify([
  { name: "manager", tenant: "acme", tools: ["*"], hash: await hashOf("manager"), flags: ["manage_keys"] },
  {
    // The same name of another tenant, whose quota is nothing to keys of this one.
    name: "smaller",
    tenant: "twin",
    tools: ["*"],
    hash: await hashOf("twin"),
    quota: { limit: 99, window_s: 60 },
  },
  {
    name: "smaller",
    tenant: "acme",
    tools: ["*"],
    hash: await hashOf("smaller"),
    flags: ["manage_keys"],
    quota: { limit: 5, window_s: 60 },
  },
  { name: "plain", tenant: "unmanaged", tools: ["*"], hash: await hashOf("plain") },
]);
const { callers } = readKeys({ VOLLEY_KEYS });
const namespace = env.KEYS as unknown as KeyShardNamespace;

/** An isolate's memory of keys, in a time of its own that begins with the real one. */
function openIsolate() {
  const clock = new VirtualClock(Date.now());
  let calls = 0;
  let isDown = false;
  const counted: KeyShardNamespace = {
    idFromName: (name) => namespace.idFromName(name),
    get(id) {
      calls += 1;
      if (!isDown) return namespace.get(id);
      return new Proxy({} as never, { get: () => async () => Promise.reject(new Error("unreachable")) });
    },
  };
  const keys = new MadeKeys(counted, callers, { clock, outside: (work) => clock.outside(work) });
  return {
    keys,
    clock,
    /** Whose a key is, as a request asks it. */
    ask: async (key: string) => {
      const recalled = keys.recall(key);
      if (recalled !== undefined) return recalled;
      // Then no question waits for its turn, and no limit of time runs out.
      await clock.advance(KEYS_LIMITS.keyLookPauseMs);
      const identified = await keys.identify(key);
      return identified.ok ? identified.value : identified.error.code;
    },
    calls: () => calls,
    down: (is: boolean) => (isDown = is),
  };
}

async function keep(name: string, changes: object = {}): Promise<{ key: string; hash: string }> {
  const key = freshKey();
  const hash = await hashOf(key);
  const { shards } = openIsolate().keys;
  valueOf(
    await shards.make({
      tenant: "acme",
      name,
      tools: ["*"],
      quota: { limit: 7, windowS: 60 },
      flags: ["skip_approval"],
      createdAt: Date.now(),
      expiresAt: null,
      rotatedAt: null,
      digests: [{ hash, endsAt: null }],
      ...changes,
    }),
  );
  return { key, hash };
}

describe("An isolate", () => {
  test("asks for a key once in 30 seconds, and has the same caller again as long as nothing changed", async () => {
    const { key } = await keep("steady");
    const { ask, calls, clock } = openIsolate();
    const first = await ask(key);
    expect(first).toMatchObject({
      name: "steady",
      tenant: "acme",
      quota: { limit: 7 },
      flags: ["skip_approval"],
    });
    const asked = calls();
    expect(await ask(key)).toBe(first);
    expect(calls()).toBe(asked);
    await clock.advance(LIMITS.keySeenMs);
    expect(await ask(key)).toBe(first);
    expect(calls()).toBeGreaterThan(asked);
  });

  test("T45 counts a made key on the quotas of the keys above it, as VOLLEY_KEYS has them now", async () => {
    const quota = { limit: 9, windowS: 60 };
    const makers = [
      { name: "made-before", quota },
      { name: "smaller", quota },
    ];
    const { key } = await keep("below", { makers });
    expect(await openIsolate().ask(key)).toMatchObject({
      makers: [
        { name: "made-before", quota },
        { name: "smaller", quota: { limit: 5, windowS: 60 } },
      ],
    });
  });

  trial(
    "T45 counts a key that was kept before keys knew their maker on the manager's with the most requests",
    async () => {
      const { key } = await keep("older");
      expect(await openIsolate().ask(key)).toMatchObject({
        makers: [{ name: "manager", quota: { limit: LIMITS.quota } }],
      });
    },
  );

  trial("knows of a revocation 30 seconds after it last asked, in every isolate", async () => {
    const { key } = await keep("leaving");
    const isolates = [openIsolate(), openIsolate()];
    for (const { ask } of isolates) expect(await ask(key)).toMatchObject({ name: "leaving" });
    await isolates[0]!.keys.shards.revoke({ tenant: "acme", name: "leaving" });
    for (const { ask, clock } of isolates) {
      await clock.advance(LIMITS.keySeenMs);
      expect(await ask(key)).toBeNull();
    }
  });

  trial("refuses a key whose time is over, to the millisecond, whatever it remembers", async () => {
    const expiresAt = Date.now() + 5_000;
    const { key } = await keep("ending", { expiresAt });
    const { ask, keys, clock } = openIsolate();
    expect(await ask(key)).toMatchObject({ endsAtMs: expiresAt });
    clock.jump(expiresAt - 1 - clock.now());
    expect(keys.recall(key)).toMatchObject({ name: "ending" });
    clock.jump(1);
    expect(keys.recall(key)).toBeUndefined();
    expect(await ask(key)).toBeNull();
  });

  test("says that it does not know where an object cannot be reached, never that there is no such key", async () => {
    const { key } = await keep("reachable");
    const { ask, clock, down } = openIsolate();
    down(true);
    expect(await ask(key)).toBe("UNAVAILABLE");
    down(false);
    expect(await ask(key)).toMatchObject({ name: "reachable" });
    down(true);
    // A remembered key goes on, and no longer than it may.
    expect(await ask(key)).toMatchObject({ name: "reachable" });
    await clock.advance(LIMITS.keySeenMs);
    expect(await ask(key)).toBe("UNAVAILABLE");
  });

  test("has a made key's callbacks signed as its maker's, and its tenant's data where the tenant's is", async () => {
    const { key } = await keep("placed", { tenant: "placed", webhookSecret: "PLACED_SECRET" });
    const placed = [{ ...callers[0]!, tenant: "placed", jurisdiction: "eu" as const }];
    const keys = new MadeKeys(namespace, placed, { clock: systemClock, outside: (work) => work });
    expect(await keys.identify(key)).toMatchObject({
      value: { tenant: "placed", webhookSecret: "PLACED_SECRET", jurisdiction: "eu" },
    });
  });

  test.each(["nobody", "unmanaged"])(
    "knows no key of a tenant of which VOLLEY_KEYS has none that could revoke it: %s",
    async (tenant) => {
      const { key } = await keep("orphan", { tenant });
      expect(await openIsolate().ask(key)).toBeNull();
    },
  );
});

test("A request whose key cannot be looked up is 503 with a time to wait; a malformed one asks no object", async () => {
  let asked = 0;
  const broken = {
    idFromName: (name: string) => name,
    get() {
      asked += 1;
      return { find: async () => Promise.reject(new Error("secret of the platform")) };
    },
  };
  const { app } = createVolley({ tools: [], features: ALL_FEATURES });
  const bindings = { VOLLEY_KEYS, TENANT_GATE: env.TENANT_GATE, KEYS: broken };
  const send = (key: string) =>
    app.fetch(
      new Request("https://volley.test/v1/tools", { headers: { authorization: `Bearer ${key}` } }),
      bindings,
      { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext,
    );
  const answer = await send(freshKey());
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  const text = await answer.text();
  expect(text).toContain("UNAVAILABLE");
  expect(text).not.toContain("secret");
  expect(asked).toBe(1);
  for (const key of ["", "sandbox-key", freshKey().replace(/.$/, "z"), `vk_${"x".repeat(43)}`])
    expect((await send(key)).status).toBe(401);
  expect(asked).toBe(1);
});

test("Requests with one key ask for its caller once in a while, also side by side and where it is unknown", async () => {
  let asked = 0;
  const empty = {
    idFromName: (name: string) => name,
    get() {
      asked += 1;
      return { find: async () => [null] };
    },
  };
  const clock = new VirtualClock(0);
  const { app } = createVolley({ tools: [], features: ALL_FEATURES, standIns: { clock } });
  const bindings = { VOLLEY_KEYS, TENANT_GATE: env.TENANT_GATE, KEYS: empty };
  const headers = { authorization: `Bearer ${freshKey()}` };
  const send = () =>
    app.fetch(new Request("https://volley.test/v1/tools", { headers }), bindings, {
      waitUntil() {},
      passThroughOnException() {},
    } as unknown as ExecutionContext);
  const answers = await Promise.all([send(), send()]);
  // From then on the object may be asked again.
  await clock.advance(KEYS_LIMITS.keyLookPauseMs);
  answers.push(await send());
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  expect(asked).toBe(1);
});

test("The objects are where VOLLEY_JURISDICTION says, and nowhere where there is no binding", () => {
  const placed: Jurisdiction[] = [];
  const KEYS = { jurisdiction: (one: Jurisdiction) => (placed.push(one), KEYS) };
  expect(readKeyShards({})).toBeNull();
  expect(readKeyShards({ KEYS: "text" })).toBeNull();
  expect(readKeyShards({ KEYS })).toBe(KEYS);
  expect(readKeyShards({ KEYS, VOLLEY_JURISDICTION: "eu" })).toBe(KEYS);
  expect(placed).toEqual(["eu"]);
  expect(() => readKeyShards({ KEYS: {}, VOLLEY_JURISDICTION: "eu" })).toThrow("VOLLEY_JURISDICTION");
});
