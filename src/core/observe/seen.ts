import type { RefusalCode } from "../contract/failure-codes.ts";
import type { Origin } from "../contract/gate/caller.ts";
import type { JsonObject } from "../contract/json.ts";
import type { Outcome, OutcomeStatus } from "../contract/outcome.ts";
import type { Asker, Call, Plan, Step } from "../plan/step.ts";

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
  /** The tool that it is, where it is one. */
  readonly tool?: string | undefined;
  /** How it came to run; only of what ran. */
  readonly ran?: SeenRun;
  /** Whether there is a tool of that name for the caller: any other name is the caller's own text. */
  readonly isTool: (name: string) => boolean;
}

/** The facts about a batch that ran which its outcomes do not have. */
export interface SeenRun {
  /** Milliseconds since the epoch at which it was asked to be admitted. */
  readonly startedAt: number;
  /** The batch that it was an action of. */
  readonly outer?: string | undefined;
  readonly at?: { readonly id: string; readonly element: number | null } | undefined;
  /** The tool that it is a run of, and the job and the trigger where no request asked for it. */
  readonly runOf?: (Pick<Asker, "tool" | "trigger"> & { readonly runId?: string }) | undefined;
  /** The door by which the run came that it runs again; absent where it runs for the first time. */
  readonly again?: string | undefined;
  /** A later attempt goes on with it: it has not ended. */
  readonly goesOn?: boolean | undefined;
  /** The calls of steps that had to be looked up first, by the step's place. */
  readonly prepared: ReadonlyMap<number, Call>;
  /** The idempotency key that a write's call was sent under, or would have been. */
  readonly callKey: (step: Step) => string;
}

/** Hears of what ran, in its own turn: nothing waits for it, and it never throws. */
export interface RunListener {
  saw(batch: SeenBatch): void;
  /** A request of the caller, or a batch of it, was refused whole. */
  refused?(code: RefusalCode): void;
  /** The run that the batches of this request are rounds of; absent where each is a run of its own. */
  readonly joined?: string | undefined;
  /** Take the batches of this request as the rounds of one run from now on, until its end is told. */
  join(tags: readonly string[], startedAt: number): (end: JoinedEnd) => void;
}

/** The end of a run of several batches. */
export interface JoinedEnd {
  readonly durationMs: number;
  /** The answers of the model that asked for them. */
  readonly model: readonly ModelRound[];
  /** Why it broke off; null where it did not. */
  readonly code: RefusalCode | null;
}

export interface ModelRound {
  readonly startedAt: number;
  readonly modelMs: number;
  /** As the model's provider counts. */
  readonly usage: JsonObject | null;
}

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
