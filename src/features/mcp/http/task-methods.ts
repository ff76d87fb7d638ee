import { isJsonObject } from "../../../core/contract/json.ts";
import { cancelOwn, UNREADABLE } from "../../../cloudflare/endpoints/jobs.ts";
import { askGate } from "../../../cloudflare/http/ask-gate.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import { err, ok } from "../../../core/kit/result.ts";
import { isCallName, nameLeft } from "../tasks/kept-call.ts";
import { type Task, toTaskJson } from "../tasks/task.ts";
import { findTask } from "./find-task.ts";
import type { Answered, Method, MethodOptions } from "./method.ts";
import type { RpcRequest } from "./rpc-message.ts";
import { NO_RESPONSES, NO_TASK, NO_TASKS, toRpcError } from "./task-errors.ts";

/**
 * The methods of the tasks extension: a client polls what became of its call.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export const TASK_METHODS: readonly (readonly [string, Method])[] = [
  ["tasks/get", onTask(getTask)],
  ["tasks/update", onTask(updateTask)],
  ["tasks/cancel", onTask(cancelTask)],
];

type OnTask = (
  task: Task,
  request: RpcRequest,
  context: RequestContext,
  options: MethodOptions,
) => Answered | Promise<Answered>;

/** Every method of the extension is for clients that declare it, and about a task that its caller may see. */
function onTask(answer: OnTask): Method {
  return async (request, context, options) => {
    if (!options.abilities.tasks) return err(NO_TASKS);
    const { taskId: id } = request.params;
    const isId = typeof id === "string" && /^[A-Za-z0-9-]{1,64}$/.test(id);
    const look = { ...options, asks: options.abilities.urls };
    const found = isId ? await findTask(id, context, look) : ok(null);
    if (!found.ok) return err(toRpcError(found.error));
    return found.value === null ? err(NO_TASK) : answer(found.value, request, context, options);
  };
}

function getTask(task: Task): Answered {
  return ok(toTaskJson(task));
}

/**
 * Take a client's answers to what a task asks. A person decides on the page, or connects the account there, so no answer of a client
 * does: the task goes on when that is done. Where the person does not go there the task is over: its result says what waits.
 */
async function updateTask(
  { id, state }: Task,
  { params }: RpcRequest,
  { gate }: RequestContext,
): Promise<Answered> {
  const { inputResponses: responses } = params;
  if (!isJsonObject(responses)) return err(NO_RESPONSES);
  const questions = state.status === "input_required" ? state.questions : [];
  const isLeft = questions.some((question) => {
    const response = responses[question.id];
    return isJsonObject(response) && response["action"] !== "accept";
  });
  if (!isLeft) return ok(ACKNOWLEDGED);
  const kept = await askGate(
    () => gate.keep([{ handle: nameLeft(id), json: "{}" }], "questions"),
    UNREADABLE,
  );
  return kept.ok ? ok(ACKNOWLEDGED) : err(toRpcError(kept.error));
}

/**
 * Cancel a job. The open questions of a call are said no to, where the caller may decide; otherwise they stay a person's. A task that is
 * over stays what it is.
 */
async function cancelTask(
  { id, state }: Task,
  _: RpcRequest,
  context: RequestContext,
  options: MethodOptions,
): Promise<Answered> {
  if (state.status === "working" && !isCallName(id)) {
    const cancelled = await cancelOwn(id, context);
    if (!cancelled.ok) return err(toRpcError(cancelled.error));
  }
  const { withdraw } = options.parts;
  const asked = await findTask(id, context, { ...options, asks: true });
  if (!asked.ok) return err(toRpcError(asked.error));
  if (asked.value?.state.status === "input_required" && withdraw !== undefined)
    await Promise.all(asked.value.state.questions.map((question) => withdraw(question.id, context)));
  return ok(ACKNOWLEDGED);
}

const ACKNOWLEDGED = "{}";
