import type { Aftermath } from "../../../core/contract/gate/part-call.ts";
import { makeFailure, toWireFailure, type WireFailure } from "../../../core/contract/failure.ts";
import type { JobRecord } from "../../../core/contract/gate/job.ts";
import { type JsonObject, parseExact } from "../../../core/contract/json.ts";
import { isJobInDoubt, isLive, type Job } from "../../../core/gate/state/outbox.ts";
import { readObject, resolveReversal } from "../resolve-reversal.ts";
import type { WriteState } from "../undo-machine.ts";
import { type BegunWrite, type Irreversible, isGone, type Reversal, type UndoneEntry } from "../undo-run.ts";

export interface KeptWrite extends BegunWrite {
  readonly seq: number;
  readonly state: WriteState;
  /** How many were kept of its run before it: it makes the id of its job. */
  readonly place: number;
  /** How it is taken back. Absent where it is not known that it was done, and once all is done about it. */
  readonly by?: Reversal | Irreversible;
  /** When it was sent, as far as is known. */
  readonly sentAt: number;
  /** The job that it is, as long as that is not over. */
  readonly job?: NonNullable<BegunWrite["job"]> & {
    /** The call that takes it back, as the attempt said with which it ended. */
    readonly found?: Reversal | Irreversible;
  };
  /** It was looked for, and was not done: nothing is told of it. */
  readonly isNone?: true;
  readonly entry?: Pick<
    UndoneEntry,
    "tool" | "status" | "dataJson" | "error" | "startedAt" | "endedAt" | "tries"
  >;
  readonly jobId?: string;
  /** The question about the call that takes it back. */
  readonly question?: string;
  /** A person said yes to that. */
  readonly isApproved?: true;
  /** It had a job before, whose id is not to be that of the next one. */
  readonly isAgain?: true;
}

/** Whether a person is to be asked before a write is taken back. */
export function asksFirst({ by, isApproved, state }: KeptWrite): boolean {
  return by !== undefined && "asks" in by && isApproved !== true && state !== "over" && state !== "sent";
}

/** Take in the decision on the call that takes a write back. @param args those that a person wrote in place of its own */
export function decideWrite(write: KeptWrite, isYes: boolean, args?: JsonObject): KeptWrite {
  const { question: _, ...rest } = write;
  const by = write.by as Reversal;
  if (!isYes) {
    const no = endWrite(rest, { tool: by.tool, status: "error", error: REJECTED });
    // A later undo asks anew.
    return { ...no, by };
  }
  const { sealed: __, ...open } = by;
  const edited = args === undefined ? by : { ...open, argsJson: JSON.stringify(args) };
  return { ...rest, by: edited, isApproved: true, state: "waits" };
}

const REJECTED = toWireFailure(
  makeFailure("CONFIRMATION_REJECTED", {
    hint: "A person was asked and did not say yes, so what it did stands; a later undo asks again.",
  }),
);

/** Let a call be sent about which no question could be made: its attempt finds what is wrong with it. */
export function letGo(write: KeptWrite): KeptWrite {
  const { asks: _, ...by } = write.by as Reversal;
  return { ...write, by, state: "waits" };
}

/** Tell what became of a write. */
export function toEntry({ id, action, element, tool, by, job, entry, jobId }: KeptWrite): UndoneEntry {
  return {
    id,
    action,
    element: element ?? undefined,
    tool: entry?.tool ?? by?.tool ?? toolOf(job) ?? tool,
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
    else add(tool, "stands", ...(entry.status === "unknown" ? ["unsure" as const] : []));
  }
  return [...counts].map(([tool, count]) => ({ tool, ...count }));
}

type Counted = Exclude<keyof Aftermath["tools"][number], "tool">;

/** Why a write that cannot be looked up is not taken back when its end is not known. */
export const LOST = toWireFailure(
  makeFailure("INTERNAL", {
    retryable: false,
    hint: "It was sent, and whether it took effect is not known, so it was not taken back: look, and take it back yourself if it did.",
  }),
);

/** The tool that takes back what a job does; undefined where there is no way. */
function toolOf(job: KeptWrite["job"]): string | undefined {
  return job?.by && "compensation" in job.by ? job.by.compensation.tool : undefined;
}

/** End a write: its arguments are needed no more. */
export function endWrite(write: KeptWrite, entry?: NonNullable<KeptWrite["entry"]>): KeptWrite {
  const { by: _, look: __, job: ___, ...rest } = write;
  return { ...rest, state: "over", ...(entry !== undefined && { entry }) };
}

type Seq = Pick<KeptWrite, "seq">;

/** Keep how the job that a write is has ended: its place, and what the attempt said that made it. */
export function hearOfJob(write: KeptWrite, { keptJson, seq }: Pick<Job, "keptJson"> & Seq): KeptWrite {
  if (keptJson === undefined) return { ...write, seq };
  const found = JSON.parse(keptJson) as Reversal | Irreversible;
  return { ...write, seq, job: { by: null, ...write.job, found } };
}

/** Read how the job that a write is has ended. */
export function readJob(kept: KeptWrite, record: JobRecord | null): KeptWrite {
  const { job, jobId: _, look, ...write } = kept;
  const tool = toolOf(job) ?? write.tool;
  const ended: KeptWrite = { ...write, state: "waits" };
  // Nothing is kept of a job that is long over.
  if (record === null) return ended;
  const { argsJson = "{}", dataJson, inDoubt, status, updatedAt } = record;
  const done = { tool: write.tool, args: readObject(argsJson), output: dataJson && parseExact(dataJson) };
  if (status === "succeeded") return { ...ended, by: resolveReversal(job?.by ?? null, done, job?.found) };
  if (inDoubt !== true)
    return status === "cancelled"
      ? endWrite(ended, { tool, status: "cancelled" })
      : endWrite({ ...ended, isNone: true });
  return look === undefined ? ended : { ...ended, sentAt: updatedAt, look: { ...look, argsJson } };
}

/** Say what became of the job that takes a write back. */
export function settleWrite(write: KeptWrite, job: Job): KeptWrite {
  if (isLive(job.status)) {
    const { entry: _, ...rest } = write;
    return { ...rest, state: "sent" };
  }
  if (write.isNone === true) return endWrite(write);
  // It was looked up, or its tool is declared otherwise by now.
  if (
    job.status === "succeeded" &&
    write.by !== undefined &&
    "asks" in write.by &&
    write.isApproved !== true
  ) {
    const { jobId: _, ...rest } = write;
    return { ...rest, state: "waits", isAgain: true };
  }
  const { dataJson, errorJson, createdAt, updatedAt: endedAt, tries } = job;
  const told = { startedAt: tries[0]?.at ?? createdAt, endedAt, tries };
  const { by } = write;
  const tool = by?.tool ?? job.spec.tool;
  if (by !== undefined && !("argsJson" in by))
    return endWrite(write, { tool, status: "error", error: by.error });
  if (job.status === "succeeded")
    return endWrite(write, {
      tool,
      status: "success",
      ...told,
      ...(dataJson !== null && dataJson !== "null" && { dataJson }),
    });
  const error = errorJson === null ? CANCELLED : (JSON.parse(errorJson) as WireFailure);
  // Nothing is known of one that could not be looked up either.
  const isUnknown = isJobInDoubt(job) || (by === undefined && write.look !== undefined);
  return endWrite(write, { tool, status: isUnknown ? "unknown" : "error", error, ...told });
}

const CANCELLED = toWireFailure(
  makeFailure("CANCELLED", { hint: "The job that was to take it back was cancelled." }),
);
