import { describe, expect, test } from "vitest";

import {
  countRunning,
  type Due,
  type DueIndex,
  firstDue,
  type Lane,
  nextDue,
} from "../../../../src/core/gate/state/due-index.ts";

const indexOf = (...entries: [id: string, due: Due][]): DueIndex => new Map(entries);
const attemptAt = (id: string, dueAt: number): [string, Due] => [id, { lane: "jobs", dueAt }];
const deliveryAt = (id: string, dueAt: number): [string, Due] => [id, { lane: "deliveries", dueAt }];
const underWay = (id: string, until: number): [string, Due] => [
  id,
  { lane: "deliveries", dueAt: until, claimed: true },
];

const few = (deliveries: number, runs = 1, jobs = 6, runsFromMs?: number): readonly Lane[] => [
  { name: "deliveries", places: deliveries, within: "jobs" },
  { name: "runs", places: runs, fromMs: runsFromMs },
  { name: "jobs", places: jobs },
];
const runAt = (id: string, group: string, dueAt: number): [string, Due] => [
  id,
  { lane: "runs", dueAt, group },
];
const running = (id: string, group: string, until: number): [string, Due] => [
  id,
  { lane: "runs", dueAt: until, group, claimed: true, isRunning: true },
];

describe("nextDue() and firstDue()", () => {
  const live = indexOf(attemptAt("late", 300), attemptAt("early", 100), attemptAt("middle", 200));

  test("find the earliest", () => {
    expect(nextDue(live, 0, few(2))).toBe(100);
    expect(firstDue(live, 250, { lanes: few(2) })).toBe("early");
  });

  test("find the earliest of deliveries and of a flow's runs, whichever was put in first", () => {
    const deliveries = [deliveryAt("late", 300), deliveryAt("early", 100), deliveryAt("middle", 200)];
    const runs = [runAt("late", "f", 300), runAt("early", "f", 100), runAt("middle", "f", 200)];
    expect(firstDue(indexOf(...deliveries), 400, { lanes: few(2) })).toBe("early");
    expect(firstDue(indexOf(...runs), 400, { lanes: few(2) })).toBe("early");
    expect(nextDue(indexOf(...runs), 0, few(2))).toBe(100);
  });

  test("T45 keep runs until their time, and nothing else; then they are what has been due for longest", () => {
    const index = indexOf(runAt("young", "f", 200), runAt("old", "f", 100), attemptAt("job", 300));
    const kept = few(2, 1, 6, 900);
    expect(firstDue(index, 250, { lanes: kept })).toBeNull();
    expect(nextDue(index, 250, kept)).toBe(300);
    expect(firstDue(index, 400, { lanes: kept })).toBe("job");
    expect(nextDue(indexOf(runAt("old", "f", 100)), 250, kept)).toBe(900);
    expect(firstDue(index, 900, { lanes: kept })).toBe("old");
  });

  test("do not take an attempt under way for a delivery", () => {
    const attempt: [string, Due] = ["a", { lane: "jobs", dueAt: 500, claimed: true }];
    expect(firstDue(indexOf(attempt, deliveryAt("waiting", 100)), 200, { lanes: few(1) })).toBe("waiting");
  });

  test("find one that is due at this very moment, and none before", () => {
    expect(firstDue(live, 100, { lanes: few(2) })).toBe("early");
    expect(firstDue(live, 99, { lanes: few(2) })).toBeNull();
  });

  test("find nothing among nothing", () => {
    expect(nextDue(new Map(), 1_000, few(2))).toBeNull();
    expect(firstDue(new Map(), 1_000, { lanes: few(2) })).toBeNull();
  });

  test("begin with a delivery, however long an attempt has been due", () => {
    const both = indexOf(attemptAt("attempt", 100), deliveryAt("later", 250), deliveryAt("sooner", 200));
    expect(firstDue(both, 300, { lanes: few(2) })).toBe("sooner");
    expect(firstDue(both, 199, { lanes: few(2) })).toBe("attempt");
    expect(nextDue(both, 0, few(2))).toBe(100);
  });

  test("begin no delivery while as many as may be are under way, and the next when one of them is lost", () => {
    const full = indexOf(underWay("a", 500), underWay("b", 600), deliveryAt("waiting", 100));
    expect(firstDue(full, 499, { lanes: few(2) })).toBeNull();
    expect(nextDue(full, 499, few(2))).toBe(500);
    expect(firstDue(full, 500, { lanes: few(2) })).toBe("waiting");
    expect(firstDue(full, 499, { lanes: few(3) })).toBe("waiting");
    expect(nextDue(full, 499, few(3))).toBe(100);
  });

  test("leave attempts alone that wait behind deliveries under way", () => {
    const full = indexOf(underWay("a", 500), deliveryAt("waiting", 100), attemptAt("attempt", 300));
    expect(firstDue(full, 400, { lanes: few(1) })).toBe("attempt");
    expect(nextDue(full, 200, few(1))).toBe(300);
  });

  test("find a delivery that is under way again when its claim is over", () => {
    const lost = indexOf(underWay("a", 500));
    expect(firstDue(lost, 499, { lanes: few(1) })).toBeNull();
    expect(firstDue(lost, 500, { lanes: few(1) })).toBe("a");
  });
});

test("no more attempts and deliveries begin than there are places, whatever runs there are", () => {
  const busy: [string, Due] = ["busy", { lane: "jobs", dueAt: 500, claimed: true }];
  const index = indexOf(busy, attemptAt("next", 10), deliveryAt("told", 10), runAt("run", "a", 20));
  expect(firstDue(index, 15, { lanes: few(2, 1, 1) })).toBeNull();
  expect(firstDue(index, 20, { lanes: few(2, 1, 1) })).toBe("run");
  expect(firstDue(index, 15, { lanes: few(2, 1, 2) })).toBe("told");
  // One that never reports gives its place up with its lease.
  expect(firstDue(index, 500, { lanes: few(0, 0, 1) })).toBe("next");
});

test("webhooks that are sent again take the places of deliveries, and leave those of other jobs alone", () => {
  const waiting = (id: string, dueAt: number): [string, Due] => [
    id,
    { lane: "deliveries", backlog: "webhooks", dueAt },
  ];
  const sending: [string, Due] = [
    "sending",
    { lane: "deliveries", backlog: "jobs", dueAt: 500, claimed: true },
  ];
  const index = indexOf(sending, waiting("again", 10), attemptAt("job", 20));
  expect(firstDue(index, 15, { lanes: few(2) })).toBe("again");
  expect(firstDue(index, 15, { lanes: few(1) })).toBeNull();
  expect(firstDue(index, 20, { lanes: few(1) })).toBe("job");
  expect(nextDue(index, 0, few(1))).toBe(20);
});

describe("For runs", () => {
  test("the one comes first that has been due for longest, before other jobs and behind deliveries", () => {
    const index = indexOf(runAt("later", "a", 20), runAt("sooner", "a", 10), attemptAt("job", 1));
    expect(firstDue(index, 30, { lanes: few(1) })).toBe("sooner");
    expect(firstDue(index, 9, { lanes: few(1) })).toBe("job");
    expect(nextDue(index, 0, few(1))).toBe(1);
    expect(firstDue(new Map([...index, deliveryAt("told", 30)]), 30, { lanes: few(1) })).toBe("told");
  });

  test("no more begin than may be under way, and other jobs go on", () => {
    const index = indexOf(running("busy", "a", 500), runAt("next", "b", 10), attemptAt("job", 30));
    expect(firstDue(index, 40, { lanes: few(1, 1) })).toBe("job");
    expect(firstDue(index, 40, { lanes: few(1, 2) })).toBe("next");
    expect(nextDue(index, 0, few(1, 1))).toBe(30);
    expect(firstDue(index, 500, { lanes: few(1, 1) })).toBe("next");
  });

  test("a flow with fewer under way comes before one that has waited longer", () => {
    const index = indexOf(running("a1", "a", 500), runAt("a2", "a", 1), runAt("b1", "b", 400));
    expect(firstDue(index, 399, { lanes: few(0, 3) })).toBe("a2");
    expect(firstDue(index, 400, { lanes: few(0, 3) })).toBe("b1");
  });

  test("flows take turns, however much one of them has to do", () => {
    const waiting = new Map<string, Due>();
    for (let n = 0; n < 1_000; n += 1) waiting.set(...runAt(`many ${n}`, "many", n));
    for (const flow of ["x", "y", "z"])
      for (let n = 0; n < 3; n += 1) waiting.set(...runAt(`${flow} ${n}`, flow, 2_000 + n));
    const turns = new Map<string, number>();
    const begun = Array.from({ length: 12 }, (_, turn) => {
      const id = firstDue(waiting, 3_000, { lanes: few(0), turns })!;
      turns.set(waiting.get(id)!.group!, turn + 1);
      waiting.delete(id);
      return id;
    });
    expect(begun.filter((id) => id.startsWith("many"))).toHaveLength(3);
    expect(
      begun
        .slice(0, 4)
        .map((id) => id.slice(0, 1))
        .toSorted(),
    ).toEqual(["m", "x", "y", "z"]);
  });

  test("those under way are counted by their flow, wherever they run", () => {
    const index = indexOf(
      running("here", "a", 500),
      ["elsewhere", { lane: "runs", group: "a", dueAt: 500, isRunning: true }],
      ["waits", { lane: "runs", group: "a", dueAt: 500, isRunning: false }],
      running("other", "b", 500),
    );
    expect(countRunning(index, "a", 499)).toBe(2);
    expect(countRunning(index, "a", 500)).toBe(0);
  });
});

test("what has begun goes on when nothing of its lane that has not is due, of whichever group", () => {
  const later = (id: string, group: string, dueAt: number): [string, Due] => [
    id,
    { lane: "runs", dueAt, group, isLater: true },
  ];
  const index = indexOf(later("old", "a", 10), runAt("new", "a", 40), runAt("newer", "b", 50));
  const lanes = few(2, 2);
  expect(firstDue(index, 30, { lanes })).toBe("old");
  expect(firstDue(index, 60, { lanes, turns: new Map([["a", 1]]) })).toBe("newer");
  expect(firstDue(index, 45, { lanes, turns: new Map([["a", 1]]) })).toBe("new");
  expect(nextDue(index, 0, lanes)).toBe(10);
  const busy = indexOf(running("x", "a", 90), later("of a", "a", 10), later("of b", "b", 20));
  expect(firstDue(busy, 60, { lanes })).toBe("of b");
});
