import type { Context, MiddlewareHandler } from "hono";
import { mayDo } from "../../core/contract/gate/caller.ts";
import { KEEPER } from "../../core/contract/failure-codes.ts";
import { makeRefusal, type Refusal } from "../../core/contract/refusal.ts";
import type { Result } from "../../core/kit/result.ts";
import { countLists } from "../http/respond-list.ts";
import type { RequestContext } from "../http/request-context.ts";
import { respondRefusal, respondResult } from "../http/respond.ts";
import { createRouter, type Router, type RouterTypes } from "../http/router.ts";
import type { Described, DescribedRoute, Operation } from "./operation.ts";

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
export interface Route extends Described {
  readonly handle: Handler;
}

/** A path of core. The feature `document` describes it, so that a Worker without that feature does not carry the words. */
export interface CoreRoute<At extends Route["route"] = Route["route"]> extends Omit<Route, "describe"> {
  readonly route: At;
}

/** A request to a path of some that have one thing in common. */
export interface Asked {
  readonly request: Request;
  readonly context: RequestContext;
  readonly id: string;
  readonly query: URLSearchParams;
}

/**
 * Make the maker of paths that run nothing and have something in common.
 *
 * @param open opens what all of them need, or refuses; the last `refusals` of each are those
 */
export function routesOf<Opened>({
  tag,
  open,
  refusals: usual,
}: Pick<Operation, "tag"> & {
  readonly open: (context: RequestContext) => Result<Opened, Refusal>;
  readonly refusals: NonNullable<Operation["refusals"]>;
}) {
  return (
    route: Route["route"],
    handle: (opened: Opened, asked: Asked) => Promise<Result<Response, Refusal>>,
    describe: () => Omit<Operation, "tag">,
  ): Route => ({
    route,
    async handle(request, context, id) {
      const opened = open(context);
      if (!opened.ok) return opened;
      return handle(opened.value, { request, context, id, query: new URL(request.url).searchParams });
    },
    describe() {
      const { refusals = [], ...operation } = describe();
      return { ...operation, tag, refusals: [...refusals, ...usual] };
    },
  });
}

/** A path with a protocol of its own, which says what its methods mean and how it refuses. */
export interface ProtocolRoute extends DescribedRoute {
  readonly respond: (request: Request, context: RequestContext) => Promise<Response>;
}

/** Who may ask for a path: every key, or one that has all of some flags. */
export type Right = "any key" | readonly [string, ...string[]];

/** Make the router of some paths behind the key that need the same right. */
export function routerOf(right: Right, routes: readonly (Route | CoreRoute | ProtocolRoute)[]): Router {
  const router = createRouter();
  const flags = right === "any key" ? [] : right;
  for (const route of routes) {
    const [method = "", path = ""] = ("path" in route ? `ALL ${route.path}` : route.route).split(" ");
    if ("route" in route && route.runs !== true) router.on(method, path, countLists);
    if (flags.length > 0) router.on(method, path, needFlags(flags));
    const answer = async (c: Context<RouterTypes>): Promise<Response> => {
      const [request, context] = [c.req.raw, c.get("context")];
      if ("respond" in route) return route.respond(request, context);
      return respondResult(await route.handle(request, context, c.req.param("id") ?? ""), context);
    };
    router.on(method, path, "describe" in route ? describeRoute({ ...route, flags }, answer) : answer);
  }
  return router;
}

/** Refuse a key that lacks some flag, before anything of its request is looked at: it learns nothing of what the path names. */
function needFlags(flags: readonly string[]): MiddlewareHandler<RouterTypes> {
  return async (c, next) => {
    const context = c.get("context");
    const missing = flags.find((flag) => !mayDo(context.caller, flag));
    if (missing === undefined) return next();
    const advice = missing === "approve" ? UNDECIDING : `; ask the ${KEEPER} for one that has.`;
    return respondRefusal(makeRefusal("FORBIDDEN", `The key has no flag '${missing}'${advice}`), context);
  };
}

const UNDECIDING =
  ", so it decides nothing: a person decides, in the console or with a key that has the flag.";

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
