import { describe, expect, test } from "vitest";

import type { Caller } from "../../../../src/core/contract/gate/caller.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import * as KEYS_LIMITS from "../../../../src/features/keys/limits.ts";
import { digestKey, toHash } from "../../../../src/cloudflare/http/key-ring.ts";
import { type KeptKey, makeKey, shardOfHash } from "../../../../src/features/keys/stored-key.ts";
import { MadeKeys } from "../../../../src/features/keys/http/check-key.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";
import { ACME, home, keyOf, openObjects, rotationOf } from "../objects/kept-objects.ts";

const TEXTS = Array.from({ length: 40 }, (_, n) => makeKey(new Uint8Array(32).fill(n + 1)));
const HASHES = await Promise.all(TEXTS.map(async (text) => toHash(await digestKey(text))));
const [KEY, NEXT] = TEXTS as [string, string];
const [HASH, NEXT_HASH] = HASHES as [string, string];

const callerOf = (name: string, more: Partial<Caller> = {}): Caller => ({
  name,
  tenant: "acme",
  tools: ["*"],
  quota: { limit: 10, windowS: 60 },
  flags: [],
  ...more,
});
const MANAGER = callerOf("manager", { flags: ["manage_keys"] });

/** An isolate that knows no key yet, and the objects that it asks. */
function open(callers: readonly Caller[] = [MANAGER]) {
  const objects = openObjects();
  let asked = 0;
  let isDown = false;
  const { namespace } = objects;
  const counted = {
    ...namespace,
    idFromName: (name: string) => namespace.idFromName(name),
    get: (id: object) => {
      asked += 1;
      if (isDown) return new Proxy({}, { get: () => () => Promise.reject(new Error("down")) }) as never;
      return namespace.get(id);
    },
  };
  const made = new MadeKeys(counted, callers, { clock: objects.clock, outside: (work) => work });
  /** Ask when no question waits for its turn. */
  const identified = async (key = KEY) => {
    await objects.clock.advance(KEYS_LIMITS.keyLookPauseMs);
    return made.identify(key);
  };
  const foundBy = async (hash: string) => {
    await objects.clock.advance(KEYS_LIMITS.keyLookPauseMs);
    return made.ofHash(hash);
  };
  const identify = async (key = KEY) => valueOf(await identified(key));
  return {
    ...objects,
    made,
    identified,
    foundBy,
    identify,
    asked: () => asked,
    breakDown: () => void (isDown = true),
  };
}

describe("A made key", () => {
  test("is its record's caller, who has what the record says and nothing that it does not", async () => {
    const { shards, identify } = open();
    await shards.make(keyOf(HASH, { tools: ["email"], flags: ["approve"] }));
    expect(await identify()).toEqual({
      name: "ci",
      tenant: "acme",
      tools: ["email"],
      quota: { limit: 120, windowS: 60 },
      makers: [{ name: "manager", quota: MANAGER.quota }],
      flags: ["approve"],
    });
    expect(await identify(NEXT)).toBeNull();
  });

  test("T02 acts for the subject of its record, signs with its maker's secret, and stays where its tenant is kept", async () => {
    const { shards, identify } = open([{ ...MANAGER, jurisdiction: "eu" }]);
    await shards.make(keyOf(HASH, { subject: "ada", webhookSecret: "OWN_SECRET" }));
    expect(await identify()).toMatchObject({
      subject: "ada",
      webhookSecret: "OWN_SECRET",
      jurisdiction: "eu",
    });
  });

  test("T01 is none where VOLLEY_KEYS has no key any more that may revoke it", async () => {
    for (const callers of [
      [],
      [callerOf("plain")],
      [callerOf("manager", { tenant: "acme-2", flags: ["manage_keys"] })],
    ]) {
      const { shards, identify } = open(callers);
      await shards.make(keyOf(HASH));
      expect(await identify()).toBeNull();
    }
  });

  test("T45 counts on the keys above it, as VOLLEY_KEYS has them now, and on those that are made as they were", async () => {
    const makers = [
      { name: "plain", quota: { limit: 1, windowS: 1 } },
      { name: "made", quota: { limit: 7, windowS: 7 } },
    ];
    const { shards, identify } = open([
      MANAGER,
      callerOf("plain", { tenant: "acme-2", quota: { limit: 99, windowS: 1 } }),
      callerOf("plain", { quota: { limit: 3, windowS: 60 } }),
    ]);
    await shards.make(keyOf(HASH, { makers }));
    expect((await identify())!.makers).toEqual([
      { name: "plain", quota: { limit: 3, windowS: 60 } },
      { name: "made", quota: { limit: 7, windowS: 7 } },
    ]);
  });

  test("T45 of an older version counts on the manager with the most requests", async () => {
    const rich = callerOf("rich", { flags: ["manage_keys"], quota: { limit: 11, windowS: 60 } });
    const richest = callerOf("richest", { quota: { limit: 99, windowS: 60 } });
    const { shards, identify } = open([MANAGER, rich, richest]);
    await shards.make(keyOf(HASH));
    expect((await identify())!.makers).toEqual([{ name: "rich", quota: rich.quota }]);
  });

  test("T01 ends at its own millisecond, and says when that is", async () => {
    for (const [waitMs, isGood] of [
      [899, true],
      [900, false],
    ] as const) {
      const { clock, shards, identify } = open();
      await shards.make(keyOf(HASH, { expiresAt: 1_001_000 }));
      await clock.advance(waitMs);
      expect(await identify()).toEqual(isGood ? expect.objectContaining({ endsAtMs: 1_001_000 }) : null);
    }
  });

  test("is looked for where its digest is, and then where its name is kept", async () => {
    const at = HASHES.findIndex((hash) => shardOfHash(hash) === home());
    const [there, here] = [HASHES.findIndex((hash) => shardOfHash(hash) !== home()), at];
    for (const [which, times] of [
      [there, 2],
      [here, 1],
    ] as const) {
      const { shards, identify, asked } = open();
      await shards.make(keyOf(HASHES[which]!));
      expect(await identify(TEXTS[which])).toMatchObject({ name: "ci" });
      expect(asked()).toBe(times);
    }
    // A name that has expired where it is kept leads back to the same object.
    const { clock, shards, identify, asked } = open();
    await shards.make(keyOf(HASHES[here]!, { expiresAt: 1_000_001 }));
    await clock.advance(1);
    expect(await identify(TEXTS[here])).toBeNull();
    expect(asked()).toBe(1);
  });
});

describe("An isolate", () => {
  test("asks for a key once in a while, for one that there is not too, and has the same caller while nothing changed", async () => {
    const { clock, shards, made, identify, asked } = open();
    expect(made.recall(KEY)).toBeUndefined();
    expect(await identify()).toBeNull();
    expect(made.recall(KEY)).toBeNull();
    await shards.make(keyOf(HASH));
    expect(made.recall(KEY)).toBeNull();
    await clock.advance(LIMITS.keySeenMs);
    const first = await identify();
    expect(made.recall(KEY)).toBe(first);
    const before = asked();
    await clock.advance(LIMITS.keySeenMs);
    expect(await identify()).toBe(first);
    expect(asked()).toBeGreaterThan(before);
    await shards.rotate(rotationOf(NEXT_HASH, 90_000_000));
    await clock.advance(LIMITS.keySeenMs);
    expect(await identify()).not.toBe(first);
    expect(await identify()).toMatchObject({ endsAtMs: expect.any(Number) });
  });

  test("T01 forgets at once what was revoked in it", async () => {
    const { shards, made, identify } = open();
    await shards.make(keyOf(HASH));
    await identify();
    made.forget((await shards.revoke(ACME))!);
    expect(made.recall(KEY)).toBeUndefined();
    expect(await identify()).toBeNull();
  });

  test("finds a caller by the digest of its key, as it is kept now", async () => {
    const { clock, shards, foundBy } = open();
    await shards.make(keyOf(HASH, { expiresAt: 1_001_000 } satisfies Partial<KeptKey>));
    expect(valueOf(await foundBy(HASH))).toMatchObject({ name: "ci", endsAtMs: 1_001_000 });
    expect(valueOf(await foundBy(NEXT_HASH))).toBeNull();
    await clock.advance(1_000);
    expect(valueOf(await foundBy(HASH))).toBeNull();
  });

  test("says that it does not know where no object answers, by the key and by its digest", async () => {
    const { made, identified, foundBy, breakDown } = open();
    breakDown();
    for (const ask of [() => identified(), () => foundBy(HASH)])
      expect(errorOf(await ask())).toMatchObject({ code: "UNAVAILABLE", retryAfterMs: 1_000 });
    expect(made.recall(KEY)).toBeUndefined();
  });
});
