import { isJsonObject } from "../../../feature/schema.ts";
import { cancelOwn, UNREADABLE } from "../../../cloudflare/routes/jobs.ts";
import { askGate, type RequestContext } from "../../../feature/answer.ts";
import { attempt, err, ok } from "../../../feature/refuse.ts";
import {
  type CallReply,
  findOpenWork,
  isCallName,
  keepCall,
  nameCall,
  nameLeft,
} from "../tasks/open-reply.ts";
import { type Task, toCallResult, toCreatedJson, toInputRequests, toTaskJson } from "../tasks/task.ts";
import { findTask } from "./find-task.ts";
import {
  type Answered,
  type Method,
  type MethodOptions,
  NO_RESPONSES,
  NO_TASK,
  NO_TASKS,
  type OpenResult,
  toRpcError,
} from "./method.ts";
import { RPC_CODES, type RpcError, type RpcRequest } from "./rpc-message.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { awaitStatus } from "../../../cloudflare/http/await-change.ts";

/**
 * The methods of the tasks extension: a client polls what became of its call.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export const TASK_METHODS: readonly (readonly [string, Method])[] = [
  ["tasks/get", onTask((task) => ok(toTaskJson(task)))],
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

/**
 * Answer a call whose work goes on. A client with tasks has one, of a job or of a call that waits for a person; one that only leads its
 * person to an address has the addresses, and sends the call again. Every other client has the reply as it is, and so has each where
 * the task cannot be found for certain.
 */
export async function answerOpen(
  reply: CallReply,
  context: RequestContext,
  options: MethodOptions,
): Promise<string | OpenResult> {
  const { tasks, urls } = options.abilities;
  const work = tasks || urls ? findOpenWork(reply) : null;
  if (work === null || !(work.kind === "job" ? tasks : urls)) return toCallResult(reply);
  const id = work.kind === "job" ? work.jobId : await keep(reply, work.first, context);
  const found = id === null ? null : await attempt(() => findTask(id, context, { ...options, asks: urls }));
  const task = found?.ok === true && found.value.ok ? found.value.value : null;
  if (task === null || (work.kind === "asks" && task.state.status !== "input_required"))
    return toCallResult(reply);
  return tasks ? { type: "task", json: toCreatedJson(task) } : toInputRequired(task);
}

/** Keep a reply until its questions are decided; the name of its task, or null where it could not be kept. */
async function keep(
  reply: CallReply,
  question: string,
  { caller, gate, ports }: RequestContext,
): Promise<string | null> {
  const handle = nameCall(question);
  const json = JSON.stringify(keepCall(reply, caller, ports.clock.now()));
  const kept = await attempt(() => gate.keep([{ handle, json }], "questions"));
  return kept.ok && kept.value.includes(handle) ? handle : null;
}

/** Without questions the client only comes back. */
function toInputRequired({ id, state }: Task): OpenResult {
  const asked = state.status === "input_required" ? { inputRequests: toInputRequests(state.questions) } : {};
  return { type: "input_required", json: JSON.stringify({ ...asked, requestState: id }) };
}

/**
 * Answer a call that comes again after its person was led to a page. Nothing runs again: the reply was kept. A decision that is
 * not there yet is waited for, once; the reply then says what still waits, as it does to other clients.
 */
export async function resumeCall(
  { params }: RpcRequest,
  context: RequestContext,
  options: MethodOptions,
): Promise<Answered> {
  const { requestState: id, name, inputResponses: responses = {} } = params;
  if (!isJsonObject(responses)) return err(NO_RESPONSES);
  if (typeof id !== "string" || !isCallName(id)) return err(NO_STATE);
  const wentThere = Object.values(responses).every((one) => isJsonObject(one) && one["action"] === "accept");
  const look = { ...options, asks: true };
  const found = await awaitStatus(() => findTask(id, context, look), {
    context,
    signal: options.signal,
    waitMs: wentThere ? 1_000 * LIMITS.maxWaitS : 0,
    liveStatus: (task) => (task === null || task.state.status === "completed" ? null : "open"),
  });
  if (!found.ok) return err(toRpcError(found.error));
  if (found.value === null || found.value.name !== name) return err(NO_STATE);
  const seen = await findTask(id, context, { ...options, asks: false });
  if (!seen.ok) return err(toRpcError(seen.error));
  if (seen.value === null) return err(NO_STATE);
  const { state } = seen.value;
  if (state.status === "completed") return ok(toCallResult(state.reply));
  // It was approved, and runs: the client comes back for its end.
  return ok(toInputRequired(seen.value));
}

const NO_STATE: RpcError = {
  code: RPC_CODES.invalidParams,
  message: "The requestState is none that this call was answered with, or its question is not kept any more.",
};
