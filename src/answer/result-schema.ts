import * as z from "zod";

import { failureSchema } from "../contract/failure.ts";
import { lazySchema } from "../contract/lazy-schema.ts";
import { LIMITS } from "../contract/limits.ts";
import { pendingSchema, truncationSchema, VERDICTS } from "../contract/outcome.ts";
import { planSchema } from "../plan/describe-plan.ts";

const count = lazySchema(() => z.int().min(0));
const milliseconds = lazySchema(() => z.number().min(0));

/** The measures of an action; those that do not apply are left out. */
export const metaSchema = lazySchema(() =>
  z
    .strictObject({
      duration_ms: milliseconds().optional(),
      queued_ms: milliseconds().optional(),
      attempts: count().optional(),
      bytes: count().optional(),
      items: z.strictObject({ total: count(), ok: count(), error: count() }).optional(),
      deduplicated_of: z.string().optional().describe("The action whose call this one shared"),
      cached: z.literal(true).optional().describe("It is a remembered answer: nothing was called"),
      age_ms: milliseconds().optional().describe("How long ago the remembered answer was asked for"),
      select_missing: z.array(z.string()).optional(),
      truncated: truncationSchema().optional(),
      demoted: z.literal(true).optional().describe("Unfinished at the deadline; it goes on as a job"),
      verification: z
        .strictObject({ tool: z.string().optional(), verdict: z.enum(VERDICTS), duration_ms: milliseconds() })
        .optional()
        .describe("Whether a lost write took effect, as of the moment when its tool's read looked"),
      idempotency_replayed: z
        .literal(true)
        .optional()
        .describe("It ran before, under the same idempotency_key; this is what came of it then"),
      limiter: z.literal("degraded").optional(),
      read_as: z
        .strictObject({ tool: z.string().optional(), args: z.string().optional() })
        .optional()
        .describe("From where a field was read that did not stand under its own name"),
      warnings: z
        .array(z.string())
        .max(LIMITS.warnings)
        .optional()
        .describe(
          "It ran, but perhaps not as it was meant: text that only looks like a reference, or a select that found nothing",
        ),
      handle: z.string().optional().describe("Stands for the whole data in a $ref of a later batch"),
    })
    .meta({ id: "ResultMeta" }),
);

/** The result of one action. */
export const resultSchema = lazySchema(() => {
  const head = { index: count(), id: z.string(), tool: z.string().nullable() };
  const meta = metaSchema();
  const error = failureSchema();
  /** A loop that failed as a whole shows the result of each element, where one of them ran. */
  const data = z.unknown().optional().describe("What ran of a `for_each` that failed");
  return z
    .discriminatedUnion("status", [
      z.strictObject({ ...head, status: z.literal("success"), data: z.unknown(), meta }),
      z.strictObject({ ...head, status: z.literal("error"), data, error, meta }),
      z.strictObject({ ...head, status: z.literal("initiated"), job_id: z.string(), meta }),
      z.strictObject({
        ...head,
        status: z.literal("pending_confirmation"),
        confirmation: pendingSchema(),
        meta,
      }),
      z.strictObject({ ...head, status: z.literal("skipped"), because: z.string(), error, meta }),
      z.strictObject({ ...head, status: z.literal("unknown"), data, error, meta }),
    ])
    .meta({ id: "Result" });
});

/** The counts of a batch, by status; `total` is their sum. */
export const summarySchema = lazySchema(() => {
  const of = count();
  return z.strictObject({
    total: of,
    ok: of,
    error: of,
    initiated: of,
    skipped: of,
    pending_confirmation: of,
    unknown: of,
  });
});

/** The measures of a batch as a whole. */
export const statsSchema = lazySchema(() =>
  z.strictObject({
    duration_ms: milliseconds(),
    critical_path_ms: milliseconds(),
    sequential_ms: milliseconds(),
    speedup: z.number(),
    max_parallelism: count(),
  }),
);

/** The answer to a batch: exactly one result for every action, in the order asked. */
export const envelopeSchema = lazySchema(() =>
  z
    .strictObject({
      batch_id: z.string(),
      results: z.array(resultSchema()),
      summary: summarySchema(),
      stats: statsSchema(),
    })
    .meta({ id: "Envelope" }),
);

/** The answer to a batch, or to one that was only to be planned. */
export const executionSchema = lazySchema(() =>
  z.union([envelopeSchema(), planSchema()]).meta({ id: "Execution" }),
);
