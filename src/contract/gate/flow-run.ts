import type { JobSpec } from "./job.ts";

/** A run to be recorded, once for what caused it. */
export interface RunRequest {
  /** The name of its cause among those of the flow; a run that was recorded under it before is the run. */
  readonly cause: string;
  readonly spec: JobSpec;
  /** Whether the asker makes the first attempt, where there is room for one more of those. */
  readonly takes: boolean;
}

/** The recorded run: the job, and the fence of its first attempt; null when that attempt is the alarm's to make, or was made. */
export type RunAnswer =
  | { readonly kind: "recorded"; readonly jobId: string; readonly fence: number | null }
  | { readonly kind: "backlog-full" };

/** A step of a run, as it is kept for the attempts to come. */
export interface KeptStep {
  readonly id: string;
  /** How it ended; null for a write of which only is known that it was about to be sent. */
  readonly outcomeJson: string | null;
}

/** The record that an attempt of a run leaves besides its end. */
export interface RunReport {
  readonly envelopeJson: string;
  /** How those of its steps ended that no later attempt may run again. */
  readonly steps: readonly KeptStep[];
}
