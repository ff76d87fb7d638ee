import * as z from "zod";

import {
  type Check,
  type Fields,
  fits,
  isJsonObject,
  isText,
  isWritten,
  listOf,
  oneOf,
  record,
  upTo,
} from "./json.ts";
import { lazySchema } from "./lazy-schema.ts";

/**
 * A tool's promises about being called: how parallel, in which order, how often, and the meaning of its failure.
 *
 * The same shape is what an author writes and what travels as `x-orchestration` in every JSON Schema, so that an
 * agent reads exactly what the engine obeys.
 */
export const orchestrationSchema = lazySchema(() =>
  z
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
       * For a sync write: the read that shows whether it took effect when its answer was lost. `args` and `equals` point into the
       * write's arguments, `found` into the read's output.
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
    .readonly()
    .meta({ id: "Contract" }),
);

export type Orchestration = z.infer<ReturnType<typeof orchestrationSchema>>;

/**
 * Whether a value is a contract, as `orchestrationSchema` would say: by hand, because every tool is asked at every start, and
 * making the schema costs more than all the asking. The schema explains a value that is refused here.
 */
export function isOrchestration(value: unknown): value is Orchestration {
  return fits(value, FIELDS, ["mode"]);
}

const texts: Check = (value) => isJsonObject(value) && Object.values(value).every(isText);

const FIELDS: Fields = {
  mode: oneOf("parallel-safe", "sequential-only", "fan-out-bounded", "dependent"),
  max_concurrency: upTo(50),
  global_concurrency: upTo(1_000),
  backoff: record({ strategy: oneOf("exponential"), initial_ms: upTo(60_000) }, ["strategy", "initial_ms"]),
  depends_on: listOf(
    record({ tool: isWritten, required_fields: listOf(isWritten), from: texts }, ["tool", "required_fields"]),
  ),
  on_error: oneOf("partial-success", "fail-fast"),
  rate_limit: record(
    { limit: upTo(Number.MAX_SAFE_INTEGER), window_s: upTo(86_400), scope: oneOf("tenant", "global") },
    ["limit", "window_s", "scope"],
  ),
  cache_ttl_s: upTo(86_400),
  verify_with: record({ tool: isWritten, args: texts, found: isText, equals: isText }, ["tool", "args"]),
  confirm: oneOf("never", "always"),
};
