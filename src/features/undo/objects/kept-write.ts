import { FAILURE_CODES } from "../../../core/contract/failure-codes.ts";
import { makeFailure, toWireFailure, type WireFailure } from "../../../core/contract/failure.ts";
import type { JobRecord } from "../../../feature/tool.ts";
import { type JsonObject, parseExact } from "../../../feature/schema.ts";
import { isJobInDoubt, isLive, type Job } from "../../../core/gate/state/outbox.ts";
import { findReversal, inAccounts, readArgs } from "../resolve-reversal.ts";
import type { Back, KeptWrite, Reversal } from "../undo-run.ts";

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

/** The tool that takes a write back, as far as it is known; else its own. */
export function toolOf({ tool, by, job }: Pick<KeptWrite, "tool" | "by" | "job">): string {
  return by?.tool ?? job?.by.compensation?.tool ?? tool;
}

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

/** Read how the job that a write is has ended. Nothing is kept of one that is long over. */
export function readJob({ job, look, ...write }: KeptWrite, record: JobRecord | null): KeptWrite {
  const ended: KeptWrite = { ...write, jobId: undefined, state: "waits" };
  if (record === null) return ended;
  const { argsJson = "{}", dataJson, inDoubt, status, updatedAt, accounts, tries } = record;
  if (status === "succeeded") {
    const done = { tool: write.tool, args: readArgs(argsJson), output: dataJson && parseExact(dataJson) };
    return { ...ended, by: inAccounts(accounts, backOf(job!) ?? findReversal(job!.by, done)) };
  }
  if (inDoubt === true)
    return look === undefined
      ? { ...ended, code: tries.findLast((one) => one.inDoubt)?.code }
      : { ...ended, sentAt: updatedAt, accounts, look: { ...look, argsJson } };
  return status === "cancelled"
    ? endWrite(ended, { tool: toolOf({ ...write, job }), status })
    : endWrite({ ...ended, isNone: true });
}

/** The call that takes a job's write back, as its attempt said, which saw the whole output. An attempt may have said none, or one of another tool. */
function backOf({ by: { compensation, ...way }, found }: NonNullable<KeptWrite["job"]>): Back | undefined {
  if (compensation === undefined || found?.error !== undefined) return compensation && found;
  return found?.tool === compensation.tool ? { ...found, ...way } : undefined;
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
  if (by?.error !== undefined) return endWrite(write, { ...by, status: "error" });
  const told = { tool: by?.tool ?? job.spec.tool, startedAt: tries[0]?.at ?? createdAt, endedAt, tries };
  if (status === "succeeded") {
    const isEmpty = dataJson === null || dataJson === "null";
    return endWrite(write, { ...told, status: "success", dataJson: isEmpty ? undefined : dataJson });
  }
  const error = errorJson === null ? CANCELLED : (JSON.parse(errorJson) as WireFailure);
  // Nothing is known of one that could not be looked up either.
  const isUnknown = isJobInDoubt(job) || (by === undefined && look !== undefined);
  return endWrite(write, { ...told, status: isUnknown ? "unknown" : "error", error });
}

const CANCELLED = toWireFailure(
  makeFailure("CANCELLED", { hint: "The job that was to take it back was cancelled." }),
);
