import type { Context } from "hono";

import type { Refusal } from "../../contract/refusal.ts";
import type { Result } from "../../kit/result.ts";
import { countLists } from "../http/count-lists.ts";
import type { RequestContext } from "../http/request-context.ts";
import { respondResult } from "../http/respond.ts";
import { createRouter, type Router, type RouterTypes } from "../http/router.ts";
import { describeRoute } from "./describe-route.ts";
import type { Described } from "./operation.ts";

/**
 * Answer a request, or refuse it before anything ran.
 *
 * @param id what stands for `:id` in the path; empty where the path has none
 */
export type Handler = (
  request: Request,
  context: RequestContext,
  id: string,
) => Promise<Result<Response, Refusal>>;

/** A path and method: who answers it, and what the document says of it. One without the other does not compile. */
export interface Endpoint extends Described {
  readonly handle: Handler;
}

/** A path of core. The feature `document` describes it, so that a Worker without that feature does not carry the words. */
export interface CoreEndpoint<Route extends Endpoint["route"] = Endpoint["route"]> extends Omit<
  Endpoint,
  "describe"
> {
  readonly route: Route;
}

/** Make the router of some endpoints. */
export function routerOf(endpoints: readonly (Endpoint | CoreEndpoint)[]): Router {
  const router = createRouter();
  for (const endpoint of endpoints) {
    const [method = "", path = ""] = endpoint.route.split(" ");
    if (endpoint.runsNothing) router.on(method, path, countLists);
    const answer = async (c: Context<RouterTypes>): Promise<Response> => {
      const context = c.get("context");
      return respondResult(await endpoint.handle(c.req.raw, context, c.req.param("id") ?? ""), context);
    };
    router.on(method, path, "describe" in endpoint ? describeRoute(endpoint, answer) : answer);
  }
  return router;
}
