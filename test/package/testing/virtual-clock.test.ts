import { setTimeout } from "node:timers/promises";

import { expect, test } from "vitest";

import { VirtualClock } from "../../../src/package/testing/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

test("a timer fires when its time has come, in the order of times and then of setting, unless it was taken back", async () => {
  const clock = new VirtualClock(1_000);
  const fired: string[] = [];
  const at = (ms: number, name: string) => clock.after(ms, () => void fired.push(`${name} ${clock.now()}`));
  at(20, "late");
  at(10, "first");
  at(10, "second");
  at(-5, "now");
  const takeBack = at(10, "never");
  takeBack();
  expect(clock.pending).toBe(4);
  await clock.advance(10);
  expect(fired).toEqual(["now 1000", "first 1010", "second 1010"]);
  expect([clock.now(), clock.pending]).toEqual([1_010, 1]);
  await clock.advance(15);
  expect([fired.at(-1), clock.now(), clock.pending]).toEqual(["late 1020", 1_025, 0]);
});

test("a clock that jumps fires nothing, and what is due then fires with the next that passes", async () => {
  const clock = new VirtualClock(1_000);
  let fired = 0;
  clock.after(10, () => (fired = clock.now()));
  clock.jump(100);
  expect([clock.now(), fired]).toEqual([1_100, 0]);
  await clock.advance(0);
  expect([clock.now(), fired]).toEqual([1_100, 1_100]);
  clock.jump(-600);
  expect(clock.now()).toBe(500);
});

test("time stands still until work outside is over, however it ends", async () => {
  const clock = new VirtualClock(0);
  const order: string[] = [];
  const work = async () => {
    await setTimeout(5);
    order.push("outside");
    throw new Error("Over");
  };
  clock.after(10, () => void order.push("timer"));
  const outside = clock.outside(work()).catch((error: Error) => error.message);
  await clock.advance(10);
  expect(order).toEqual(["outside", "timer"]);
  expect(await outside).toBe("Over");
  expect(await clock.outside(Promise.resolve(7))).toBe(7);
  await clock.advance(1);
  expect(clock.now()).toBe(11);
});

trial("it runs until a promise settles and no further, and says where no timer could make it", async () => {
  const clock = new VirtualClock(0);
  clock.after(500, () => {});
  expect(await clock.runUntil(clock.sleep(100).then(() => "done"))).toBe("done");
  expect([clock.now(), clock.pending]).toEqual([100, 1]);
  await expect(
    clock.runUntil(clock.sleep(10).then(() => Promise.reject(new Error("Broken")))),
  ).rejects.toThrow("Broken");
  await expect(clock.runUntil(new Promise(() => {}))).rejects.toThrow(
    "Cannot run until the promise settles: no timer is left",
  );
});
