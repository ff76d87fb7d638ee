import { defineTool } from "../../core/catalog/define-tool.ts";
import { ONE_TASK, setStatus } from "./tasks-api.ts";

/**
 * Mark a task of the account's own first list as still to be done.
 *
 * Source: https://developers.google.com/workspace/tasks/reference/rest/v1/tasks/patch
 */
export const reopenTask = defineTool({
  ...ONE_TASK,
  name: "reopen_task",
  summary: "Mark a completed task on the user's to-do list as open again",
  description:
    "Mark a task of the user's Google Tasks as still to be done, by its id. Size: about 60 tokens.",
  actions: ["update", "write"],
  typicalTokens: 60,
  orchestration: { mode: "sequential-only", backoff: { strategy: "exponential", initial_ms: 500 } },
  run: ({ task_id }, ctx) => setStatus(ctx, task_id, "needsAction"),
});
