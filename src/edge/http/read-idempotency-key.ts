import type { Issue } from "../../contract/failure.ts";
import { parseIdempotencyKey } from "../../contract/idempotency-key.ts";
import { describe, toHint } from "../../contract/issues.ts";
import { makeRefusal, type Refusal } from "../../contract/refusal.ts";
import type { Execution } from "../../gate/execution.ts";
import { err, ok, type Result } from "../../kit/result.ts";

const HEADER = "Idempotency-Key";

/**
 * The key of a request's `Idempotency-Key` header; null without one.
 *
 * A header sent twice arrives as one, joined by a comma. So a comma outside quotes is refused: nobody can tell whether it
 * is part of a key or stands between two, and RFC 8941 has no bare text with a comma either.
 */
export function readIdempotencyKey({ headers }: Request): Result<string | null, Refusal> {
  const header = headers.get(HEADER);
  if (header === null) return ok(null);
  if (header.includes(",") && !header.startsWith('"'))
    return refuse({
      path: HEADER,
      expected: "one key, quoted if it has a comma",
      received: describe(header),
    });
  const key = parseIdempotencyKey(header, HEADER);
  return key.ok ? key : refuse(key.error);
}

/** What a key makes of a request's execution; nothing without one. The same content under it is the same request. */
export function underKey(key: string | null, content: unknown): Pick<Execution, "batchKey"> {
  return key === null ? {} : { batchKey: { key, content } };
}

function refuse(issue: Issue): Result<never, Refusal> {
  return err(makeRefusal("INVALID_BATCH", toHint([issue]), { issue }));
}
