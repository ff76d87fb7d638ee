import * as z from "zod/mini";

import type { ToolContext, UpstreamRequest, UpstreamResponse } from "../../core/catalog/define-tool.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { providerId } from "../kit/arguments.ts";
import { cutText } from "../kit/cut-text.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { fetchGoogle, ofGoogle, mayUseAccount } from "../kit/google-access.ts";

export const TASKS = ofGoogle("tasks", "tasks.googleapis.com", 12_000);

/** The declaration of tools that change one task, which they are told by its id. */
export const ONE_TASK = {
  ...TASKS,
  ...mayUseAccount("tasks"),
  isWrite: true,
  input: () =>
    z.strictObject({ task_id: providerId(256).check(z.describe("Task id, as another task tool gave it.")) }),
  maxResponseBytes: 64 * 1024,
  idempotent: true,
} as const;

export const TASK_FIELDS = "id,title,status,due,notes";

/** A task as Google has it, as far as it is read. */
export const taskSchema = looseSchema(() => ({
  id: z.string(),
  title: z.nullish(z.string()),
  status: z.nullish(z.string()),
  due: z.nullish(z.string()),
  notes: z.nullish(z.string()),
}));

/** A task as a model reads it. */
interface ShownTask {
  readonly task_id: string;
  readonly title: string;
  readonly status: "open" | "completed";
  readonly due?: string;
  readonly notes?: string;
}

/**
 * Send a request about tasks of the account's own first list.
 *
 * Source: https://developers.google.com/workspace/tasks/reference/rest/v1/tasks
 *
 * @param taskId of one task; null for all of them
 */
export function fetchTasks(
  ctx: ToolContext,
  taskId: string | null,
  query: Readonly<Record<string, string>> = {},
  request: UpstreamRequest = {},
): Promise<UpstreamResponse> {
  const url = new URL("https://tasks.googleapis.com/tasks/v1/lists/@default/tasks");
  if (taskId !== null) url.pathname += `/${encodeURIComponent(taskId)}`;
  url.search = new URLSearchParams(query).toString();
  return fetchGoogle(ctx, url, request);
}

/** Show a task: Google keeps of `due` the day only, and writes it as midnight in UTC. */
export function showTask(task: z.output<ReturnType<typeof taskSchema>>): ShownTask {
  const { id, title, status, due, notes } = task;
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(due ?? "") ?? [];
  return {
    task_id: id,
    title: cutText(title ?? "", 200),
    status: status === "completed" ? "completed" : "open",
    ...(day !== undefined && { due: day }),
    ...(typeof notes === "string" && notes !== "" && { notes: cutText(notes, 200) }),
  };
}

/** Say of a task whether it is done. */
export async function setStatus(
  ctx: ToolContext,
  taskId: string,
  status: "completed" | "needsAction",
): Promise<object> {
  const request = { method: "PATCH", body: { status } } as const;
  const response = await fetchTasks(ctx, taskId, { fields: TASK_FIELDS }, request);
  return { success: true, ...showTask(parseUpstream(taskSchema(), response)) };
}
