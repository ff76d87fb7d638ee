import type { Aftermath } from "../../../core/contract/gate/part-call.ts";
import { FAILURE_CODES } from "../../../core/contract/failure-codes.ts";
import { makeFailure, toWireFailure, type WireFailure } from "../../../core/contract/failure.ts";
import type { JobRecord } from "../../../feature/tool.ts";
import { type JsonObject, parseExact } from "../../../feature/schema.ts";
import { isJobInDoubt, isLive, type Job } from "../../../core/gate/state/outbox.ts";
import { inAccounts, readArgs, resolveReversal } from "../resolve-reversal.ts";
import type { WriteState } from "../undo-machine.ts";
import { type BegunWrite, type Irreversible, isGone, type Reversal, type UndoneEntry } from "../undo-run.ts";

export interface KeptWrite extends BegunWrite {
  readonly seq: number;
  readonly state: WriteState;
  /** How it is taken back. Absent where it is not known that it was done, and once all is done about it. */
  readonly by?: Reversal | Irreversible | undefined;
  /** When it was sent, as far as is known. */
  readonly sentAt: number;
  /** The job that it is, as long as that is not over. */
  readonly job?:
    | (NonNullable<BegunWrite["job"]> & {
        /** The call that takes it back, as the attempt said with which it ended. */
        readonly found?: Reversal | Irreversible;
      })
    | undefined;
  /** The accounts in which it may have been done, where that is not known. */
  readonly accounts?: Reversal["accounts"];
  /** It was looked for, and was not done: nothing is told of it. */
  readonly isNone?: true;
  readonly entry?:
    | Pick<UndoneEntry, "tool" | "status" | "dataJson" | "error" | "startedAt" | "endedAt" | "tries">
    | undefined;
  /** The question about the call that takes it back. */
  readonly question?: string | undefined;
  /** A person said yes to that. */
  readonly isApproved?: true;
}

/** Whether a person is to be asked before a write is taken back. */
export function asksFirst({ by, isApproved, state }: KeptWrite): boolean {
  return by?.asks === true && isApproved !== true && state !== "over" && state !== "sent";
}

/** Take in the decision on the call that takes a write back. @param args those that a person wrote in place of its own */
export function decideWrite(write: KeptWrite, isYes: boolean, args?: JsonObject): KeptWrite {
  const by = write.by as Reversal;
  const decided = { ...write, question: undefined };
  // A later undo asks anew.
  if (!isYes) return { ...endWrite(decided, { tool: by.tool, status: "error", error: REJECTED }), by };
  const edited = args && { argsJson: JSON.stringify(args), sealed: undefined };
  return { ...decided, by: { ...by, ...edited }, isApproved: true, state: "waits" };
}

const REJECTED = toWireFailure(
  makeFailure("CONFIRMATION_REJECTED", {
    hint: "A person was asked and did not say yes, so what it did stands; a later undo asks again.",
  }),
);

/** Let a call be sent about which no question could be made: its attempt finds what is wrong with it. */
export function letGo(write: KeptWrite): KeptWrite {
  return { ...write, by: { ...(write.by as Reversal), asks: undefined }, state: "waits" };
}

/** Tell what became of a write. */
export function toEntry({ id, action, element, tool, by, job, entry, jobId }: KeptWrite): UndoneEntry {
  return {
    id,
    action,
    element: element ?? undefined,
    tool: by?.tool ?? job?.by.compensation?.tool ?? tool,
    jobId,
    status: "initiated",
    ...entry,
  };
}

/** Count by their tools what became of writes; those that are left to stand have no row. */
export function countWrites(
  writes: readonly KeptWrite[],
  left: readonly string[],
  waits: (write: KeptWrite) => boolean,
): Aftermath["tools"] {
  const counts = new Map<string, Record<Counted, number>>();
  const add = (tool: string, ...as: readonly Counted[]): void => {
    const count = counts.get(tool) ?? { gone: 0, stands: 0, unsure: 0, going: 0, waits: 0 };
    for (const name of as) count[name] += 1;
    counts.set(tool, count);
  };
  for (const tool of left) add(tool, "stands");
  for (const write of writes) {
    const { tool, state, entry, isNone } = write;
    if (isNone === true) continue;
    if (state !== "over") add(tool, waits(write) ? "waits" : "going");
    else if (entry === undefined) continue;
    else if (isGone(entry)) add(tool, "gone");
    else if (entry.status === "unknown") add(tool, "stands", "unsure");
    else add(tool, "stands");
  }
  return [...counts].map(([tool, count]) => ({ tool, ...count }));
}

type Counted = Exclude<keyof Aftermath["tools"][number], "tool">;

/** End a write that cannot be looked up, and whose end is not known: with its own failure, where one was told. */
export function endLost(write: KeptWrite): KeptWrite {
  const code = FAILURE_CODES.find((one) => one === write.code) ?? "INTERNAL";
  const how = code === "INTERNAL" ? "Volley stopped before it had the answer, so " : "";
  const hint = `It was sent, and ${how}whether it took effect is not known. It was not taken back: look, and take it back yourself if it did.`;
  const error = toWireFailure(makeFailure(code, { retryable: false, hint }));
  return endWrite(write, { tool: write.tool, status: "unknown", error });
}

/** End a write: its arguments are needed no more. */
export function endWrite(write: KeptWrite, entry = write.entry): KeptWrite {
  return { ...write, by: undefined, look: undefined, job: undefined, state: "over", entry };
}

/** Keep how the job that a write is has ended: its place, and what the attempt said that made it. */
export function hearOfJob(write: KeptWrite, { keptJson }: Pick<Job, "keptJson">, seq: number): KeptWrite {
  const found = keptJson && { found: JSON.parse(keptJson) as Reversal | Irreversible };
  return { ...write, seq, job: { ...write.job!, ...found } };
}

/** Read how the job that a write is has ended. Nothing is kept of one that is long over. */
export function readJob({ job, look, ...write }: KeptWrite, record: JobRecord | null): KeptWrite {
  const ended: KeptWrite = { ...write, jobId: undefined, state: "waits" };
  if (record === null) return ended;
  const { argsJson = "{}", dataJson, inDoubt, status, updatedAt, accounts, tries } = record;
  if (status === "succeeded") {
    const done = { tool: write.tool, args: readArgs(argsJson), output: dataJson && parseExact(dataJson) };
    return { ...ended, by: inAccounts(accounts, resolveReversal(job!.by, done, job!.found)) };
  }
  if (inDoubt === true)
    return look === undefined
      ? { ...ended, code: tries.findLast((one) => one.inDoubt)?.code }
      : { ...ended, sentAt: updatedAt, accounts, look: { ...look, argsJson } };
  return status === "cancelled"
    ? endWrite(ended, { tool: toEntry({ ...write, job }).tool, status })
    : endWrite({ ...ended, isNone: true });
}

/** Say what became of the job that takes a write back. */
export function settleWrite(write: KeptWrite, job: Job): KeptWrite {
  const { by, isApproved, isNone, look } = write;
  const { status, dataJson, errorJson, createdAt, updatedAt: endedAt, tries } = job;
  if (isLive(status)) return { ...write, entry: undefined, state: "sent" };
  if (isNone === true) return endWrite(write);
  // It was looked up, or its tool is declared otherwise by now.
  if (status === "succeeded" && by?.asks === true && isApproved !== true)
    return { ...write, jobId: undefined, state: "waits" };
  const tool = by?.tool ?? job.spec.tool;
  if (by?.error !== undefined) return endWrite(write, { tool, status: "error", error: by.error });
  const told = { tool, startedAt: tries[0]?.at ?? createdAt, endedAt, tries };
  if (status === "succeeded")
    return endWrite(write, {
      ...told,
      status: "success",
      dataJson: dataJson === "null" ? undefined : (dataJson ?? undefined),
    });
  const error = errorJson === null ? CANCELLED : (JSON.parse(errorJson) as WireFailure);
  // Nothing is known of one that could not be looked up either.
  const isUnknown = isJobInDoubt(job) || (by === undefined && look !== undefined);
  return endWrite(write, { ...told, status: isUnknown ? "unknown" : "error", error });
}

const CANCELLED = toWireFailure(
  makeFailure("CANCELLED", { hint: "The job that was to take it back was cancelled." }),
);
