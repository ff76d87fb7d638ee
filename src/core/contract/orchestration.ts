import * as z from "zod/mini";

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
    .readonly(
      z.strictObject({
        mode: z.enum(["parallel-safe", "sequential-only", "fan-out-bounded", "dependent"]),
        /** Calls that one batch has under way at once. */
        max_concurrency: z.optional(z.int().check(z.minimum(1), z.maximum(50))),
        /** Calls under way at once over all tenants and batches: what the upstream stands. */
        global_concurrency: z.optional(z.int().check(z.minimum(1), z.maximum(1_000))),
        /** Present means: a failed call may be retried (reads, and writes that declare themselves idempotent). */
        backoff: z.optional(
          z.strictObject({
            strategy: z.literal("exponential"),
            initial_ms: z.int().check(z.minimum(1), z.maximum(60_000)),
          }),
        ),
        depends_on: z.optional(
          z
            .array(
              z.strictObject({
                tool: z.string().check(z.minLength(1)),
                required_fields: z.array(z.string().check(z.minLength(1))).check(z.minLength(1)),
                from: z.optional(z.record(z.string(), z.string())),
              }),
            )
            .check(z.minLength(1)),
        ),
        on_error: z.optional(z.enum(["partial-success", "fail-fast"])),
        rate_limit: z.optional(
          z.strictObject({
            limit: z.int().check(z.minimum(1)),
            window_s: z.int().check(z.minimum(1), z.maximum(86_400)),
            scope: z.enum(["tenant", "global"]),
          }),
        ),
        /** How old an answer may be, in seconds, that is given again without a call; reads only. */
        cache_ttl_s: z.optional(z.int().check(z.minimum(1), z.maximum(86_400))),
        /**
         * For a sync write: the read that shows whether it took effect when its answer was lost. `args` and `equals` point into the
         * write's arguments, `found` into the read's output.
         */
        verify_with: z.optional(
          z.strictObject({
            tool: z.string().check(z.minLength(1)),
            args: z.record(z.string(), z.string()),
            found: z.optional(z.string()),
            equals: z.optional(z.string()),
          }),
        ),
        confirm: z.optional(z.enum(["never", "always"])),
      }),
    )
    .register(z.globalRegistry, { id: "Contract" }),
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
