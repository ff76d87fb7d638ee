import { expect, test } from "vitest";
import { judgeAlarms } from "./judge-alarms.ts";

const NOW_MS = 1_000_000;
const object = (alarmAt: number | null, dueAt: number | null) => ({
  name: "gate a",
  rows: {},
  bytes: 0,
  alarmAt,
  dueAt,
});

test("judgeAlarms() lets objects be that have nothing due and no alarm, or both", () => {
  const objects = [object(null, null), object(NOW_MS + 5_000, NOW_MS + 9_000)];
  expect(judgeAlarms(objects, NOW_MS)).toMatchObject({ isFine: true, cases: [] });
});

test.each([
  ["an alarm, and nothing is due", object(NOW_MS + 100, null)],
  ["an alarm that never came", object(NOW_MS - 60_000, null)],
  ["something is due, and no alarm", object(null, NOW_MS + 100)],
  ["something has been due for 60000 ms", object(NOW_MS + 100, NOW_MS - 60_000)],
])("judgeAlarms() names %s", (text, left) => {
  expect(judgeAlarms([object(null, null), left], NOW_MS)).toMatchObject({
    isFine: false,
    cases: [`gate a: ${text}`],
  });
});
