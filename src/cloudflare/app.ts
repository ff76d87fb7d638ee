import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import { HOP_HEADER } from "../core/egress/guard-headers.ts";
import type { Telemetry } from "../core/egress/ports.ts";
import { KEEPER } from "../core/contract/failure-codes.ts";
import { makeRefusal, type Refusal } from "../core/contract/refusal.ts";
import { getOrMake } from "../core/kit/get-or-make.ts";
import { err, ok, type Result } from "../core/kit/result.ts";
import { readTraceId } from "../core/observe/traced-fetch.ts";
import { Watch } from "../core/observe/watch.ts";
import type { Env } from "./configured.ts";
import type { Deployment } from "./deployed.ts";
import type { VolleyOptions } from "./deployment.ts";
import { CORE_ROUTES, executeActions } from "./routes/execute-actions.ts";
import type { Feature, Fetch, Routes } from "./feature.ts";
import { type Dialect, dialectOf } from "./http/dialect.ts";
import { refuseKey } from "./http/refuse-key.ts";
import type { RequestContext } from "./http/request-context.ts";
import { refuseMethod, refusePath, sayAllPaths } from "./http/refuse-path.ts";
import {
  codeOf,
  type Refusing,
  respondBug,
  respondJson,
  respondRefusal,
  respondResult,
  setBaseHeaders,
} from "./http/respond.ts";
import { createRouter, type Router, type RouterTypes, type Variables } from "./http/router.ts";
import { routerOf } from "./openapi/route.ts";
import { ConfigurationError } from "./platform/configuration-error.ts";
import { createInSpan, type Tracing } from "./platform/in-span.ts";
import { logBug } from "./platform/log-bug.ts";
import { systemClock, writeLine } from "./platform/system-ports.ts";

/** The handlers that the platform calls. */
export interface App {
  /** The options it was made from, so that a sandbox can be made from the same and more. */
  readonly options: VolleyOptions;
  readonly fetch: Fetch;
}

/**
 * Build the HTTP surface. A request is first asked whether one of our own tools sent it, then who sent it; only then
 * does its path matter, so an unknown caller learns nothing about what exists.
 *
 * @param deploymentOf what the configuration amounts to; throws when it cannot be read
 * @param features what is answered besides batches and jobs
 */
export function createApp(
  deploymentOf: (env: Env) => Deployment,
  features: readonly Feature[] = [],
): Pick<App, "fetch"> {
  const watchRequest = createWatching();

  /** Answer a batch without the router and its middleware: nearly every request is one. docs/decisions.md has the figure. */
  const answerBatch = async (request: Request, env: Env, ctx: Platform): Promise<Response> => {
    const watch = watchRequest(request, ctx);
    watch.route = executeActions.route;
    const refusing = { requestId: watch.requestId, dialect: null };
    let context: RequestContext | undefined;
    const answer = async (): Promise<Result<Response, Refusal>> => {
      const entered = enter(request, watch, () => deploymentOf(env));
      const asked = { watch, dialect: null, ctx };
      const found = entered.ok ? await identify(request, entered.value, asked) : entered;
      return found.ok ? await executeActions.handle(request, (context = found.value), "") : found;
    };
    const response = await answer().then(
      (answered) => respondResult(answered, refusing),
      (error: unknown) => answerBug(error, request, refusing),
    );
    context?.letGo?.();
    finish(response, request, watch);
    return response;
  };
  const fetch: Fetch = (request, env, ctx) => {
    if (request.method === "POST" && BATCHES.test(request.url)) return answerBatch(request, env, ctx);
    // Made by the first request that needs it: with all features it is a quarter of what runs when a Worker starts.
    const surface = getOrMake(surfaces, features, () => createSurface(features));
    return surface.fetch(request, () => deploymentOf(env), ctx);
  };
  return { fetch: features.reduce((next, { around }) => around?.(next, features) ?? next, fetch) };
}

/** By their features: a sandbox, and a test's next Worker, has the same. */
const surfaces = new WeakMap<readonly Feature[], Router>();

/** Create the router of every path. */
function createSurface(features: readonly Feature[]): Router {
  const { keyed, open } = routersOf(features);
  const behindKey = [routerOf("any key", CORE_ROUTES), ...keyed];
  const openRoutes = ["GET /healthz", ...open.flatMap(listRoutes)];
  const keyedRoutes = behindKey.flatMap(listRoutes);
  const routes = [...keyedRoutes, ...openRoutes];
  const dialects = features.flatMap((feature) => feature.dialects ?? []);
  const watchRequest = createWatching();
  const app = createRouter();

  app.use(async (c, next) => {
    const request = c.req.raw;
    const watch = watchRequest(request, c.executionCtx);
    watch.route = nameRoute(c);
    c.set("watch", watch);
    c.set("dialect", dialectOf(request, dialects));
    await next();
    finish(c.res, request, watch);
  });
  app.get("/healthz", (c) => {
    c.env();
    return respondJson('{"status":"ok"}');
  });
  app.use(async (c, next) => {
    const entered = enter(c.req.raw, c.get("watch"), c.env);
    if (!entered.ok) return respondRefusal(entered.error, refusingOf(c));
    c.set("deployment", entered.value);
    return next();
  });
  for (const router of open) app.route("/", router);
  refuseOthers(app, openRoutes);
  app.on("ALL", LOOKED_FOR, (c) =>
    respondRefusal(makeRefusal("NOT_FOUND", `No such path${sayAllPaths(routes)}`), refusingOf(c)),
  );

  app.use(async (c, next) => {
    const asked = { watch: c.get("watch"), dialect: c.get("dialect"), ctx: c.executionCtx };
    const identified = await identify(c.req.raw, c.get("deployment"), asked);
    if (!identified.ok) return respondRefusal(identified.error, refusingOf(c));
    const context = identified.value;
    c.set("context", context);
    // A body that nothing ran for is let go with the answer.
    return next().then(() => context.letGo?.());
  });
  for (const router of behindKey) app.route("/", router);
  refuseOthers(app, keyedRoutes);
  app.notFound((c) =>
    respondRefusal(c.get("dialect")?.unknownPath ?? refusePath(c.req.raw, routes), refusingOf(c)),
  );
  app.onError((error, c) => answerBug(error, c.req.raw, refusingOf(c)));
  return app;
}

/** Where clients look at any server, and take a 401 for one at which a person has to let them in. */
const LOOKED_FOR = ["/.well-known/*", "/docs/*", "/llms.txt", "/llms-full.txt"];

/** Origin and path of what runs batches, as the router reads an address: without a query, nothing encoded. */
const BATCHES = /^https?:\/\/[^/?#]+\/v1\/execute_actions$/;

type Platform = Pick<ExecutionContext, "waitUntil">;

/** Create what begins to watch a request, under an id of its own. */
function createWatching(): (request: Request, ctx: Platform) => Watch {
  // The same for every request: to make one for each costs more than to look whether it is traced.
  let tracing: Tracing | undefined;
  return (request, ctx) => {
    const watch = new Watch({ clock: systemClock, requestId: crypto.randomUUID(), telemetry: CONSOLE });
    const traceparent = request.headers.get("traceparent");
    if (traceparent !== null) watch.continueTrace(readTraceId(traceparent));
    tracing ??= (ctx as { readonly tracing?: Tracing }).tracing;
    if (tracing?.getActiveSpan?.()?.isTraced === true) watch.inSpan = createInSpan(tracing);
    return watch;
  };
}

/** Who is told while the configuration is not read, or cannot be. */
const CONSOLE: Telemetry = { lines: "all", log: writeLine, writePoint: null };

/** Give an answer the times of its stages, and tell the log of one that refuses. */
function finish(response: Response, request: Request, watch: Watch): void {
  const { status } = response;
  if (status >= 400) watch.sawRefusal({ code: codeOf(response), status, method: methodOf(request) });
  setBaseHeaders(response, watch.requestId);
  response.headers.set("server-timing", watch.toServerTiming());
}

/** A method as a line may have it: any word can be sent as one. */
function methodOf({ method }: Request): string {
  return /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method) ? method : "other";
}

/** Refuse a request of one of our own tools, and find the deployment for every other one. */
function enter(request: Request, watch: Watch, find: () => Deployment): Result<Deployment, Refusal> {
  if (request.headers.has(HOP_HEADER)) return err(FROM_A_TOOL);
  const deployment = find();
  watch.telemetry = deployment.ports.telemetry;
  return ok(deployment);
}

const FROM_A_TOOL = makeRefusal("LOOP_DETECTED", "A tool of this system may not call the system itself.");

/** Find the caller by the key, and everything that is done for it. */
async function identify(
  request: Request,
  deployment: Deployment,
  { watch, dialect, ctx }: Pick<Variables, "watch" | "dialect"> & { readonly ctx: Platform },
): Promise<Result<RequestContext, Refusal>> {
  const defer = (work: Promise<unknown>): void => ctx.waitUntil(work);
  const identified = await deployment.identify(keyOf(request, dialect), { url: request.url, defer });
  if (!identified.ok) return identified;
  if (identified.value === null) {
    const isConfigured = !deployment.configured.keys.isEmpty;
    return err(refuseKey(request, { isConfigured, dialect }));
  }
  const asked = { requestId: watch.requestId, requestUrl: request.url, dialect, defer, watch };
  const context = deployment.contextOf(identified.value, asked);
  return deployment.hooks.fields?.enter(request, context) ?? ok(context);
}

function keyOf({ headers }: Request, dialect: Dialect | null): string {
  const sent = headers.get("authorization");
  // Some APIs' clients send their key in a header of its own, and only on paths of their dialect is it read.
  if (sent === null && dialect?.keyHeader !== undefined) return headers.get(dialect.keyHeader) ?? "";
  return /^Bearer +([^\s]+) *$/i.exec(sent ?? "")?.[1] ?? "";
}

type RouteContext = Context<RouterTypes>;

/** The route that answers, as it is declared; the way to it has paths with `*` alone. */
function nameRoute(c: RouteContext): string {
  const route = matchedRoutes(c).find(({ path }) => path !== "/*");
  if (route === undefined) return "other";
  return route.method === "ALL" ? route.path : `${route.method} ${route.path}`;
}

/** List method and path of a router's routes. One that answers every method says itself that it wants a POST. */
function listRoutes({ routes }: Router): readonly string[] {
  return [...new Set(routes.map(nameOf).filter((route) => !route.endsWith("*")))];
}

const nameOf = ({ method, path }: Router["routes"][number]): string =>
  `${method === "ALL" ? "POST" : method} ${path}`;

/** Refuse the methods that the paths of these routes do not have. */
function refuseOthers(app: Router, routes: readonly string[]): void {
  for (const [path, of] of Map.groupBy(routes, (route) => route.split(" ")[1]!)) {
    // The router answers HEAD where it answers GET.
    const allow = of.join(", ").replaceAll(` ${path}`, "").replace("GET", "GET, HEAD");
    const making = routes.find((route) => route.startsWith(`PUT ${path}/:`));
    app.all(path, (c) =>
      respondRefusal(refuseMethod(c.req.raw, allow, making), refusingOf(c), { headers: { allow } }),
    );
  }
}

function refusingOf(c: RouteContext): Refusing {
  return { requestId: c.get("watch").requestId, dialect: c.get("dialect") };
}

function answerBug(error: unknown, request: Request, refusing: Refusing): Response {
  const { pathname } = new URL(request.url);
  logBug(refusing.requestId, pathname, error);
  return respondBug(refusing, error instanceof ConfigurationError ? sayUnread(pathname, error) : undefined);
}

/** Health is open and names the variable, never its value; everybody else is told where to look. */
function sayUnread(pathname: string, { variable, part }: ConfigurationError): string {
  return pathname === "/healthz"
    ? `${variable} cannot be read${part === undefined ? "" : ` because of ${part}`}; the ${KEEPER} finds in the log what is wrong with it.`
    : `The configuration of this deployment cannot be read; GET /healthz names the variable for its ${KEEPER}.`;
}

/** The routers of features' paths, behind the key and before it. */
export function routersOf(features: readonly Feature[]): Record<"keyed" | "open", readonly Router[]> {
  const given = ({ routes = [] }: Feature): Routes =>
    typeof routes === "function" ? routes(features) : routes;
  const groups = features.flatMap(given);
  return {
    keyed: groups.flatMap((group) => ("paths" in group ? routerOf(group.for, group.paths) : [])),
    open: groups.flatMap((group) => ("router" in group ? group.router : [])),
  };
}

/** List the methods and paths that features answer. */
export function listRoutesOf(features: readonly Feature[]): readonly string[] {
  const { keyed, open } = routersOf(features);
  return [...new Set([...keyed, ...open].flatMap(({ routes }) => routes.map(nameOf)))];
}
