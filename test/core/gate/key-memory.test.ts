import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { KeyMemory } from "../../../src/core/gate/key-memory.ts";

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

  test("believes for less that a key is unknown", () => {
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

  test("has what was last known of a key, however long ago, until something else is known of it", () => {
    const memory = new KeyMemory<string>();
    const found = { hash: "h", askedAtMs: 0, endsAtMs: NEVER };
    expect(memory.lastOf("key")).toBeUndefined();
    memory.remember("key", { ...found, value: "caller" });
    expect([memory.recall("key", 90_000), memory.lastOf("key")]).toEqual([undefined, "caller"]);
    memory.remember("key", { ...found, value: null, askedAtMs: 90_000 });
    expect([memory.recall("key", 90_000), memory.lastOf("key")]).toEqual([null, undefined]);
    memory.remember("key", { ...found, value: "again", askedAtMs: 90_001 });
    expect(memory.recall("key", 90_001)).toBe("again");
  });

  test("believes anew what it is told again, and lets go first of what it was told longest ago", () => {
    const memory = new KeyMemory<string>();
    const tell = (key: string) =>
      memory.remember(key, { hash: key, value: "caller", askedAtMs: 0, endsAtMs: NEVER });
    for (let at = 0; at < LIMITS.keysRemembered; at += 1) tell(`key ${at}`);
    tell("key 0");
    tell("one more");
    expect([memory.recall("key 0", 1), memory.recall("key 1", 1)]).toEqual(["caller", undefined]);
  });
});
