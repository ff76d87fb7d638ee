import type { RefusalCode } from "../contract/failure-codes.ts";
import type { Origin } from "../contract/gate/caller.ts";
import type { Outcome, OutcomeStatus } from "../contract/outcome.ts";
import type { Plan } from "../plan/step.ts";

/** What the time of a request goes into. */
export type Stage = "parse" | "model" | "plan" | "admit" | "run" | "write";

/** What became of a batch: it ran, it had run before under its key, or it was only planned. */
export type BatchKind = "run" | "replay" | "dry_run";

/** A batch that is over. */
export interface SeenBatch {
  readonly kind: BatchKind;
  readonly plan: Plan;
  /** One for every step; none where nothing ran. */
  readonly outcomes: readonly Outcome[];
  readonly batchId: string | null;
  readonly durationMs: number;
  readonly maxParallelism: number;
  /** The gate did not answer, so nothing of it was counted. */
  readonly degraded: boolean;
  readonly origin: Origin;
  /** Whether there is a tool of that name for the caller: any other name is the caller's own text. */
  readonly isTool: (name: string) => boolean;
}

/** What a batch came to, in numbers. */
export interface BatchCounts {
  readonly statuses: Record<OutcomeStatus, number>;
  /** Failures by their code, and actions by their tool. */
  readonly codes: ReadonlyMap<string, number>;
  readonly tools: ReadonlyMap<string, number>;
  readonly queuedMs: number;
  readonly attempts: number;
  readonly bytes: number;
}

/** What a request was refused for, and how it was sent. */
export interface SeenRefusal {
  readonly code: RefusalCode;
  /** Of the answer; 200 where the refusal is told inside of one. */
  readonly status: number;
  readonly method?: string;
}
