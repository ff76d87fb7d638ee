import * as z from "zod/mini";

import { type Failure, toWireFailure } from "../../core/contract/failure.ts";
import { strictSchema, type Written } from "../../feature/schema.ts";
import {
  CONCURRENCY_CLASSES,
  type OrchestrationCall,
  type Partition,
  partitionStatsSchema,
} from "./calls.ts";
import type { Outcome } from "../../feature/tool.ts";

/** The outcomes of a partition's calls, in the order asked, and the wall-clock time of all. */
export interface PartitionOutcome {
  /** One for every call, by the call's `entry.index`. */
  readonly outcomes: readonly Outcome[];
  readonly totalDurationMs: number;
}

/** The answer that `toBatchJson()` writes. */
export const batchAnswerSchema = strictSchema("OrchestrationBatchAnswer", () => {
  const result = z.strictObject({
    toolId: z.string(),
    toolName: z.string(),
    success: z.boolean(),
    output: z.optional(z.unknown()),
    error: z.optional(z.string()),
    durationMs: z.number().check(z.minimum(0)),
  });
  const { estimatedSpeedup, ...counts } = partitionStatsSchema().shape;
  const stats = z.strictObject({ ...counts, totalDurationMs: z.number().check(z.minimum(0)) });
  return {
    result: z.strictObject({ success: z.boolean(), results: z.array(result), stats }),
    partition: z.strictObject({ batches: z.int().check(z.minimum(0)), ...counts, estimatedSpeedup }),
  };
});

/** The answer that `toPartitionJson()` writes. */
export const partitionAnswerSchema = strictSchema("OrchestrationPartitionAnswer", () => {
  const tool = z.strictObject({
    call: z.unknown(),
    class: z.enum(CONCURRENCY_CLASSES),
    reason: z.string(),
  });
  return {
    batches: z.array(z.strictObject({ parallel: z.boolean(), tools: z.array(tool) })),
    stats: partitionStatsSchema(),
  };
});

/**
 * Write the answer of `POST /api/orchestration/batch`: exactly one result per call, in the order asked.
 *
 * Put together from text, because a success already is text (`outcome.json`) and large data is serialised once.
 */
export function toBatchJson(
  { batches, stats }: Partition,
  { outcomes, totalDurationMs }: PartitionOutcome,
): string {
  const calls = batches.flatMap(({ tools }) => tools.map(({ call }) => call));
  const results = calls.map((call) => toResultJson(call, outcomes[call.entry.index]!, calls));
  const { estimatedSpeedup, ...counts } = stats;
  const success = outcomes.every(isSuccess);
  const result = `{"success":${success},"results":[${results.join(",")}],"stats":${JSON.stringify({ ...counts, totalDurationMs })}}`;
  const partition = { batches: batches.length, ...counts, estimatedSpeedup };
  return `{"result":${result},"partition":${JSON.stringify(partition)}}`;
}

/** Write the answer of `POST /api/orchestration/partition`. Every call is shown as it was sent. */
export function toPartitionJson({ batches, stats }: Partition): string {
  return JSON.stringify({
    batches: batches.map(({ parallel, tools }) => ({
      parallel,
      tools: tools.map(({ call, ...classified }) => ({ call: call.sent, ...classified })),
    })),
    stats,
  } satisfies Written<typeof partitionAnswerSchema>);
}

function toResultJson(
  call: OrchestrationCall,
  outcome: Outcome,
  calls: readonly OrchestrationCall[],
): string {
  const head = `{"toolId":${JSON.stringify(call.toolId)},"toolName":${JSON.stringify(call.toolName)},"success":${isSuccess(outcome)}`;
  return `${head},${toBody(outcome, calls)},"durationMs":${outcome.meta.durationMs ?? 0}}`;
}

/** A recorded job is a success: this API has no third word, and the work is safe. */
function isSuccess({ status }: Outcome): boolean {
  return status === "success" || status === "initiated";
}

function toBody(outcome: Outcome, calls: readonly OrchestrationCall[]): string {
  switch (outcome.status) {
    case "success":
      return `"output":${(outcome.shown ?? outcome).json}`;
    case "initiated":
      return `"output":${JSON.stringify({ status: "initiated", job_id: outcome.jobId })}`;
    case "skipped": {
      const cause = calls.find(({ entry }) => entry.id === outcome.because);
      return toErrorJson(
        cause === undefined
          ? sayFailure(outcome.error)
          : `Not executed: '${cause.toolName}' ('${cause.toolId}') failed before it.`,
      );
    }
    case "pending_confirmation":
      return toErrorJson(`Not executed: ${outcome.confirmation.message}`);
    case "error":
    case "unknown":
      return toErrorJson(sayFailure(outcome.error));
  }
}

function toErrorJson(error: string): string {
  return `"error":${JSON.stringify(error)}`;
}

/** A failure as the one text this API has: the code for programs, the sentences for models. */
function sayFailure(failure: Failure): string {
  const { code, message, hint, upstream } = toWireFailure(failure);
  const said = upstream === undefined ? "" : ` upstream: ${JSON.stringify(upstream)}`;
  return `${code}: ${message}${hint === undefined ? "" : ` ${hint}`}${said}`;
}
