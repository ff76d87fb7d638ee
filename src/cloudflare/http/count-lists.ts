import type { MiddlewareHandler } from "hono";

import type { Refusal } from "../../core/contract/refusal.ts";
import { withCurrentTools } from "../../core/run/execute/executor.ts";
import { countList } from "../../core/gate/admit-plan.ts";
import { ok, type Result } from "../../core/kit/result.ts";
import type { RequestContext } from "./request-context.ts";
import { quotaHeaders, respondRefused, respondResult } from "./respond.ts";
import type { RouterTypes } from "./router.ts";

/**
 * Make requests that run nothing draw from the key's second allowance, before anything else of them is looked at: each is
 * one, whatever it is answered, and every answer says what is left.
 */
export const countLists: MiddlewareHandler<RouterTypes> = (c, next) =>
  answerCounted(c.get("context"), async (context) => {
    c.set("context", context);
    await next();
    return ok(c.res);
  });

/** Answer a request that could have run something and runs nothing: it has looked, and so it draws from the second allowance too. */
export async function answerUnrun(
  context: RequestContext,
  answer: Result<Response, Refusal>,
): Promise<Result<Response, Refusal>> {
  return ok(await answerCounted(context, () => Promise.resolve(answer)));
}

/** Count a request by the second allowance, and answer it. */
export async function answerCounted(
  received: RequestContext,
  answer: (context: RequestContext) => Promise<Result<Response, Refusal>>,
): Promise<Response> {
  let context = received;
  received.watch?.enter("admit");
  const counted = await withCurrentTools(received, (current) => {
    context = current;
    return countList(current);
  });
  if (!counted.ok) return respondRefused(counted.error, context);
  received.watch?.enter("run");
  const response = respondResult(await answer(context), context);
  for (const [name, value] of Object.entries(quotaHeaders(context.caller, counted.value)))
    response.headers.set(name, value);
  return response;
}
