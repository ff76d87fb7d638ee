import * as z from "zod";

import { ORCHESTRATION_LIMITS } from "../../contract/orchestration-partition.ts";

const call = z
  .looseObject({
    id: z.string().optional(),
    toolName: z.string().optional(),
    input: z.looseObject({}).optional(),
  })
  .meta({ id: "OrchestrationCall" });
const count = z.int().min(0);
const counts = { totalTools: count, parallelBatches: count, serialBatches: count, maxParallelism: count };

export const batchCallsSchema = z
  .looseObject({
    tools: z.array(call).min(1).max(ORCHESTRATION_LIMITS.batchTools),
  })
  .meta({ id: "OrchestrationBatch" });

export const partitionCallsSchema = z
  .looseObject({
    tools: z.array(call).max(ORCHESTRATION_LIMITS.partitionTools),
  })
  .meta({ id: "OrchestrationPartition" });

export const batchAnswerSchema = z
  .strictObject({
    result: z.strictObject({
      success: z.boolean(),
      results: z.array(
        z.strictObject({
          toolId: z.string(),
          toolName: z.string(),
          success: z.boolean(),
          output: z.unknown().optional(),
          error: z.string().optional(),
          durationMs: z.number().min(0),
        }),
      ),
      stats: z.strictObject({ ...counts, totalDurationMs: z.number().min(0) }),
    }),
    partition: z.strictObject({ batches: count, ...counts, estimatedSpeedup: z.string() }),
  })
  .meta({ id: "OrchestrationBatchAnswer" });

export const partitionAnswerSchema = z
  .strictObject({
    batches: z.array(
      z.strictObject({
        parallel: z.boolean(),
        tools: z.array(
          z.strictObject({ call: z.unknown(), class: z.enum(["readonly", "mutating"]), reason: z.string() }),
        ),
      }),
    ),
    stats: z.strictObject({ ...counts, estimatedSpeedup: z.string() }),
  })
  .meta({ id: "OrchestrationPartitionAnswer" });

/** How this API says no. */
export const apiErrorSchema = z.strictObject({ error: z.string() }).meta({ id: "OrchestrationError" });
