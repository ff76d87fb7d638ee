import type { StoredObject } from "../../../test/chaos/stored-objects.ts";
import { judgeCases, type Verdict } from "./verdict.ts";

/** An alarm this late is lost, whatever the machine does beside it. */
const LATE_MS = 15_000;

/** Judge, once nothing is under way, that alarms stand exactly where something is due. */
export function judgeAlarms(objects: readonly StoredObject[], nowMs: number): Verdict {
  const cases = objects.flatMap(({ name, alarmAt, dueAt }) => {
    // One that was set for something that has since been done comes once and finds nothing; after that there is none.
    if (alarmAt !== null && dueAt === null && alarmAt < nowMs - LATE_MS)
      return [`${name}: an alarm that never came`];
    if (alarmAt !== null && dueAt === null) return [`${name}: an alarm, and nothing is due`];
    if (alarmAt === null && dueAt !== null) return [`${name}: something is due, and no alarm`];
    if (dueAt !== null && dueAt < nowMs - LATE_MS)
      return [`${name}: something has been due for ${nowMs - dueAt} ms`];
    return [];
  });
  return judgeCases("alarms of objects", objects.length, cases);
}
