import type { HeldBytes } from "../../../core/egress/held-bytes.ts";
import { parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../limits.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import { holdBody } from "../../../cloudflare/http/hold-body.ts";
import { readRequestBody, type RequestBody } from "../../../cloudflare/http/read-request-body.ts";
import type { Result } from "../../../core/kit/result.ts";

const BODY = {
  bodyBytes: LIMITS.agentBodyBytes,
  nesting: LIMITS.agentNesting,
  values: LIMITS.agentValues,
  parse: parseExact,
};

/** Read the body of a request to a model, and hold it. */
export function readModelBody(request: Request, bytes: HeldBytes): Promise<Result<RequestBody, Refusal>> {
  return readRequestBody(request, { ...BODY, ...holdBody(bytes, request, LIMITS.agentValues) });
}
