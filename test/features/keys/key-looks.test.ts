import { describe, expect, test } from "vitest";

import type { FoundKey } from "../../../src/features/keys/stored-key.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import * as KEYS_LIMITS from "../../../src/features/keys/limits.ts";
import { type KeyLook, KeyLooks } from "../../../src/features/keys/key-cache.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

const OWNER = { tenant: "acme", name: "ci" };
const elsewhere: FoundKey = { kind: "elsewhere", owner: OWNER };

/** Objects that know digests which begin with `good`, and answer after so long; null: never. */
function setUp(answerMs: number | null = 20) {
  const clock = new VirtualClock(1_000_000);
  const calls: { at: number; shard: number; hashes: readonly string[] }[] = [];
  let fails = false;
  const looks = new KeyLooks({
    clock,
    async find(shard, hashes) {
      calls.push({ at: clock.now(), shard, hashes });
      if (answerMs === null) return new Promise(() => {});
      await clock.sleep(answerMs);
      if (fails) throw new Error("the object is gone");
      return hashes.map((hash) => (hash.startsWith("good") ? elsewhere : null));
    },
  });
  return { clock, calls, looks, fail: (does: boolean) => (fails = does) };
}

describe("KeyLooks", () => {
  test("looks a key up at once, and says since when the answer is known", async () => {
    const { clock, looks, calls } = setUp();
    const asked = clock.now();
    expect(await clock.runUntil(looks.look(3, "good"))).toEqual({ found: elsewhere, askedAtMs: asked });
    expect(await clock.runUntil(looks.look(4, "bad"))).toMatchObject({ found: null });
    expect(calls.map(({ shard }) => shard)).toEqual([3, 4]);
  });

  test("asks once for one key, however many wait for it", async () => {
    const { clock, looks, calls } = setUp();
    const all = Promise.all(Array.from({ length: 1_000 }, () => looks.look(0, "good")));
    const answers = await clock.runUntil(all);
    expect(new Set(answers.map(({ found }) => found))).toEqual(new Set([elsewhere]));
    expect(calls).toHaveLength(1);
  });

  trial(
    "asks an object ten times a second at most, whatever flood of unknown keys comes, and finds good ones in it",
    async () => {
      const { clock, looks, calls } = setUp();
      const good: Promise<KeyLook>[] = [];
      const bad: Promise<KeyLook>[] = [];
      for (let ms = 0; ms < 1_000; ms += 1) {
        for (let at = 0; at < 10; at += 1) bad.push(looks.look(0, `bad ${ms} ${at}`));
        if (ms % 50 === 0) good.push(looks.look(0, `good ${ms}`));
        await clock.advance(1);
      }
      await clock.advance(1_000);
      const answers = await clock.runUntil(Promise.all([...good, ...bad]));
      expect(answers.filter(({ found }) => found !== null)).toHaveLength(good.length);
      for (let at = 1; at < calls.length; at += 1)
        expect(calls[at]!.at - calls[at - 1]!.at).toBeGreaterThanOrEqual(KEYS_LIMITS.keyLookPauseMs);
      expect(calls.length).toBeLessThanOrEqual(11);
    },
  );

  trial(
    "holds so many in one call, says that it cannot look for more, and has room again afterwards",
    async () => {
      const { clock, looks, calls } = setUp();
      const first = looks.look(0, "good first");
      const waiting = Array.from({ length: KEYS_LIMITS.keyLooksWaiting }, (_, at) =>
        looks.look(0, `bad ${at}`),
      );
      await expect(looks.look(0, "good late")).rejects.toThrow("too many wait");
      // Another object's keys have nothing to do with it.
      const other = looks.look(1, "good");
      await clock.runUntil(Promise.all([first, other, ...waiting]));
      expect(Math.max(...calls.map(({ hashes }) => hashes.length))).toBe(KEYS_LIMITS.keyLooksWaiting);
      expect(await clock.runUntil(looks.look(0, "good late"))).toMatchObject({ found: elsewhere });
    },
  );

  test("says that an object does not answer, to everybody who waits, and asks again the next time", async () => {
    const { clock, looks, calls, fail } = setUp();
    fail(true);
    const asked = clock.now();
    const two = Promise.allSettled([looks.look(0, "good"), looks.look(0, "good")]);
    expect((await clock.runUntil(two)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(clock.now() - asked).toBe(20);
    fail(false);
    expect(await clock.runUntil(looks.look(0, "good"))).toMatchObject({ found: elsewhere });
    expect(calls).toHaveLength(2);
  });

  test("waits no longer than it may for an object that hangs, and then asks it anew", async () => {
    const { clock, looks, calls } = setUp(null);
    const hanging = Promise.allSettled([looks.look(0, "good")]);
    await clock.advance(LIMITS.gateTimeoutMs - 1);
    // A request that comes while it hangs waits for the same answer, and gives up in a time of its own.
    const later = Promise.allSettled([looks.look(0, "good")]);
    expect(calls).toHaveLength(1);
    expect(await clock.runUntil(hanging)).toMatchObject([{ status: "rejected" }]);
    void looks.look(0, "good").catch(() => {});
    expect(calls).toHaveLength(2);
    expect(await clock.runUntil(later)).toMatchObject([{ status: "rejected" }]);
  });

  test("takes the place of askers that are gone with their timers, when no room is left", async () => {
    const clock = new VirtualClock(1_000_000);
    const asked: (readonly string[])[] = [];
    let isCutOff = true;
    const looks = new KeyLooks({
      clock: { now: () => clock.now(), after: (ms, work) => (isCutOff ? () => {} : clock.after(ms, work)) },
      async find(_, hashes) {
        asked.push(hashes);
        return hashes.map(() => elsewhere);
      },
    });
    await looks.look(0, "good");
    for (let at = 0; at < KEYS_LIMITS.keyLooksWaiting; at += 1) void looks.look(0, `lost ${at}`);
    isCutOff = false;
    await clock.advance(LIMITS.gateTimeoutMs - 1);
    await expect(looks.look(0, "early")).rejects.toThrow("too many wait");
    await clock.advance(1);
    expect(await clock.runUntil(looks.look(0, "late"))).toMatchObject({ found: elsewhere });
    expect(asked).toEqual([["good"], ["late"]]);
  });

  test("leaves no timer behind when it has its answer, and asks again at once when the pause is over", async () => {
    const clock = new VirtualClock(1_000_000);
    let timers = 0;
    const looks = new KeyLooks({
      clock: {
        now: () => clock.now(),
        after(ms, work) {
          timers += 1;
          const cancel = clock.after(ms, work);
          return () => {
            timers -= 1;
            cancel();
          };
        },
      },
      find: async (_, hashes) => hashes.map(() => elsewhere),
    });
    await looks.look(0, "good");
    await clock.runUntil(looks.look(0, "second"));
    await clock.advance(0);
    expect(timers).toBe(0);
    await clock.advance(KEYS_LIMITS.keyLookPauseMs);
    const sentAt = clock.now();
    expect(await looks.look(0, "third")).toMatchObject({ askedAtMs: sentAt });
  });

  test("is sent by a caller that waits, also when the first who asked is gone with its timers", async () => {
    const clock = new VirtualClock(1_000_000);
    const calls: number[] = [];
    let isCutOff = false;
    const looks = new KeyLooks({
      // A request that is cut off has no timers any more.
      clock: {
        now: () => clock.now(),
        after: (ms, work) => (isCutOff ? () => {} : clock.after(ms, work)),
      },
      async find(_, hashes) {
        calls.push(hashes.length);
        return hashes.map(() => elsewhere);
      },
    });
    await looks.look(0, "good");
    isCutOff = true;
    void looks.look(0, "lost");
    isCutOff = false;
    expect(await clock.runUntil(looks.look(0, "found"))).toMatchObject({ found: elsewhere });
    expect(calls).toEqual([1, 2]);
  });
});
