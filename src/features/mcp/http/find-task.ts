import { BATCH_TOOL, type JobRecord } from "../../../feature/tool.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { err, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { findJob, UNREADABLE } from "../../../cloudflare/routes/jobs.ts";
import { askGate, type RequestContext } from "../../../feature/answer.ts";
import { liveStatusOf } from "../../../cloudflare/http/await-change.ts";
import { HeldBytes } from "../../../feature/outside.ts";
import { decideReply, type Decisions, readDecisions } from "../../../turns/decide-reply.ts";
import {
  type CallReply,
  findStanding,
  isCallName,
  type KeptCall,
  mayReadCall,
  nameLeft,
  openReply,
} from "../tasks/open-reply.ts";
import type { Task, TaskState } from "../tasks/task.ts";
import type { MethodOptions } from "./method.ts";
import { parseExact } from "../../../feature/schema.ts";
import { toToolReply } from "../../../turns/write-reply.ts";

type TaskLook = Pick<MethodOptions, "onWritten"> & {
  /** Whether its questions are told, or its reply as far as it is there by now. */
  readonly asks: boolean;
};

/**
 * Find a task; null where there is none for the caller. It is a job, or a call that waits for a person. Nothing but those is kept, so
 * where it stands is told anew by every look.
 */
export async function findTask(
  id: string,
  context: RequestContext,
  look: TaskLook,
): Promise<Result<Task | null, Refusal>> {
  const bytes = new HeldBytes(context.upstreams.share);
  look.onWritten(() => bytes.end());
  const find = isCallName(id) ? findCallTask : findJobTask;
  const found = await find(id, context, { ...look, bytes });
  // A task that is looked at again and again holds nothing until it is told.
  if (!found.ok || found.value?.state.status !== "completed") bytes.end();
  return found;
}

/** A look, and the bytes that it holds. */
interface Looking extends TaskLook {
  readonly bytes: HeldBytes;
}

async function findJobTask(
  id: string,
  context: RequestContext,
  look: Looking,
): Promise<Result<Task | null, Refusal>> {
  const found = await askGate(() => findOwnJob(id, context), UNREADABLE);
  if (!found.ok) return found;
  const job = found.value;
  if (job === null) return ok(null);
  const { createdAt, updatedAt, nextAttemptAt } = job;
  const task = { id, createdAt, updatedAt };
  const goneAt = Math.max(updatedAt, nextAttemptAt ?? 0) + LIMITS.jobRetentionMs;
  if (liveStatusOf(job) !== null) return ok({ ...task, goneAt, state: toWorking(job) });
  if (job.status === "cancelled") return ok({ ...task, goneAt, state: { status: "cancelled" } });
  const reply = toJobReply(job);
  const seen = await readReply({ id, reply }, context, look);
  if (!seen.ok) return seen;
  // A question is forgotten before its job: then the reply stays what it was.
  const { state = { status: "completed", reply }, decidedAt } = seen.value;
  return ok({ ...task, goneAt, updatedAt: Math.max(updatedAt, decidedAt), state });
}

/** Find a job that the caller may read: one of the subject that it acts for. */
async function findOwnJob(id: string, context: RequestContext): Promise<JobRecord | null> {
  const job = await findJob(id, context);
  return job === null || job.subject !== context.origin.account?.subject ? null : job;
}

function toWorking({ progress }: JobRecord): TaskState {
  if (progress === undefined) return { status: "working" };
  const { done, failed, total } = progress;
  return { status: "working", message: `${done} of ${total} calls are over, ${failed} of them failed.` };
}

async function findCallTask(
  id: string,
  context: RequestContext,
  look: Looking,
): Promise<Result<Task | null, Refusal>> {
  const { bytes } = look;
  const refused = await bytes.hold(LIMITS.resultBytes);
  if (refused !== null) return err(refused);
  const rows = await askGate(() => context.gate.recall([id], "questions"), UNREADABLE);
  if (!rows.ok) return rows;
  const [row] = rows.value;
  bytes.give(LIMITS.resultBytes - (row?.json.length ?? 0));
  const kept = row === undefined ? null : (JSON.parse(row.json) as KeptCall);
  if (kept === null || !mayReadCall(kept, context.caller)) return ok(null);
  const { reply, createdAt } = kept;
  const seen = await readReply({ id, reply }, context, look);
  if (!seen.ok) return seen;
  const { state, decidedAt, goneAt } = seen.value;
  if (state === undefined) return ok(null);
  return ok({ id, name: reply.name, createdAt, updatedAt: Math.max(createdAt, decidedAt), goneAt, state });
}

interface SeenReply {
  /** Absent where nothing is known of a question any more. */
  readonly state?: TaskState;
  readonly decidedAt: number;
  readonly goneAt: number;
}

/** See what became of a reply's questions. */
async function readReply(
  { id, reply: given }: { readonly id: string; readonly reply: CallReply },
  context: RequestContext,
  { asks, bytes }: Looking,
): Promise<Result<SeenReply, Refusal>> {
  const { configured, hooks, gate } = context;
  const reply = openReply(given);
  const asked = await askGate(() => readDecisions([reply], { ...context, bytes }), UNREADABLE);
  const decisions = asked.ok ? asked.value : asked;
  if (!decisions.ok) return decisions;
  const times = timesOf(decisions.value);
  const standing = findStanding(reply, decisions.value, {
    site: configured.declared.features.includes("console") ? hooks?.requestUrl : undefined,
  });
  let questions = standing.kind === "asks" && asks ? standing.questions : [];
  if (questions.length > 0) {
    const left = await askGate(() => gate.recall([nameLeft(id)], "questions"), UNREADABLE);
    if (!left.ok) return left;
    if (left.value.length > 0) questions = [];
  }
  if (standing.kind === "gone") return ok(times);
  if (standing.kind === "runs") return ok({ ...times, state: { status: "working" } });
  if (questions.length > 0) return ok({ ...times, state: { status: "input_required", questions } });
  const decided = decideReply(reply, decisions.value);
  // Its answer has it as text and as structure.
  const refused = await bytes.hold(2 * decided.json.length);
  return refused === null ? ok({ ...times, state: { status: "completed", reply: decided } }) : err(refused);
}

function timesOf(decisions: Decisions): Pick<SeenReply, "decidedAt" | "goneAt"> {
  const records = [...decisions.values()].filter((record) => record !== null);
  return {
    decidedAt: Math.max(0, ...records.map(({ decided }) => decided?.at ?? 0)),
    goneAt: Math.max(0, ...records.map(({ expiresAt }) => expiresAt)) + LIMITS.questionRetentionMs,
  };
}

/** Whether a job is a batch in the background. */
function isBatch({ tool }: Pick<JobRecord, "tool">): boolean {
  return tool.startsWith(`${BATCH_TOOL}:`);
}

/**
 * Say what came of a job that is over, as the call would have been answered that it is of. A job that failed is a failed call, whatever
 * of a batch has succeeded.
 */
function toJobReply(job: JobRecord): CallReply {
  const { id, tool, status, inDoubt, dataJson, errorJson, envelopeJson, note } = job;
  const failed = status !== "succeeded";
  if (isBatch(job) && envelopeJson !== undefined) return { name: BATCH_TOOL, json: envelopeJson, failed };
  if (!failed && dataJson !== null) {
    const data: unknown = parseExact(dataJson);
    return { name: tool, ...toToolReply({ status: "success", data, json: dataJson, meta: {} }) };
  }
  const said = failed ? (status === "unknown" ? status : "error") : "success";
  const head = JSON.stringify({
    status: said,
    in_doubt: inDoubt,
    job_id: id,
    ...(note !== null && { note }),
  });
  const error = errorJson === null ? "" : `,"error":${errorJson}`;
  return { name: tool, json: `${head.slice(0, -1)}${error}}`, failed };
}
