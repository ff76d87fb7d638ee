import type * as z from "zod/mini";

import { parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { type ParsedRequest, parseRequest } from "../../../core/contract/parse-request.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import { readRequestBody } from "../../../cloudflare/http/read-request-body.ts";
import type { Result } from "../../../core/kit/result.ts";

/** Read a body whose data goes on to others as it came. */
export async function readExactBody<Schema extends z.ZodMiniObject>(
  request: Request,
  schema: Schema,
): Promise<Result<ParsedRequest<Schema>, Refusal>> {
  const body = await readRequestBody(request, {
    bodyBytes: LIMITS.bodyBytes,
    nesting: LIMITS.nesting,
    parse: parseExact,
  });
  return body.ok ? parseRequest(schema, body.value.value) : body;
}
