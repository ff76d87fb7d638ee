import type { JobTry } from "../../core/contract/gate/job.ts";
import { createPartCall } from "../../core/contract/gate/part-call.ts";
import {
  type AskedWrites,
  type BegunWrite,
  type ClaimedState,
  type ClosedRun,
  type KeptWrite,
  type Pending,
  type RunFacts,
  UNDO,
  type UndoState,
  type WriteEnd,
  type WritePlace,
} from "./undo-run.ts";

/** The facts that a job has with it: its write begins with them. */
export type BegunJob = Parameters<UndoMethods["begin"]>;

/** The facts by which an attempt takes a write back, or looks it up first, or asks people about several. */
export type OpenedJob =
  | { readonly write: KeptWrite; readonly tries: readonly JobTry[] }
  | { readonly asks: readonly KeptWrite[]; readonly runId: string; readonly callback: RunFacts["callback"] };

/** The methods of the part of a tenant's object that takes writes back. */
export interface UndoMethods {
  /**
   * Write down that a write is about to be sent; false where nothing of its run may be sent any more.
   *
   * @param again an earlier run may have sent it under its key: where that run was lost, or is undone, this one sends nothing, because the
   *   service would answer with what is taken back, and it tells of that run's writes
   */
  begin(runId: string, write: BegunWrite, run: RunFacts, again?: boolean): boolean;
  /** Write down how a write ended. */
  end(runId: string, place: WritePlace, end: WriteEnd): void;
  /** Say that a run goes on; false where it was taken for lost. */
  hold(runId: string): boolean;
  /**
   * Hear how a run, or an attempt of one that is a job, has ended. One that failed, or was taken for lost, is taken back; null where it is
   * not, once none of its questions is open, or its job decides.
   */
  close(runId: string, run: RunFacts, closed: ClosedRun): UndoState | null;
  /**
   * Take back what is asked of runs that share a root and are over, and was not asked before, or only say what that is: how long to wait
   * where one of them, or an undo of it, is under way.
   */
  claim(
    root: string,
    runs: readonly string[],
    run: RunFacts,
    asked: AskedWrites,
    isDry: boolean,
  ): ClaimedState | { readonly retryAfterMs: number };
  /** Look at the writes of several runs that were ever asked for. */
  looks(runs: readonly string[]): UndoState;
  /** Begin an attempt; null when it may not. */
  open(jobId: string, fence: number): OpenedJob | null;
  /** Write down what an attempt found out about its write; false when it may send nothing any more. */
  found(jobId: string, fence: number, found: Pick<KeptWrite, "by" | "isNone">): boolean;
  /** Write down the question about some writes; the others are sent as if none of them asked. */
  asked(jobId: string, fence: number, question: Pending | null, names: readonly string[]): void;
}

export const callUndo = createPartCall<UndoMethods>(UNDO);
