import type { RunEvidence } from "../../../test/chaos/find-run-violations.ts";
import type { JobFollower } from "./follow-jobs.ts";
import type { QuestionEvidence } from "./ledger.ts";

/** The notes that callers keep until the end: the results are looked up then. */
export interface Records {
  /** Writes of batches, by their number: what each answer said of them. */
  readonly writes: Map<number, { readonly keyed: boolean; readonly told: string[] }>;
  readonly follower: JobFollower;
  readonly runs: RunEvidence[];
  readonly questions: Omit<QuestionEvidence, "happened">[];
  /** When a call was sent that a limit may let through, on the clock of `performance.now()`. */
  readonly sentAt: Map<number, number>;
  /** Calls that a limit turned away, by its name. */
  readonly denied: Record<string, number>;
  /** Numbers of jobs that may reach the provider once only. */
  readonly once: Set<number>;
  /** Keys that were made while it ran; they are shown once and stand nowhere else. */
  readonly madeKeys: string[];
}

/** Numbers from here on are spared by the faults: what is promised of them leaves no room for one. */
export const SPARED = 1_000_000_000;
/** That of the clock's write. */
export const CLOCK_N = 2 * SPARED;
