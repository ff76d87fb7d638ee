import type * as z from "zod/mini";

import { parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { parseRequest } from "../../../core/contract/parse-request.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import { readRequestBody } from "../../../core/edge/http/read-request-body.ts";
import { ok, type Result } from "../../../core/kit/result.ts";

/** A body that fits its schema. */
export interface ExactBody<Schema extends z.ZodMiniObject> {
  /** Zod's copy, which would lose a `__proto__` in it. */
  readonly sent: z.output<Schema>;
  /** The body itself, its numbers digit for digit. */
  readonly value: unknown;
}

/** Read a body whose data goes on to others as it came. */
export async function readExactBody<Schema extends z.ZodMiniObject>(
  request: Request,
  schema: Schema,
): Promise<Result<ExactBody<Schema>, Refusal>> {
  const body = await readRequestBody(request, {
    bodyBytes: LIMITS.bodyBytes,
    nesting: LIMITS.nesting,
    parse: parseExact,
  });
  if (!body.ok) return body;
  const sent = parseRequest(schema, body.value.value);
  return sent.ok ? ok({ sent: sent.value, value: body.value.value }) : sent;
}
