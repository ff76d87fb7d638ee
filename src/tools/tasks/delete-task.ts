import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { mayUseAccount } from "../kit/google-access.ts";
import { providerId } from "../kit/arguments.ts";
import { fetchTasks, TASKS } from "./tasks-api.ts";

/**
 * Delete a task of the account's own first list.
 *
 * Source: https://developers.google.com/workspace/tasks/reference/rest/v1/tasks/delete
 */
export const deleteTask = defineTool({
  ...TASKS,
  ...mayUseAccount("tasks"),
  name: "delete_task",
  summary: "Delete a task from the user's to-do list by its ID",
  description:
    "Delete a task from the user's Google Tasks by its id, once a person has said yes. Size: about 40 tokens.",
  actions: ["delete", "write"],
  isWrite: true,
  input: () =>
    z.strictObject({ task_id: providerId(256).check(z.describe("Task id, as another task tool gave it.")) }),
  typicalTokens: 40,
  maxResponseBytes: 64 * 1024,
  idempotent: true,
  orchestration: { mode: "sequential-only", backoff: { strategy: "exponential", initial_ms: 500 } },
  run: async ({ task_id }, ctx) => {
    await fetchTasks(ctx, task_id, {}, { method: "DELETE" });
    return { success: true, task_id };
  },
});
