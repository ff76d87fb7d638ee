import type { RefusalCode } from "../contract/failure-codes.ts";
import type { Origin } from "../contract/gate/caller.ts";
import type { Outcome, OutcomeStatus } from "../contract/outcome.ts";
import type { Plan } from "../plan/step.ts";

/** The stages that a request's time goes into. */
export type Stage = "parse" | "model" | "plan" | "admit" | "run" | "write";

/** The kind of a batch: it ran, it had run before under its key, or it was only planned. */
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
  /** The flow that it is, where it is one. */
  readonly flow?: string | undefined;
  /** Whether there is a tool of that name for the caller: any other name is the caller's own text. */
  readonly isTool: (name: string) => boolean;
}

/** The counts of a batch's outcomes. */
export interface BatchCounts {
  readonly statuses: Record<OutcomeStatus, number>;
  /** Failures by their code, and actions by their tool. */
  readonly codes: ReadonlyMap<string, number>;
  readonly tools: ReadonlyMap<string, number>;
  readonly queuedMs: number;
  readonly attempts: number;
  readonly bytes: number;
}

/** The refusal of a request, and how it was sent. */
export interface SeenRefusal {
  readonly code: RefusalCode;
  /** The answer's status; 200 where the refusal is told inside of one. */
  readonly status: number;
  readonly method?: string;
}
