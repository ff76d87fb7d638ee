import * as z from "zod";

/**
 * What a tool promises about being called: how parallel, in which order, how often, and what its failure means.
 *
 * The same shape is what an author writes and what travels as `x-orchestration` in every JSON Schema, so that an
 * agent reads exactly what the engine obeys.
 */
export const orchestrationSchema = z
  .strictObject({
    mode: z.enum(["parallel-safe", "sequential-only", "fan-out-bounded", "dependent"]),
    /** Calls that one batch has under way at once. */
    max_concurrency: z.int().min(1).max(50).optional(),
    /** Calls under way at once over all tenants and batches: what the upstream stands. */
    global_concurrency: z.int().min(1).max(1_000).optional(),
    /** Present means: a failed call may be retried (reads, and writes that declare themselves idempotent). */
    backoff: z
      .strictObject({ strategy: z.literal("exponential"), initial_ms: z.int().min(1).max(60_000) })
      .optional(),
    depends_on: z
      .array(
        z.strictObject({
          tool: z.string().min(1),
          required_fields: z.array(z.string().min(1)).min(1),
          from: z.record(z.string(), z.string()).optional(),
        }),
      )
      .min(1)
      .optional(),
    on_error: z.enum(["partial-success", "fail-fast"]).optional(),
    rate_limit: z
      .strictObject({
        limit: z.int().min(1),
        window_s: z.int().min(1).max(86_400),
        scope: z.enum(["tenant", "global"]),
      })
      .optional(),
    /** How old an answer may be, in seconds, that is given again without a call; reads only. */
    cache_ttl_s: z.int().min(1).max(86_400).optional(),
    /**
     * Of a sync write: the read that shows whether it took effect when its answer was lost. `args` and `equals` point into
     * the write's arguments, `found` into the read's output.
     */
    verify_with: z
      .strictObject({
        tool: z.string().min(1),
        args: z.record(z.string(), z.string()),
        found: z.string().optional(),
        equals: z.string().optional(),
      })
      .optional(),
    confirm: z.enum(["never", "always"]).optional(),
  })
  .readonly();

export type Orchestration = z.infer<typeof orchestrationSchema>;
