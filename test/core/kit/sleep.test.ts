import { getEventListeners } from "node:events";

import { expect, test } from "vitest";

import { sleep } from "../../../src/core/kit/sleep.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

test("sleep() ends when its time has passed, not before", async () => {
  const clock = new VirtualClock();
  let awake = false;
  const sleeping = sleep(clock, 100, new AbortController().signal).then(() => (awake = true));
  await clock.advance(99);
  expect(awake).toBe(false);
  await clock.advance(1);
  await sleeping;
  expect(awake).toBe(true);
});

test("sleep() rejects with the signal's reason and leaves no timer behind", async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const sleeping = sleep(clock, 100, controller.signal);
  controller.abort("the client went away");
  await expect(sleeping).rejects.toBe("the client went away");
  expect(clock.pending).toBe(0);
});

test("sleep() does not begin under a signal that is aborted already", async () => {
  const clock = new VirtualClock();
  await expect(sleep(clock, 100, AbortSignal.abort("too late"))).rejects.toBe("too late");
  expect(clock.pending).toBe(0);
});

test("sleep() leaves no listener on the signal, however it ends", async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  await clock.runUntil(sleep(clock, 100, controller.signal));
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  const aborted = sleep(clock, 100, controller.signal);
  controller.abort("stop");
  await expect(aborted).rejects.toBe("stop");
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});
