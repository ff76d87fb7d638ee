/** How things end: results, refusals of a request, and failures of an action. */

export { ConfigurationError } from "../cloudflare/platform/configuration-error.ts";
export type { RefusalCode } from "../core/contract/failure-codes.ts";
export type { Failure } from "../core/contract/failure.ts";
export { defineCodes, makeRefusal, problemSchema, type Refusal, statusOf } from "../core/contract/refusal.ts";
export { attempt, attemptNow, err, ok, type Result } from "../core/kit/result.ts";
