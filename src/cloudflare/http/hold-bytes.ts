import { respondHeld } from "./respond-run.ts";
import type { Refusal } from "../../core/contract/refusal.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { countValues } from "../../core/contract/parse-json.ts";
import { HeldBytes } from "../../core/egress/held-bytes.ts";
import type { BodyLimits } from "./read-request-body.ts";
import { attempt, err, ok, type Result } from "../../core/kit/result.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Hold a body before it is read, and what becomes of it before it is parsed.
 *
 * @param mostValues values beyond are not counted: a body that has more is refused, or they are few beside its bytes
 */
export function holdBody(
  bytes: HeldBytes,
  { signal }: Request,
  mostValues: number,
): Pick<BodyLimits, "beforeReading" | "beforeParsing"> {
  let most = 0;
  return {
    beforeReading: (size) => bytes.hold((most = size), signal),
    beforeParsing: (body) => {
      bytes.give(most - body.length);
      const values = countValues(new TextDecoder().decode(body), mostValues);
      return bytes.hold(LIMITS.valueBytes * values, signal);
    },
  };
}

/** Answer a request that holds its tenant's bytes: what it still holds in the end is given back, unless it was left to its answer. */
export async function holdingBytes<T>(
  { upstreams }: Pick<RequestContext, "upstreams">,
  answer: (bytes: HeldBytes) => Promise<T>,
): Promise<T> {
  const bytes = new HeldBytes(upstreams.share);
  const answered = await attempt(() => answer(bytes));
  bytes.end();
  if (!answered.ok) throw answered.error;
  return answered.value;
}

/**
 * Answer with JSON text that may be large and was not read from an upstream: until its client has read it, it is held of the tenant's
 * bytes. Refused where it finds no room there.
 */
export async function respondCounted(
  json: string,
  context: RequestContext,
  headers: Readonly<Record<string, string>> = {},
): Promise<Result<Response, Refusal>> {
  const bytes = new HeldBytes(context.upstreams.share);
  const crowded = await bytes.hold(json.length);
  return crowded === null
    ? ok(await respondHeld(json, context, { release: bytes.leave(), headers }))
    : err(crowded);
}
