import * as z from "zod/mini";

import type { Entry } from "../../core/contract/action.ts";
import { strictSchema, type Written } from "../../feature/schema.ts";

/** The bounds of a request to the Orchestration API, beside `LIMITS`. */
export const ORCHESTRATION_LIMITS = {
  /** The reference document's own limit of a batch. */
  batchTools: 20,
  /**
   * The document gives a preview no limit, but an answer is larger than its question: a body of 100,000 zeros would be answered
   * with 15 MB. A preview needs at most fifty times as many calls as a batch that may run.
   */
  partitionTools: 1_000,
} as const;

/** Whether a call may run beside others. Nothing but proof makes one `readonly`. */
export const CONCURRENCY_CLASSES = ["readonly", "mutating"] as const;

export type ConcurrencyClass = (typeof CONCURRENCY_CLASSES)[number];

/** A call's class, and why: one short sentence that is shown to the caller. */
export interface Classification {
  readonly class: ConcurrencyClass;
  readonly reason: string;
}

/** One call as the Orchestration API's caller sent it. */
export interface OrchestrationCall {
  /** Exactly what was sent, whatever it is: a preview shows it again. */
  readonly sent: unknown;
  /** The caller's own id, which need not be unique; empty when there was none. */
  readonly toolId: string;
  /** The name as it was sent; empty when there was none. */
  readonly toolName: string;
  /** The call as one place of a batch. Its id is ours (`a0`, `a1`, …), so two calls with one `toolId` stay two. */
  readonly entry: Entry;
}

export interface ClassifiedCall extends Classification {
  readonly call: OrchestrationCall;
}

/** Calls that run together, or one call that runs alone. */
export interface PartitionBatch {
  readonly parallel: boolean;
  readonly tools: readonly ClassifiedCall[];
}

/** The counts of a partition, in the reference document's words. */
export const partitionStatsSchema = strictSchema(() => {
  const count = z.int().check(z.minimum(0));
  return {
    totalTools: count,
    parallelBatches: count,
    serialBatches: count,
    /** The most calls of one batch; 1 when there is none, because one after the other is the least there is. */
    maxParallelism: count,
    /** Calls per batch as a percentage, such as `133%`. */
    estimatedSpeedup: z.string(),
  };
});

export type PartitionStats = Written<typeof partitionStatsSchema>;

/** The order of an Orchestration API request: its batches run one after the other and hold every call once. */
export interface Partition {
  readonly batches: readonly PartitionBatch[];
  readonly stats: PartitionStats;
}
