import type { Origin } from "../contract/gate/caller.ts";
import { type Outcome, OUTCOME_STATUSES } from "../contract/outcome.ts";
import type { DataPoint } from "../egress/ports.ts";
import type { BatchCounts, SeenBatch, SeenRefusal } from "./seen.ts";

/** The head of every point: its tenant, and its request. */
interface PointHead {
  readonly origin: Origin;
  readonly requestId: string;
  readonly route: string;
}

interface BatchPoint extends PointHead {
  readonly batch: SeenBatch;
  readonly counts: BatchCounts;
  /** Milliseconds of each stage: parse, model, plan, admit, run, write. */
  readonly stages: readonly number[];
  /** How many of its actions have no point. */
  readonly leftOut: number;
}

interface ActionPoint extends PointHead {
  readonly batchId: string | null;
  readonly tool: string;
  readonly outcome: Outcome;
}

interface RefusalPoint extends PointHead, SeenRefusal {
  readonly durationMs: number;
}

/**
 * Make the point of a batch. All kinds have the same columns, so one query may ask for several: `docs/observability.md` has
 * their order, and what is once written there never changes its place.
 */
export function toBatchPoint({ batch, counts, stages, leftOut, ...head }: BatchPoint): DataPoint {
  const { statuses, queuedMs, attempts, bytes } = counts;
  const [code = ""] = [...counts.codes].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return {
    indexes: [head.origin.tenant],
    blobs: toBlobs("batch", head, { status: batch.kind, code, batchId: batch.batchId }),
    doubles: [
      batch.durationMs,
      queuedMs,
      attempts,
      bytes,
      batch.plan.steps.length,
      ...OUTCOME_STATUSES.map((status) => statuses[status]),
      batch.maxParallelism,
      leftOut,
      ...stages,
    ],
  };
}

export function toActionPoint({ batchId, tool, outcome, ...head }: ActionPoint): DataPoint {
  const { durationMs = 0, queuedMs = 0, attempts = 0, bytes = 0 } = outcome.meta;
  const code = "error" in outcome ? outcome.error.code : "";
  return {
    indexes: [head.origin.tenant],
    blobs: toBlobs("action", head, { tool, status: outcome.status, code, batchId }),
    doubles: [
      durationMs,
      queuedMs,
      attempts,
      bytes,
      1,
      ...OUTCOME_STATUSES.map((status) => Number(status === outcome.status)),
    ],
  };
}

/** Make the point of a request that a known caller sent and that was refused. */
export function toRefusalPoint({ code, status, durationMs, ...head }: RefusalPoint): DataPoint {
  return {
    indexes: [head.origin.tenant],
    blobs: toBlobs("refused", head, { status: String(status), code }),
    doubles: [durationMs],
  };
}

interface PointWords {
  readonly tool?: string;
  readonly status: string;
  readonly code: string;
  readonly batchId?: string | null;
}

function toBlobs(
  kind: "batch" | "action" | "refused",
  { origin, requestId, route }: PointHead,
  { tool = "", status, code, batchId }: PointWords,
): string[] {
  return [kind, origin.tenant, origin.key, route, tool, status, code, requestId, batchId ?? ""];
}
