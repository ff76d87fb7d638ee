import * as z from "zod";

import { FAILURE_CODES, TIMEOUT_PHASES } from "../../contract/failure.ts";
import { REFUSAL_CODES } from "../../contract/refusal.ts";

const retryAfterMs = z.int().min(0).optional().describe("Milliseconds after which it is worth trying again");

/** A place that does not fit, as in `contract/failure.ts`. */
const issueSchema = z
  .strictObject({
    path: z.string().describe("JSON Pointer (RFC 6901)"),
    expected: z.string(),
    received: z.string(),
  })
  .meta({ id: "Issue" });

/** A refusal of a whole request: RFC 9457. */
export const problemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(REFUSAL_CODES),
    detail: z.string().describe("What to change, in a sentence"),
    path: z.string().optional(),
    expected: z.string().optional(),
    received: z.string().optional(),
    retry_after_ms: retryAfterMs,
    request_id: z.string(),
  })
  .meta({ id: "Problem" });

/** Why one action did not succeed. */
export const failureSchema = z
  .strictObject({
    code: z.enum(FAILURE_CODES),
    message: z.string(),
    retryable: z.boolean(),
    hint: z.string().optional().describe("What to do next, in a sentence"),
    retry_after_ms: retryAfterMs,
    upstream_status: z.int().optional(),
    phase: z.enum(TIMEOUT_PHASES).optional(),
    issues: z.array(issueSchema).optional(),
  })
  .meta({ id: "Failure" });
