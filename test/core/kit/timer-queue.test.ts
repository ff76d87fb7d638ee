import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { TimerQueue } from "../../../src/core/kit/timer-queue.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

describe("TimerQueue", () => {
  it("fires every entry at its time, in the order of their times", async () => {
    const clock = new VirtualClock(0);
    const queue = new TimerQueue(clock);
    const fired: [string, number][] = [];
    for (const [name, ms] of [
      ["c", 30],
      ["a", 10],
      ["b", 20],
      ["b2", 20],
    ] as const) {
      queue.after(ms, () => fired.push([name, clock.now()]));
    }
    await clock.advance(100);
    expect(fired).toEqual([
      ["a", 10],
      ["b", 20],
      ["b2", 20],
      ["c", 30],
    ]);
  });

  it("holds one timer of the platform, however many entries there are", () => {
    const clock = new VirtualClock(0);
    const queue = new TimerQueue(clock);
    for (let ms = 1_000; ms < 1_050; ms += 1) queue.after(ms, () => {});
    expect(clock.pending).toBe(1);
  });

  it("sets one timer of the platform for limits that follow each other, each shorter than the one before", () => {
    const clock = new VirtualClock(0);
    let set = 0;
    const queue = new TimerQueue({
      now: () => clock.now(),
      after(ms, callback) {
        set += 1;
        return clock.after(ms, callback);
      },
    });
    for (const ms of [15_000, 10_000, 5_000, 1_000]) queue.after(ms, () => {});
    expect(set).toBe(1);
  });

  it("never fires an entry that was cancelled", async () => {
    const clock = new VirtualClock(0);
    const queue = new TimerQueue(clock);
    let fired = 0;
    const cancel = queue.after(10, () => (fired += 1));
    queue.after(20, () => (fired += 10));
    cancel();
    await clock.advance(100);
    expect(fired).toBe(10);
  });

  it("lets a callback set and cancel entries", async () => {
    const clock = new VirtualClock(0);
    const queue = new TimerQueue(clock);
    const fired: string[] = [];
    let cancelSecond = (): void => {};
    queue.after(10, () => {
      fired.push("first");
      cancelSecond();
      queue.after(5, () => fired.push("third"));
    });
    cancelSecond = queue.after(10, () => fired.push("second"));
    await clock.advance(100);
    expect(fired).toEqual(["first", "third"]);
  });

  it("fires when its timer does, even when the clock was set back meanwhile", async () => {
    const clock = new VirtualClock(100_000);
    let now = 100_000;
    const queue = new TimerQueue({ now: () => now, after: (ms, callback) => clock.after(ms, callback) });
    let fired = false;
    queue.after(5_000, () => (fired = true));
    now -= 10_000;
    await clock.advance(4_999);
    expect(fired).toBe(false);
    await clock.advance(1);
    expect(fired).toBe(true);
  });

  it("fires nothing after it was closed and leaves no timer behind", async () => {
    const clock = new VirtualClock(0);
    const queue = new TimerQueue(clock);
    let fired = false;
    queue.after(10, () => (fired = true));
    queue.close();
    expect(clock.pending).toBe(0);
    await clock.advance(100);
    expect(fired).toBe(false);
  });

  trial("fires the same entries at the same times as the clock itself would", async () => {
    const ms = fc.oneof(fc.nat(50), fc.nat(5_000));
    const entries = fc.array(fc.record({ ms, cancelAt: fc.option(ms) }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(entries, async (list) => {
        const run = async (wrap: boolean) => {
          const clock = new VirtualClock(0);
          const timers = wrap ? new TimerQueue(clock) : clock;
          const fired: string[] = [];
          for (const [index, { ms, cancelAt }] of list.entries()) {
            const cancel = timers.after(ms, () => fired.push(`${index}@${clock.now()}`));
            if (cancelAt !== null && cancelAt !== ms) clock.after(cancelAt, cancel);
          }
          await clock.advance(5_010);
          return fired.sort();
        };
        expect(await run(true)).toEqual(await run(false));
      }),
      { numRuns: 200 },
    );
  });

  it("has the time of its clock", () => {
    const clock = new VirtualClock(77);
    expect(new TimerQueue(clock).now()).toBe(77);
  });

  it("fires nothing once it is closed, takes the platform's timer back, and can begin anew", async () => {
    const clock = new VirtualClock(0);
    const queue = new TimerQueue(clock);
    let fired = 0;
    queue.after(10, () => (fired += 1));
    queue.close();
    expect(clock.pending).toBe(0);
    await clock.advance(50);
    expect(fired).toBe(0);
    queue.after(10, () => (fired += 10));
    await clock.advance(10);
    expect(fired).toBe(10);
  });

  it("fires what a late timer finds due in the order of its times", async () => {
    let now = 0;
    let fire = (): void => {};
    const queue = new TimerQueue({
      now: () => now,
      after: (_, callback) => {
        fire = callback;
        return () => {};
      },
    });
    const fired: string[] = [];
    for (const [name, ms] of [
      ["c", 30],
      ["a", 10],
      ["b", 20],
    ] as const)
      queue.after(ms, () => fired.push(name));
    now = 100;
    fire();
    expect(fired).toEqual(["a", "b", "c"]);
  });
});
