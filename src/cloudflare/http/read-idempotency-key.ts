import type { Issue } from "../../core/contract/failure.ts";
import { parseIdempotencyKey } from "../../core/contract/idempotency-key.ts";
import { describe, toHint } from "../../core/contract/issues.ts";
import { makeRefusal, type Refusal } from "../../core/contract/refusal.ts";
import type { BatchKey } from "../../core/gate/read-keys.ts";
import type { Execution } from "../../core/gate/execution.ts";
import { err, ok, type Result } from "../../core/kit/result.ts";

const HEADER = "Idempotency-Key";

/**
 * The key of a request's `Idempotency-Key` header; null without one.
 *
 * A header sent twice arrives as one, joined by a comma. So a comma outside quotes is refused: it may be part of a key or stand
 * between two, and RFC 8941 has no bare text with a comma either.
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

/** By what a request is known when it comes again. */
export type SentKey = Pick<BatchKey, "key" | "isFirst" | "givesUpSoon">;

/** How often an official client has sent a request before: 0 for the first time. */
const RETRY_COUNT = "x-stainless-retry-count";

/**
 * Read by what a request is known when it comes again: its `Idempotency-Key`, or its content, where its client counts how often
 * it sent it. Null where it has neither: no two requests of such a client are the same.
 */
export function readSentKey(request: Request): Result<SentKey | null, Refusal> {
  const key = readIdempotencyKey(request);
  if (!key.ok) return key;
  const count = request.headers.get(RETRY_COUNT)?.trim() ?? "";
  const givesUpSoon = /^\d{1,9}$/.test(count);
  if (key.value !== null) return ok({ key: key.value, givesUpSoon });
  return ok(givesUpSoon ? { key: null, isFirst: Number(count) === 0, givesUpSoon } : null);
}

/**
 * The part of a request's execution that its key makes; nothing without one. The same content under it is the same request.
 *
 * @param isShared whether it stands for more than what runs
 */
export function underKey(
  sent: SentKey | null,
  content: unknown,
  isShared = false,
): Pick<Execution, "batchKey"> {
  return sent === null ? {} : { batchKey: { ...sent, content, isShared } };
}

function refuse(issue: Issue): Result<never, Refusal> {
  return err(makeRefusal("INVALID_BATCH", toHint([issue]), { issue }));
}
