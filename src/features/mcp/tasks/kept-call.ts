import type { Caller } from "../../../core/contract/gate/caller.ts";
import type { CallReply } from "./open-reply.ts";

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
