import { parseIdempotencyKey } from "../../contract/idempotency-key.ts";
import { makeRefusal, type Refusal } from "../../contract/refusal.ts";
import { err, ok, type Result } from "../../kit/result.ts";

/** The key of a request's `Idempotency-Key` header; null without one. */
export function readIdempotencyKey({ headers }: Request): Result<string | null, Refusal> {
  const header = headers.get("idempotency-key");
  if (header === null) return ok(null);
  const key = parseIdempotencyKey(header);
  return key.ok ? key : err(makeRefusal("INVALID_BATCH", key.error));
}
