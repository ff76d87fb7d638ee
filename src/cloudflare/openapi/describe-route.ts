import type { Context } from "hono";

import type { Router, RouterTypes } from "../http/router.ts";
import type { Described, DescribedRoute } from "./operation.ts";

const descriptions = new WeakMap<object, Described | DescribedRoute>();

/** Say what the document tells of a route, of the handler that answers it. */
export function describeRoute(
  description: Described | DescribedRoute,
  handler: (c: Context<RouterTypes>) => Promise<Response>,
): typeof handler {
  descriptions.set(handler, description);
  return handler;
}

/** Collect the descriptions of a router's routes, in their order. */
export function descriptionsOf(router: Router): readonly (Described | DescribedRoute)[] {
  return router.routes.flatMap(({ handler }) => descriptions.get(handler) ?? []);
}
