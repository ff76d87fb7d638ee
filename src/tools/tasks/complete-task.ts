import { defineTool } from "../../core/catalog/define-tool.ts";
import { ONE_TASK, setStatus } from "./tasks-api.ts";

/**
 * Mark a task of the account's own first list as completed.
 *
 * Source: https://developers.google.com/workspace/tasks/reference/rest/v1/tasks/patch
 */
export const completeTask = defineTool({
  ...ONE_TASK,
  name: "complete_task",
  summary: "Mark a task on the user's to-do list as completed",
  description: "Mark a task of the user's Google Tasks as completed, by its id. Size: about 60 tokens.",
  actions: ["update", "write"],
  typicalTokens: 60,
  orchestration: {
    mode: "sequential-only",
    backoff: { strategy: "exponential", initial_ms: 500 },
    compensate: { tool: "reopen_task", args: { task_id: { $ref: "args#/task_id" } } },
  },
  run: ({ task_id }, ctx) => setStatus(ctx, task_id, "completed"),
});
