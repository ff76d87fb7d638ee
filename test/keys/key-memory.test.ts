import { describe, expect, test } from "vitest";

import { LIMITS } from "../../src/contract/limits.ts";
import { KeyMemory } from "../../src/keys/key-memory.ts";

const NEVER = Number.POSITIVE_INFINITY;

describe("KeyMemory", () => {
  test("believes a key for 30 seconds after it was asked for, so a revocation is known within that time", () => {
    const memory = new KeyMemory<string>();
    memory.remember("key", { hash: "h", value: "caller", askedAtMs: 1_000, endsAtMs: NEVER });
    expect(memory.recall("key", 1_000 + 29_999)).toBe("caller");
    expect(memory.recall("key", 1_000 + 30_000)).toBeUndefined();
    expect(LIMITS.keySeenMs).toBe(30_000);
  });

  test("never believes a key beyond its own end", () => {
    const memory = new KeyMemory<string>();
    memory.remember("key", { hash: "h", value: "caller", askedAtMs: 1_000, endsAtMs: 1_500 });
    expect([memory.recall("key", 1_499), memory.recall("key", 1_500)]).toEqual(["caller", undefined]);
  });

  test("believes for less that a key is nobody's", () => {
    const memory = new KeyMemory<string>();
    memory.remember("key", { hash: "h", value: null, askedAtMs: 0, endsAtMs: NEVER });
    expect([memory.recall("key", 0), memory.recall("key", LIMITS.keyUnknownMs - 1)]).toEqual([null, null]);
    expect(memory.recall("key", LIMITS.keyUnknownMs)).toBeUndefined();
  });

  test("holds so many keys at most, and no number of unknown ones pushes a good one out", () => {
    const memory = new KeyMemory<string>();
    const most = LIMITS.keysRemembered;
    for (let at = 0; at <= most; at += 1)
      memory.remember(`good ${at}`, { hash: `${at}`, value: "caller", askedAtMs: 0, endsAtMs: NEVER });
    expect([memory.recall("good 0", 1), memory.recall("good 1", 1)]).toEqual([undefined, "caller"]);
    for (let at = 0; at <= most; at += 1)
      memory.remember(`bad ${at}`, { hash: `x${at}`, value: null, askedAtMs: 0, endsAtMs: NEVER });
    expect([memory.recall("bad 0", 1), memory.recall("bad 1", 1)]).toEqual([undefined, null]);
    expect(memory.recall(`good ${most}`, 1)).toBe("caller");
  });

  test("forgets by digest what was changed here, good or unknown", () => {
    const memory = new KeyMemory<string>();
    memory.remember("a", { hash: "1", value: "caller", askedAtMs: 0, endsAtMs: NEVER });
    memory.remember("b", { hash: "2", value: null, askedAtMs: 0, endsAtMs: NEVER });
    memory.remember("c", { hash: "3", value: "other", askedAtMs: 0, endsAtMs: NEVER });
    memory.forget(["1", "2"]);
    expect(["a", "b", "c"].map((key) => memory.recall(key, 1))).toEqual([undefined, undefined, "other"]);
  });
});
