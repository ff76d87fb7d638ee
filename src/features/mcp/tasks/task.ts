import * as LIMITS from "../../../core/contract/limits.ts";
import type { ToolReply } from "../../../turns/read-turn.ts";
import type { Question } from "./open-reply.ts";

/** Work that goes on after the answer to its call. Times are milliseconds since the epoch. */
export interface Task {
  readonly id: string;
  /** The tool that was called, where the task is a call that waits. */
  readonly name?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it is forgotten, as far as that is known by now. */
  readonly goneAt: number;
  readonly state: TaskState;
}

export type TaskState =
  | { readonly status: "working"; readonly message?: string }
  | { readonly status: "input_required"; readonly questions: readonly Question[] }
  | { readonly status: "completed"; readonly reply: ToolReply }
  | { readonly status: "cancelled" };

/**
 * Write the answer to the call that a task is made of: where the task stands, and nothing of what came of it.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export function toCreatedJson({ id, createdAt, updatedAt, goneAt, state }: Task): string {
  return JSON.stringify({
    taskId: id,
    status: state.status,
    ...("message" in state && { statusMessage: state.message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: goneAt - createdAt,
    pollIntervalMs: state.status === "input_required" ? LIMITS.waitLookMaxMs : LIMITS.waitLookMs,
  });
}

/** Write a task as `tasks/get` answers it, with what it asks or what came of it. */
export function toTaskJson(task: Task): string {
  const head = toCreatedJson(task).slice(0, -1);
  const { state } = task;
  // The result is the call's whole answer, with the mark that every result of the revision has.
  if (state.status === "completed")
    return `${head},"result":${toCallResult(state.reply).slice(0, -1)},"resultType":"complete"}}`;
  if (state.status === "input_required")
    return `${head},"inputRequests":${JSON.stringify(toInputRequests(state.questions))}}`;
  return `${head}}`;
}

/** Write questions as requests that lead a person to their pages, by the ids of the questions. */
export function toInputRequests(questions: readonly Question[]): object {
  return Object.fromEntries(
    questions.map(({ id, message, url }) => [
      id,
      { method: "elicitation/create", params: { mode: "url", message, url } },
    ]),
  );
}

/**
 * Write a reply as an MCP client reads it: what is an object with a `status` is Volley's here too, in text and structure. It is
 * put together from JSON text, so every number keeps its digits.
 */
export function toCallResult({ json, failed }: ToolReply): string {
  // Text needs no quotes to be read.
  const text = json.startsWith('"') ? json : JSON.stringify(json);
  // A structure is an object for clients of 2025; any other value goes into one.
  const structure = json.startsWith("{") ? json : `{"data":${json}}`;
  const marked = failed ? ',"isError":true' : "";
  return `{"content":[{"type":"text","text":${text}}],"structuredContent":${structure}${marked}}`;
}
