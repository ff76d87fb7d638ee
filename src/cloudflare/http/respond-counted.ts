import type { Refusal } from "../../core/contract/refusal.ts";
import { HeldBytes } from "../../core/egress/held-bytes.ts";
import { err, ok, type Result } from "../../core/kit/result.ts";
import type { RequestContext } from "./request-context.ts";
import { respondHeld } from "./respond-run.ts";

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
