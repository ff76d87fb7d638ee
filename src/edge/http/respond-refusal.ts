import type { Refusal } from "../../contract/refusal.ts";
import { respondApiRefusal } from "./orchestration.ts";
import { respondProblem } from "./respond.ts";

/** Answer a refusal in the words of the API that was asked, which its path tells. */
export function respondRefusal(
  request: Request,
  refusal: Refusal,
  requestId: string,
  headers?: Record<string, string>,
): Response {
  const respond = /^https?:\/\/[^/]+\/api\/orchestration\//.test(request.url)
    ? respondApiRefusal
    : respondProblem;
  return respond(refusal, requestId, headers);
}
