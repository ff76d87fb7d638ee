import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { mayUseAccount } from "../kit/google-access.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { providerId } from "../kit/arguments.ts";
import { fetchTasks, showTask, TASK_FIELDS, TASKS, taskSchema } from "./tasks-api.ts";

/**
 * Mark a task of the account's own first list as completed.
 *
 * Source: https://developers.google.com/workspace/tasks/reference/rest/v1/tasks/patch
 */
export const completeTask = defineTool({
  ...TASKS,
  ...mayUseAccount("tasks"),
  name: "complete_task",
  summary: "Mark a task on the user's to-do list as completed",
  description: "Mark a task of the user's Google Tasks as completed, by its id. Size: about 60 tokens.",
  actions: ["update", "write"],
  isWrite: true,
  input: () =>
    z.strictObject({ task_id: providerId(256).check(z.describe("Task id, as another task tool gave it.")) }),
  typicalTokens: 60,
  maxResponseBytes: 64 * 1024,
  idempotent: true,
  orchestration: {
    mode: "sequential-only",
    backoff: { strategy: "exponential", initial_ms: 500 },
    compensate: { tool: "reopen_task", args: { task_id: { $ref: "args#/task_id" } } },
  },
  run: async ({ task_id }, ctx) => {
    const request = { method: "PATCH", body: { status: "completed" } } as const;
    const response = await fetchTasks(ctx, task_id, { fields: TASK_FIELDS }, request);
    return { success: true, ...showTask(parseUpstream(taskSchema(), response)) };
  },
});
