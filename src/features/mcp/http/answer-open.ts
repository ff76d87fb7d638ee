import { isJsonObject } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { awaitStatus } from "../../../cloudflare/http/await-change.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import { attempt, err, ok } from "../../../core/kit/result.ts";
import { isCallName, keepCall, nameCall } from "../tasks/kept-call.ts";
import { type CallReply, findOpenWork } from "../tasks/open-reply.ts";
import { type Task, toCreatedJson, toInputRequests } from "../tasks/task.ts";
import { toCallResult } from "./call-result.ts";
import { findTask } from "./find-task.ts";
import type { Answered, MethodOptions, OpenResult } from "./method.ts";
import { RPC_CODES, type RpcError, type RpcRequest } from "./rpc-message.ts";
import { NO_RESPONSES, toRpcError } from "./task-errors.ts";

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
