import { BATCH_TOOL } from "../../../feature/tool.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import {
  answered,
  type Decisions,
  type OpenReply,
  questionOf,
  type Waiting,
} from "../../../turns/decide-reply.ts";
import type { ToolReply } from "../../../turns/read-turn.ts";
import type { Caller } from "../../../feature/caller.ts";

/** A reply, and the name of the tool that was called. */
export interface CallReply extends ToolReply {
  readonly name: string;
}

/** The part of a call that goes on after its answer: all of it as a job, or some of it once a person did something. */
type OpenWork =
  | { readonly kind: "job"; readonly jobId: string }
  | { readonly kind: "asks"; readonly first: string };

/** Find what of a call goes on after its reply; null where nothing does, or nothing but jobs of some of a batch's actions. */
export function findOpenWork(reply: CallReply): OpenWork | null {
  // Most replies are not parsed, and none that is too large to be kept.
  if (!MARKS.test(reply.json) || reply.json.length > LIMITS.resultBytes) return null;
  const said = parseExact(reply.json);
  if (!isJsonObject(said)) return null;
  const { status, job_id: jobId } = said;
  const isJob = reply.name === BATCH_TOOL ? !("results" in said) : status === "initiated";
  if (isJob && typeof jobId === "string") return { kind: "job", jobId };
  const [first] = openReply(reply).waits;
  return first === undefined ? null : { kind: "asks", first: first.confirmation };
}

const PENDING = '"status":"pending_confirmation"';
const MARKS = new RegExp(`"job_id":"|${PENDING}`);

/** Find the actions of a reply that wait, of a batch's or of a single tool's. */
export function openReply<R extends CallReply>(reply: R): R & OpenReply {
  const waits = resultsOf(reply).flatMap((result): Waiting[] => {
    const confirmation = questionOf(result);
    return confirmation === null ? [] : [{ confirmation, action: actionOf(result) }];
  });
  return { ...reply, waits };
}

/** A question that a person is led to. */
export interface Question {
  readonly id: string;
  readonly message: string;
  /** The page where it is decided, or where the account is connected. It asks its visitor who they are. */
  readonly url: string;
}

/** Where the questions of a reply stand. */
type Standing =
  /** A question without a page is not among them. */
  | { readonly kind: "asks"; readonly questions: readonly Question[] }
  /** It was approved, and runs. */
  | { readonly kind: "runs" }
  | { readonly kind: "over" }
  /** A question is not kept any more, so nothing is known of it. */
  | { readonly kind: "gone" };

/** Say where the questions of a reply stand, with those that followed from their answers. */
export function findStanding(
  reply: CallReply,
  decisions: Decisions,
  { site }: { readonly site: string | undefined },
): Standing {
  const questions = new Map<string, Question>();
  let [isAsked, runs] = [false, false];
  let isGone = false;
  const follow = (action: string, result: JsonObject): void => {
    const id = questionOf(result);
    if (id === null) return;
    const record = decisions.get(id) ?? null;
    if (record === null) isGone = true;
    else if (record.status === "pending") {
      isAsked = true;
      const question = toQuestion(id, result, site);
      if (question !== null) questions.set(id, question);
    } else if (record.status === "running") runs = true;
    else for (const next of answered(record)) if (actionOf(next) === action) follow(action, next);
  };
  for (const result of resultsOf(reply)) follow(actionOf(result), result);
  if (isGone) return { kind: "gone" };
  if (isAsked) return { kind: "asks", questions: [...questions.values()] };
  return { kind: runs ? "runs" : "over" };
}

/**
 * The results of a batch; of a single tool its one. An object with a `status` is never a tool's own output, and neither is an answer to
 * a batch: otherwise an upstream could lead a person to a page of its choice.
 */
function resultsOf({ name, json }: CallReply): readonly JsonObject[] {
  if (!json.includes(PENDING)) return [];
  const said = parseExact(json);
  if (!isJsonObject(said)) return [];
  if (name !== BATCH_TOOL) return [said];
  return Array.isArray(said["results"]) ? (said["results"] as readonly JsonObject[]) : [];
}

/** The id of the action that a result is of; that of a single tool is the first of its batch. */
function actionOf({ id = "a0" }: JsonObject): string {
  return String(id);
}

/** A question of which a page asks; null where no page does. */
function toQuestion(id: string, { confirmation }: JsonObject, site: string | undefined): Question | null {
  const { message, url, connect_url: connectUrl = url } = confirmation as JsonObject;
  const page = URL.parse(String(connectUrl), site);
  return page === null ? null : { id, message: String(message), url: page.href };
}

/** A call whose reply waits for a person, as it is kept. */
export interface KeptCall {
  readonly reply: CallReply;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The key of the call, its rights then, and its subject. */
  readonly key: string;
  readonly grants: readonly string[];
  readonly subject?: string;
}

const PREFIX = "call-";
const FORM = /^call-[A-Za-z0-9-]{1,59}$/;

/** Name a call by the first of its questions, which is asked once: a call that is replayed for its key has the same name. */
export function nameCall(question: string): string {
  return `${PREFIX}${question}`;
}

/** Whether a task is a call that waits; it is a job otherwise. */
export function isCallName(id: string): boolean {
  return FORM.test(id);
}

/** Name the mark of a task whose person did not go to the pages of its questions: it waits for them no more. */
export function nameLeft(taskId: string): string {
  return `left-${taskId}`;
}

/** Keep with a call who made it. */
export function keepCall(
  reply: CallReply,
  { name, tools, subject }: Pick<Caller, "name" | "tools" | "subject">,
  createdAt: number,
): KeptCall {
  return { reply, createdAt, key: name, grants: tools, ...(subject !== undefined && { subject }) };
}

/** Whether a caller may read a kept call: the key that made it, for the same subject, and with no fewer tools than it had. */
export function mayReadCall(
  { key, grants, subject }: KeptCall,
  caller: Pick<Caller, "name" | "tools" | "subject">,
): boolean {
  const { name, tools } = caller;
  const covers = tools.includes("*") || grants.every((grant) => tools.includes(grant));
  return name === key && caller.subject === subject && covers;
}
