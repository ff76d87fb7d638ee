import type { AgentBytes } from "../agent-bytes.ts";
import { parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { countValues } from "../../../core/contract/parse-json.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import {
  type BodyLimits,
  readRequestBody,
  type RequestBody,
} from "../../../core/edge/http/read-request-body.ts";
import type { Result } from "../../../core/kit/result.ts";

const BODY = {
  bodyBytes: LIMITS.agentBodyBytes,
  nesting: LIMITS.agentNesting,
  values: LIMITS.agentValues,
  parse: parseExact,
};

/** Read the body of a request to a model, and hold it. */
export function readModelBody(request: Request, bytes: AgentBytes): Promise<Result<RequestBody, Refusal>> {
  return readRequestBody(request, { ...BODY, ...holdBody(bytes, request) });
}

/** Hold a body before it is read, and what becomes of it before it is parsed. */
function holdBody(
  bytes: AgentBytes,
  { signal }: Request,
): Pick<BodyLimits, "beforeReading" | "beforeParsing"> {
  let most = 0;
  return {
    beforeReading: (size) => bytes.hold((most = size), signal),
    beforeParsing: (body) => {
      bytes.give(most - body.length);
      const values = countValues(new TextDecoder().decode(body), LIMITS.agentValues);
      return bytes.hold(LIMITS.valueBytes * values, signal);
    },
  };
}
