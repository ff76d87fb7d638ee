import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { mayUseAccount } from "../kit/google-access.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { providerId } from "../kit/arguments.ts";
import { fetchTasks, showTask, TASK_FIELDS, TASKS, taskSchema } from "./tasks-api.ts";

/**
 * Mark a task of the account's own first list as still to be done.
 *
 * Source: https://developers.google.com/workspace/tasks/reference/rest/v1/tasks/patch
 */
export const reopenTask = defineTool({
  ...TASKS,
  ...mayUseAccount("tasks"),
  name: "reopen_task",
  summary: "Mark a completed task on the user's to-do list as open again",
  description:
    "Mark a task of the user's Google Tasks as still to be done, by its id. Size: about 60 tokens.",
  actions: ["update", "write"],
  isWrite: true,
  input: () =>
    z.strictObject({ task_id: providerId(256).check(z.describe("Task id, as another task tool gave it.")) }),
  typicalTokens: 60,
  maxResponseBytes: 64 * 1024,
  idempotent: true,
  orchestration: { mode: "sequential-only", backoff: { strategy: "exponential", initial_ms: 500 } },
  run: async ({ task_id }, ctx) => {
    const request = { method: "PATCH", body: { status: "needsAction" } } as const;
    const response = await fetchTasks(ctx, task_id, { fields: TASK_FIELDS }, request);
    return { success: true, ...showTask(parseUpstream(taskSchema(), response)) };
  },
});
