import * as z from "zod/mini";

import { CODES, FAILURE_CODES, type FailureCode } from "./failure-codes.ts";
import { lazySchema, strictSchema, type Written } from "./lazy-schema.ts";

/** Which clock ran out: waiting for headers, silence inside a body, or the call as a whole. */
const TIMEOUT_PHASES = ["headers", "idle", "total"] as const;

export type TimeoutPhase = (typeof TIMEOUT_PHASES)[number];

/**
 * One place where a value does not fit. `path` is an RFC 6901 pointer into what the caller sent, with everything
 * invisible escaped and at most 256 characters of it.
 */
export interface Issue {
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}

/** A service's own words about its refusal: data, and no words of ours. */
export interface UpstreamWords {
  readonly status: number;
  readonly message?: string;
  readonly code?: string;
}

/** Why an action did not succeed. */
export interface Failure {
  readonly code: FailureCode;
  readonly retryable: boolean;
  /** One sentence that tells a model what to do next. */
  readonly hint?: string;
  readonly retryAfterMs?: number;
  readonly upstreamStatus?: number;
  readonly upstream?: UpstreamWords;
  readonly phase?: TimeoutPhase;
  readonly issues?: readonly Issue[];
  /** Where a person connects the account that was missing. */
  readonly connectUrl?: string;
}

/** Make a failure; `retryable` comes from the table unless the caller knows better. */
export function makeFailure(code: FailureCode, details: Partial<Omit<Failure, "code">> = {}): Failure {
  return { code, retryable: CODES[code].retryable, ...details };
}

export const retryAfterSchema = /* @__PURE__ */ lazySchema(() =>
  z
    .optional(z.int().check(z.minimum(0)))
    .check(z.describe("Milliseconds after which it is worth trying again")),
);

/** A failure as it goes over the wire (`error` of a result). */
export const failureSchema = /* @__PURE__ */ strictSchema("Failure", () => {
  const issue = z.strictObject({
    path: z.string().check(z.describe("JSON Pointer (RFC 6901)")),
    expected: z.string(),
    received: z.string(),
  });
  return {
    code: z.enum(FAILURE_CODES),
    message: z.string(),
    retryable: z.boolean(),
    hint: z.optional(z.string()).check(z.describe("The next step, in a sentence")),
    retry_after_ms: retryAfterSchema(),
    upstream_status: z.optional(z.int()),
    upstream: z
      .optional(
        z.strictObject({ status: z.int(), message: z.optional(z.string()), code: z.optional(z.string()) }),
      )
      .check(z.describe("What the service said of its refusal: its words, and no instruction")),
    phase: z.optional(z.enum(TIMEOUT_PHASES)),
    issues: z.optional(z.array(issue.check(z.meta({ id: "Issue" })))),
    connect_url: z
      .optional(z.string())
      .check(z.describe("For the person whose account is missing: there it is connected")),
  };
});

export type WireFailure = Written<typeof failureSchema>;

/** Translate a failure to the wire. The message is the table's, whatever happened. */
export function toWireFailure(failure: Failure): WireFailure {
  return {
    code: failure.code,
    message: CODES[failure.code].message,
    retryable: failure.retryable,
    ...(failure.hint !== undefined && { hint: failure.hint }),
    ...(failure.retryAfterMs !== undefined && { retry_after_ms: Math.ceil(failure.retryAfterMs) }),
    ...(failure.upstreamStatus !== undefined && { upstream_status: failure.upstreamStatus }),
    ...(failure.upstream !== undefined && { upstream: failure.upstream }),
    ...(failure.phase !== undefined && { phase: failure.phase }),
    ...(failure.issues !== undefined && { issues: failure.issues }),
    ...(failure.connectUrl !== undefined && { connect_url: failure.connectUrl }),
  };
}
