import * as z from "zod/mini";

import { failureSchema } from "../contract/failure.ts";
import { lazySchema, strictSchema } from "../contract/lazy-schema.ts";
import * as LIMITS from "../contract/limits.ts";
import { pendingSchema, truncationSchema, trySchema, VERDICTS } from "../contract/outcome.ts";
import { planSchema } from "../plan/describe-plan.ts";

const count = lazySchema(() => z.int().check(z.minimum(0)));
const milliseconds = lazySchema(() => z.number().check(z.minimum(0)));

/** The measures of an action; those that do not apply are left out. */
export const metaSchema = strictSchema("ResultMeta", () => ({
  started_ms: z.optional(milliseconds()).check(z.describe("From the batch's start until it left its queues")),
  duration_ms: z.optional(milliseconds()),
  queued_ms: z.optional(milliseconds()),
  attempts: z.optional(count()),
  tries: z.optional(z.array(trySchema())).check(z.describe("Where there was more than one")),
  bytes: z.optional(count()),
  items: z.optional(z.strictObject({ total: count(), ok: count(), error: count() })),
  deduplicated_of: z.optional(z.string()).check(z.describe("The action whose call this one shared")),
  cached: z.optional(z.literal(true)).check(z.describe("It is a remembered answer: nothing was called")),
  age_ms: z.optional(milliseconds()).check(z.describe("How long ago the remembered answer was asked for")),
  select_missing: z.optional(z.array(z.string())),
  truncated: z.optional(truncationSchema()),
  demoted: z.optional(z.literal(true)).check(z.describe("Unfinished at the deadline; it goes on as a job")),
  verification: z
    .optional(
      z.strictObject({
        tool: z.optional(z.string()),
        verdict: z.enum(VERDICTS),
        duration_ms: milliseconds(),
      }),
    )
    .check(z.describe("Whether a lost write took effect, as of the moment when its tool's read looked")),
  in_doubt: z
    .optional(z.literal(true))
    .check(z.describe("A write of it was sent, and whether that took effect is not known")),
  idempotency_replayed: z
    .optional(z.literal(true))
    .check(z.describe("It ran before, under the same idempotency_key; this is what came of it then")),
  limiter: z.optional(z.literal("degraded")),
  approved_by: z
    .optional(z.strictObject({ remembered: z.string(), name: z.string() }))
    .check(z.describe("The yes that let it through, and who said it")),
  read_as: z
    .optional(z.strictObject({ tool: z.optional(z.string()), args: z.optional(z.string()) }))
    .check(z.describe("From where a field was read that did not stand under its own name")),
  warnings: z
    .optional(z.array(z.string()).check(z.maxLength(LIMITS.warnings)))
    .check(
      z.describe(
        "It ran, but perhaps not as it was meant: text that only looks like a reference, or a select that found nothing",
      ),
    ),
  handle: z.optional(z.string()).check(z.describe("Stands for the whole data in a $ref of a later batch")),
}));

/** The result of one action. */
export const resultSchema = lazySchema("Result", () => {
  const head = { index: count(), id: z.string(), tool: z.nullable(z.string()) };
  const meta = metaSchema();
  const error = failureSchema();
  /** A loop that failed as a whole shows the result of each element, where one of them ran. */
  const data = z.optional(z.unknown()).check(z.describe("The elements that ran of a `for_each` that failed"));
  return z.discriminatedUnion("status", [
    z.strictObject({ ...head, status: z.literal("success"), data: z.unknown(), meta }),
    z.strictObject({ ...head, status: z.literal("error"), data, error, meta }),
    z.strictObject({ ...head, status: z.literal("initiated"), job_id: z.string(), meta }),
    z.strictObject({
      ...head,
      status: z.literal("pending_confirmation"),
      connect_url: z.optional(z.string()),
      confirmation: pendingSchema(),
      meta,
    }),
    z.strictObject({ ...head, status: z.literal("skipped"), because: z.string(), error, meta }),
    z.strictObject({ ...head, status: z.literal("unknown"), data, error, meta }),
  ]);
});

/** The counts of a batch, by status; `total` is their sum. */
export const summarySchema = strictSchema(() => {
  const of = count();
  return {
    total: of,
    ok: of,
    error: of,
    initiated: of,
    skipped: of,
    pending_confirmation: of,
    unknown: of,
  };
});

/** The measures of a batch as a whole. */
export const statsSchema = strictSchema(() => ({
  duration_ms: milliseconds(),
  critical_path_ms: milliseconds(),
  sequential_ms: milliseconds(),
  speedup: z
    .optional(z.number())
    .check(z.describe("sequential_ms over duration_ms; left out where one call ran")),
  max_parallelism: count(),
}));

/** The answer to a batch: exactly one result for every action, in the order asked. */
export const envelopeSchema = strictSchema("Envelope", () => ({
  batch_id: z.string(),
  results: z.array(resultSchema()),
  summary: summarySchema(),
  stats: statsSchema(),
}));

/** The answer to a batch, or to one that was only to be planned. */
export const executionSchema = lazySchema("Execution", () => z.union([envelopeSchema(), planSchema()]));
