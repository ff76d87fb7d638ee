import { expect, test } from "vitest";
import { CYCLE_MS, describeSchedule, faultAt, makeSchedule } from "./schedule.ts";

const full = makeSchedule({ seed: 7, minutes: 10 });

test("makeSchedule() gives one schedule for one seed, and another for another", () => {
  expect(makeSchedule({ seed: 7, minutes: 10 })).toEqual(full);
  expect(makeSchedule({ seed: 8, minutes: 10 })).not.toEqual(full);
});

test("makeSchedule() kills a full run four times, and leaves a life of six minutes", () => {
  const ends = [0, ...full.kills];
  expect(full.kills).toHaveLength(4);
  expect(Math.max(...full.kills.map((at, i) => at - ends[i]!))).toBeGreaterThan(6 * 60_000);
  expect(full.kills.every((at) => at < full.lengthMs)).toBe(true);
  expect(makeSchedule({ seed: 7, minutes: 1 }).kills).toHaveLength(1);
});

test("makeSchedule() has every kind of fault in each cycle, one after the other", () => {
  for (let at = 0; at + CYCLE_MS <= full.lengthMs; at += CYCLE_MS) {
    const kinds = full.windows
      .filter(({ fromMs }) => fromMs >= at && fromMs < at + CYCLE_MS)
      .map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(["429", "500", "drip", "hang", "huge", "invalid", "outage", "reset"]);
  }
  expect(full.windows.every(({ toMs }, i) => toMs <= (full.windows[i + 1]?.fromMs ?? full.lengthMs))).toBe(
    true,
  );
});

test("faultAt() is the window that holds a time, or none", () => {
  const [first] = full.windows;
  expect(faultAt(full, first!.fromMs)).toBe(first);
  expect(faultAt(full, first!.toMs)).toBeNull();
});

test("describeSchedule() names the seed, the kills and the faults", () => {
  const text = describeSchedule(full);
  expect(text).toContain("seed 7, 10 min");
  expect(text.match(/\d+-\d+/g)).toHaveLength(full.windows.length);
});
