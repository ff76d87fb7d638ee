import { expect, test } from "vitest";

import { GateAlarm } from "../../src/cloudflare/durable/gate-alarm.ts";

const LEASE_MS = 30_000;
const OVERDUE_MS = 10_000;

/** A gate's alarm, and what it asked of storage. */
function makeAlarm(at: number | null = null) {
  const set: number[] = [];
  const storage = { setAlarm: (time: number) => void set.push(time) } as unknown as DurableObjectStorage;
  return { alarm: new GateAlarm(storage, at, LEASE_MS), set };
}

test("F14 what is due since the beginning of time is asked for at a time that the platform takes", () => {
  const { alarm, set } = makeAlarm(90_000);
  alarm.arm(0);
  expect(set).toEqual([1]);
});

test("an alarm is only ever moved earlier", () => {
  const { alarm, set } = makeAlarm();
  for (const dueAt of [500, 900, 500, 300]) alarm.arm(dueAt);
  expect(set).toEqual([500, 300]);
});

test("an alarm for work that is due since ever has a time that the platform takes", () => {
  const { alarm, set } = makeAlarm(1_000);
  alarm.arm(0);
  expect(set).toEqual([1]);
});

test("a missing alarm is set at once, to when it was due", () => {
  const { alarm, set } = makeAlarm();
  alarm.repair(5_000, () => 1_000);
  expect(set).toEqual([1_000]);
});

test("F14 an alarm that is slow under steady traffic is asked for now and then, and never put off", () => {
  const { alarm, set } = makeAlarm();
  alarm.arm(1_000);
  for (let now = 1_000; now < 1_000 + 10 * OVERDUE_MS; now += 50) alarm.repair(now, () => 1_000);
  expect(new Set(set)).toEqual(new Set([1_000]));
  expect(set.length).toBeGreaterThan(5);
  expect(set.length).toBeLessThanOrEqual(10);
});

test("an alarm that is not overdue costs nothing to look after", () => {
  const { alarm, set } = makeAlarm(1_000);
  alarm.repair(1_000 + OVERDUE_MS, () => expect.fail("its due time need not be known"));
  expect(set).toEqual([]);
});

test("an alarm that has been due for ever is set to a time that the platform takes, which the epoch is not", () => {
  const { alarm, set } = makeAlarm(5_000);
  alarm.arm(0);
  alarm.arm(1_000);
  expect(set).toEqual([1]);
});
