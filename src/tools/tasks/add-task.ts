import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { invalidArgument } from "../kit/invalid-argument.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { type Moment, parseWhen, WHEN_EXPECTED } from "../kit/parse-when.ts";
import { wallTimeAt, writeDay } from "../../core/kit/time-zone.ts";
import { mayUseAccount } from "../kit/google-access.ts";
import { placeOfArgument, timezone, when } from "../kit/zone-argument.ts";
import { fetchTasks, showTask, TASK_FIELDS, TASKS, taskSchema } from "./tasks-api.ts";
import { textArgument } from "../kit/arguments.ts";

/**
 * Put a task on the account's own first list. Google takes neither an id nor a key for it, so it is sent once, and one whose
 * answer is lost is `unknown`.
 *
 * Source: https://developers.google.com/workspace/tasks/reference/rest/v1/tasks/insert
 */
export const addTask = defineTool({
  ...TASKS,
  ...mayUseAccount("tasks"),
  name: "add_task",
  summary: "Add a task to the user's to-do list, with an optional due day",
  description:
    "Add a task to the user's Google Tasks. `due` is a day, in ISO 8601 or English words such as 'friday' or 'in 3 days'; " +
    "Google keeps no time of day. Size: about 60 tokens.",
  actions: ["create", "write"],
  isWrite: true,
  input: () =>
    z.strictObject({
      title: textArgument(1_024, "The task, in words."),
      due: z.optional(when()).check(z.describe("Day it is due, e.g. 'tomorrow' or '2027-03-05'.")),
      notes: z.optional(z.string().check(z.maxLength(8_192))).check(z.describe("More about it.")),
      timezone: z._default(timezone(), "UTC"),
    }),
  typicalTokens: 60,
  maxResponseBytes: 64 * 1024,
  idempotent: false,
  orchestration: {
    mode: "sequential-only",
    compensate: { tool: "delete_task", args: { task_id: { $ref: "result#/task_id" } } },
  },
  run: async ({ title, due, notes, timezone: zone }, ctx) => {
    const place = placeOfArgument(zone);
    const said = due === undefined ? null : await parseWhen(due, { place, now: ctx.time.now() });
    if (due !== undefined && (said === null || said.end !== null))
      throw invalidArgument("due", WHEN_EXPECTED, due);
    const body = {
      title,
      ...(notes !== undefined && notes !== "" && { notes }),
      ...(said !== null && { due: `${dayOf(said.start)}T00:00:00.000Z` }),
    };
    const response = await fetchTasks(ctx, null, { fields: TASK_FIELDS }, { method: "POST", body });
    return { success: true, ...showTask(parseUpstream(taskSchema(), response)) };
  },
});

/** The day of a moment, by the clock that it was said by. */
function dayOf(moment: Moment): string {
  if (moment.kind === "day") return writeDay(moment.day);
  return writeDay(wallTimeAt(moment.at, moment.place));
}
