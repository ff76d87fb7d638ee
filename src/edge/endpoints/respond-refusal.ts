import { makeRefusal, type Refusal } from "../../contract/refusal.ts";
import { respondApiBug, respondApiRefusal } from "./orchestration.ts";
import { respondProblem } from "../http/respond.ts";

/** Answer a refusal in the words of the API that was asked, which its path tells. */
export function respondRefusal(
  request: Request,
  refusal: Refusal,
  requestId: string,
  headers?: Record<string, string>,
): Response {
  const respond = isOrchestration(request) ? respondApiRefusal : respondProblem;
  return respond(refusal, requestId, headers);
}

/** Answer a bug of ours, likewise; it says no more than where to look. */
export function respondBug(request: Request, requestId: string): Response {
  if (isOrchestration(request)) return respondApiBug(requestId);
  const hint = "Something failed on our side; give the operator the request id.";
  return respondProblem(makeRefusal("UNAVAILABLE", hint), requestId);
}

function isOrchestration({ url }: Request): boolean {
  return /^https?:\/\/[^/]+\/api\/orchestration\//.test(url);
}
