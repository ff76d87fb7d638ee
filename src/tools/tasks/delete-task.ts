import { defineTool } from "../../core/catalog/define-tool.ts";
import { fetchTasks, ONE_TASK } from "./tasks-api.ts";

/**
 * Delete a task of the account's own first list.
 *
 * Source: https://developers.google.com/workspace/tasks/reference/rest/v1/tasks/delete
 */
export const deleteTask = defineTool({
  ...ONE_TASK,
  name: "delete_task",
  summary: "Delete a task from the user's to-do list by its ID",
  description:
    "Delete a task from the user's Google Tasks by its id, once a person has said yes. Size: about 40 tokens.",
  actions: ["delete", "write"],
  typicalTokens: 40,
  orchestration: { mode: "sequential-only", backoff: { strategy: "exponential", initial_ms: 500 } },
  run: async ({ task_id }, ctx) => {
    await fetchTasks(ctx, task_id, {}, { method: "DELETE" });
    return { success: true, task_id };
  },
});
