import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { mayUseAccount } from "../kit/google-access.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { fetchTasks, showTask, TASK_FIELDS, TASKS, taskSchema } from "./tasks-api.ts";
import { countArgument } from "../kit/arguments.ts";

const pageSchema = looseSchema(() => ({
  items: z._default(z.array(taskSchema()), []),
  nextPageToken: z.nullish(z.string()),
}));

/**
 * List the tasks of the account's own first list, in the order they have there.
 *
 * Source: https://developers.google.com/workspace/tasks/reference/rest/v1/tasks/list
 */
export const listTasks = defineTool({
  ...TASKS,
  ...mayUseAccount("tasks.readonly"),
  name: "list_tasks",
  summary: "List the tasks on the user's to-do list",
  description:
    "List tasks of the user's Google Tasks: those still to be done, and on request those that are completed. " +
    "Size: about 40 tokens per task, never over 7000.",
  actions: ["list", "read"],
  isWrite: false,
  input: () =>
    z.strictObject({
      include_completed: z
        ._default(z.boolean(), false)
        .check(z.describe("Whether completed tasks are listed too.")),
      limit: countArgument(50, 20, "How many at most, 1 to 50."),
    }),
  typicalTokens: 400,
  orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 300 } },
  run: async ({ include_completed, limit }, ctx) => {
    const shown = String(include_completed);
    const response = await fetchTasks(ctx, null, {
      maxResults: String(limit),
      // A task that was completed in Google's own apps counts as hidden.
      showCompleted: shown,
      showHidden: shown,
      fields: `items(${TASK_FIELDS}),nextPageToken`,
    });
    const { items, nextPageToken } = parseUpstream(pageSchema(), response);
    const hasMore = typeof nextPageToken === "string" && nextPageToken !== "";
    return { tasks: items.slice(0, limit).map(showTask), ...(hasMore && { more: true }) };
  },
});
