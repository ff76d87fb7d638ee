import * as z from "zod";

import { failureSchema } from "./problem-schema.ts";

const count = z.int().min(0);
const milliseconds = z.number().min(0);

const truncationSchema = z.strictObject({
  tokens_before: count,
  tokens_after: count,
  elements_dropped: count,
  fields_dropped: count,
  characters_dropped: count,
  at: z.array(z.string()),
});

/** What was measured about an action; what does not apply is left out. */
const metaSchema = z
  .strictObject({
    duration_ms: milliseconds.optional(),
    queued_ms: milliseconds.optional(),
    attempts: count.optional(),
    bytes: count.optional(),
    items: z.strictObject({ total: count, ok: count, error: count }).optional(),
    deduplicated_of: z.string().optional().describe("The action whose call this one shared"),
    cached: z.literal(true).optional().describe("It is a remembered answer: nothing was called"),
    age_ms: milliseconds.optional().describe("How long ago the remembered answer was asked for"),
    select_missing: z.array(z.string()).optional(),
    truncated: truncationSchema.optional(),
    demoted: z.literal(true).optional().describe("Unfinished at the deadline; it goes on as a job"),
    verification: z
      .strictObject({
        tool: z.string(),
        verdict: z.enum(["took_effect", "not_found", "inconclusive"]),
        duration_ms: milliseconds,
      })
      .optional()
      .describe("Whether a lost write took effect, as of the moment when its tool's read looked"),
    idempotency_replayed: z
      .literal(true)
      .optional()
      .describe("It ran before, under the same idempotency_key; this is what came of it then"),
    limiter: z.literal("degraded").optional(),
    handle: z.string().optional().describe("Stands for the whole data in a $ref of a later batch"),
  })
  .meta({ id: "ResultMeta" });

const head = { index: count, id: z.string(), tool: z.string().nullable() };
const meta = { meta: metaSchema };
/** Of a loop that failed as a whole, what became of each element, where one of them ran. */
const failed = {
  data: z.unknown().optional().describe("What ran of a `for_each` that failed"),
  error: failureSchema,
};

/** What became of one action. */
export const resultSchema = z
  .discriminatedUnion("status", [
    z.strictObject({ ...head, status: z.literal("success"), data: z.unknown(), ...meta }),
    z.strictObject({ ...head, status: z.literal("error"), ...failed, ...meta }),
    z.strictObject({ ...head, status: z.literal("initiated"), job_id: z.string(), ...meta }),
    z.strictObject({
      ...head,
      status: z.literal("pending_confirmation"),
      confirmation: z.strictObject({ id: z.string(), expires_at: z.string(), message: z.string() }),
      ...meta,
    }),
    z.strictObject({
      ...head,
      status: z.literal("skipped"),
      because: z.string(),
      error: failureSchema,
      ...meta,
    }),
    z.strictObject({ ...head, status: z.literal("unknown"), ...failed, ...meta }),
  ])
  .meta({ id: "Result" });

/** The answer to a batch: exactly one result for every action, in the order asked. */
export const envelopeSchema = z
  .strictObject({
    batch_id: z.string(),
    results: z.array(resultSchema),
    summary: z.strictObject({
      total: count,
      ok: count,
      error: count,
      initiated: count,
      skipped: count,
      pending_confirmation: count,
      unknown: count,
    }),
    stats: z.strictObject({
      duration_ms: milliseconds,
      critical_path_ms: milliseconds,
      sequential_ms: milliseconds,
      speedup: z.number(),
      max_parallelism: count,
    }),
  })
  .meta({ id: "Envelope" });

/** The answer to a batch that was only to be planned. */
const planSchema = z
  .strictObject({
    dry_run: z.literal(true),
    plan: z.strictObject({
      waves: z.array(z.array(z.string())),
      edges: z.array(z.strictObject({ from: z.string(), to: z.string(), reason: z.string() })),
      caps: z.record(z.string(), z.number()),
      confirmations: z.array(z.string()),
      estimated_tokens: z.number(),
      estimated_speedup: z.number(),
    }),
    errors: z.array(z.strictObject({ ...head, error: failureSchema })),
  })
  .meta({ id: "DryRun" });

/** The answer to a batch, or to one that was only to be planned. */
export const executionSchema = z.union([envelopeSchema, planSchema]).meta({ id: "Execution" });
