import type { JobSpec } from "./job.ts";

/** A run to be recorded, once for what caused it. */
export interface RunRequest {
  /** What its cause is known by among those of the flow; what was recorded under it before is the run. */
  readonly cause: string;
  readonly spec: JobSpec;
  /** Whether whoever asks makes the first attempt, where there is room for one more of those. */
  readonly takes: boolean;
}

/** What became of it: the job, and the fence of its first attempt; null when that is the alarm's to make, or was made. */
export type RunAnswer =
  | { readonly kind: "recorded"; readonly jobId: string; readonly fence: number | null }
  | { readonly kind: "backlog-full" };

/** A step of a run, as it is kept for the attempts to come. */
export interface KeptStep {
  readonly id: string;
  /** How it ended; null for a write of which only is known that it was about to be sent. */
  readonly outcomeJson: string | null;
}

/** What an attempt of a run leaves besides its end. */
export interface RunReport {
  readonly envelopeJson: string;
  /** How those of its steps ended that no later attempt may run again. */
  readonly steps: readonly KeptStep[];
}
