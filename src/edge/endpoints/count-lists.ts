import { withCurrentTools } from "../../execute/executor.ts";
import { countList } from "../../gate/admit-plan.ts";
import { ok } from "../../kit/result.ts";
import { quotaHeaders, respondRefusal, respondRefused } from "../http/respond.ts";
import type { Handler } from "../openapi/endpoint.ts";

/**
 * Make requests that run nothing draw from the key's second allowance, before anything else of them is looked at: each is
 * one, whatever it is answered, and every answer says what is left.
 */
export function countLists(handle: Handler): Handler {
  return async (request, received, id) => {
    let context = received;
    received.watch?.enter("admit");
    const counted = await withCurrentTools(received, (current) => {
      context = current;
      return countList(current);
    });
    if (!counted.ok) return ok(respondRefused(counted.error, context));
    received.watch?.enter("run");
    const answered = await handle(request, context, id);
    const response = answered.ok ? answered.value : respondRefusal(answered.error, context);
    for (const [name, value] of Object.entries(quotaHeaders(context.caller, counted.value)))
      response.headers.set(name, value);
    return ok(response);
  };
}
