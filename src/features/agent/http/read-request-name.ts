import type { Refusal } from "../../../core/contract/refusal.ts";
import type { Ports } from "../../../core/egress/ports.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import type { RequestName } from "../request-key.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { ok, type Result } from "../../../core/kit/result.ts";
import { readSentKey } from "../../../cloudflare/http/read-idempotency-key.ts";

/** Read by what a request to a model is known when it comes again; null where no two requests of its client are the same. */
export async function readRequestName(
  request: Request,
  body: unknown,
  { caller, ports, origin }: Pick<Execution, "caller" | "origin"> & { readonly ports: Pick<Ports, "sha256"> },
): Promise<Result<RequestName | null, Refusal>> {
  const sent = readSentKey(request);
  if (!sent.ok) return sent;
  if (sent.value === null) return ok(null);
  const { key, isFirst = false } = sent.value;
  const fingerprint = await ports.sha256(canonicalJson([caller.name, new URL(request.url).pathname, body]));
  return ok({
    key: `${origin.account === undefined ? "" : `@${origin.account.digest}:`}${key === null ? `body:${fingerprint}` : `key:${key}`}`,
    fingerprint,
    hasKey: key !== null,
    isFirst,
  });
}
