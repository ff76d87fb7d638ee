import type { Context } from "hono";
import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";

import { HOP_HEADER } from "../egress/guard-headers.ts";
import { makeRefusal } from "../contract/refusal.ts";
import { err, ok } from "../kit/result.ts";
import type { Env } from "./configured.ts";
import type { Deployment } from "./deployed.ts";
import type { VolleyOptions } from "./deployment.ts";
import { countLists } from "./endpoints/count-lists.ts";
import type { Handler } from "./openapi/endpoint.ts";
import { CORE_ENDPOINTS } from "./endpoints/endpoints.ts";
import { executeActions } from "./endpoints/execute-actions.ts";
import { endpointsOf, type Feature, type OpenHandler } from "./feature.ts";
import { type Dialect, dialectOf } from "./http/dialect.ts";
import type { Operator } from "../egress/ports.ts";
import { readTraceId } from "../observe/trace-parent.ts";
import { Watch } from "../observe/watch.ts";
import { refuseKey } from "./http/refuse-key.ts";
import { refuseMethod, refusePath, sayAllPaths } from "./http/refuse-path.ts";
import { codeOf, type Refusing, respondBug, respondJson, respondRefusal } from "./http/respond.ts";
import { ConfigurationError } from "./platform/configuration-error.ts";
import { createInSpan, type Tracing } from "./platform/in-span.ts";
import { logBug } from "./platform/log-bug.ts";
import { systemClock, writeLine } from "./platform/system-ports.ts";

/** The values that the platform passes along with a request. */
interface AppTypes {
  Bindings: Visit & object;
}

/** One request on its way through, and who watches it. */
interface Visit {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  readonly watch: Watch;
}

/** The handlers that the platform calls. */
export interface App {
  /** The options it was made from, so that a sandbox can be made from the same and more. */
  readonly options: VolleyOptions;
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response>;
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
  const endpoints = [...CORE_ENDPOINTS, ...endpointsOf(features)];
  const ownRoutes = features.flatMap(({ routes = [] }) => routes);
  const dialects = features.flatMap((feature) => feature.dialects ?? []);
  const routes = [
    "GET /healthz",
    ...endpoints.map(({ route }) => route),
    ...ownRoutes.map(({ path }) => `POST ${path}`),
  ];
  // One router that takes every route, instead of the usual two to choose from: they are 2 KB of the bundle.
  const app = new HonoBase<AppTypes>({ router: new TrieRouter() });
  const answerBy = (handle: Handler, route?: string) => (c: Context<AppTypes>) => {
    const dialect = dialectOf(c.req.raw.url, dialects);
    return answer(c.req.raw, { deploymentOf, handle, visit: c.env, route, id: c.req.param("id"), dialect });
  };
  const refuseOthers =
    (methods: string): Handler =>
    async (request, context) =>
      ok(respondMethod(request, methods, context));

  app.get("/healthz", (c) => {
    c.env.watch.route = "GET /healthz";
    deploymentOf(c.env.env);
    return respondJson('{"status":"ok"}', c.env.watch.requestId);
  });
  app.all("/healthz", (c) => {
    c.env.watch.route = "/healthz";
    return respondMethod(c.req.raw, "GET", { requestId: c.env.watch.requestId, dialect: null });
  });

  const methodsOf = new Map<string, string[]>();
  for (const { route, handle, runsNothing } of endpoints) {
    const [method = "", path = ""] = route.split(" ");
    app.on(method, path, answerBy(runsNothing ? countLists(handle) : handle, route));
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), method]);
  }
  for (const [path, methods] of methodsOf) app.all(path, answerBy(refuseOthers(methods.join(", ")), path));
  for (const { method, path, handle, open } of ownRoutes) {
    const route = method === "ALL" ? path : `${method} ${path}`;
    if (handle !== undefined) app.on(method, path, answerBy(handle, route));
    if (open !== undefined) app.on(method, path, answerOpen(open, route, deploymentOf));
    if (method !== "ALL") app.all(path, answerBy(refuseOthers(method), path));
  }
  // Clients look there for what a server can do, and take a 401 for a server that wants them to sign in.
  app.all("/.well-known/*", (c) => {
    c.env.watch.route = "/.well-known/*";
    const refusal = makeRefusal("NOT_FOUND", `Nothing is served below /.well-known/${sayAllPaths(routes)}`);
    return respondRefusal(refusal, { requestId: c.env.watch.requestId, dialect: null });
  });
  app.notFound(answerBy(async (request) => err(refusePath(request, routes))));
  app.onError((error, c) => {
    const { requestId } = c.env.watch;
    return answerBug(c.req.raw, error, { requestId, dialect: dialectOf(c.req.raw.url, dialects) });
  });
  // The same for every request: to make one for each costs more than to look whether it is traced.
  let tracing: Tracing | undefined;
  return {
    async fetch(request, env, ctx) {
      const watch = new Watch({ clock: systemClock, requestId: crypto.randomUUID(), operator: CONSOLE });
      const traceparent = request.headers.get("traceparent");
      if (traceparent !== null) watch.continueTrace(readTraceId(traceparent));
      tracing ??= (ctx as { readonly tracing?: Tracing }).tracing;
      if (tracing?.getActiveSpan?.()?.isTraced === true) watch.inSpan = createInSpan(tracing);
      const visit = { env, ctx, watch };
      // Batches, which nearly every request is, are known by their address and do not pass the router.
      const response =
        request.method === "POST" && BATCHES.test(request.url)
          ? await answer(request, {
              deploymentOf,
              handle: executeActions.handle,
              visit,
              route: executeActions.route,
              dialect: null,
            }).catch((error: unknown) =>
              answerBug(request, error, { requestId: watch.requestId, dialect: null }),
            )
          : await app.fetch(request, visit);
      const { status } = response;
      if (status >= 400) watch.sawRefusal({ code: codeOf(response), status, method: methodOf(request) });
      response.headers.set("server-timing", watch.toServerTiming());
      return response;
    },
  };
}

/** Who is told while the configuration is not read, or cannot be. */
const CONSOLE: Operator = { lines: "all", log: writeLine, writePoint: null };

/** A method as a line may have it: any word can be sent as one. */
function methodOf({ method }: Request): string {
  return /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method) ? method : "other";
}

/** Origin and path of what runs batches, as the router reads an address: without a query, nothing encoded. */
const BATCHES = /^https?:\/\/[^/?#]+\/v1\/execute_actions$/;

interface Answering {
  readonly deploymentOf: (env: Env) => Deployment;
  readonly handle: Handler;
  readonly visit: Visit;
  /** How the endpoint is declared; none where the path is no endpoint's. */
  readonly route?: string | undefined;
  /** The value of `:id` in the path. */
  readonly id?: string | undefined;
  /** How the path says no; null as a problem document. */
  readonly dialect: Dialect | null;
}

async function answer(
  request: Request,
  { deploymentOf, handle, visit, route, id = "", dialect }: Answering,
): Promise<Response> {
  const { env, ctx, watch } = visit;
  const { requestId } = watch;
  const refusing = { requestId, dialect };
  if (route !== undefined) watch.route = route;
  if (request.headers.has(HOP_HEADER)) return respondRefusal(FROM_A_TOOL, refusing);
  const deployment = deploymentOf(env);
  watch.operator = deployment.ports.operator;
  const defer = (work: Promise<unknown>): void => ctx.waitUntil(work);
  const identified = await deployment.identify(keyOf(request, dialect), defer);
  if (!identified.ok) return respondRefusal(identified.error, refusing);
  const caller = identified.value;
  if (caller === null) {
    const isConfigured = !deployment.configured.keys.isEmpty;
    return respondRefusal(refuseKey(request, { isConfigured, dialect }), refusing);
  }
  const asked = { requestId, requestUrl: request.url, dialect, defer, watch };
  const answered = await handle(request, deployment.contextOf(caller, asked), id);
  return answered.ok ? answered.value : respondRefusal(answered.error, refusing);
}

/** Answer what comes before any key is read. */
function answerOpen(open: OpenHandler, route: string, deploymentOf: (env: Env) => Deployment) {
  return async (c: Context<AppTypes>): Promise<Response> => {
    const { env, ctx, watch } = c.env;
    const { requestId } = watch;
    const refusing = { requestId, dialect: null };
    watch.route = route;
    const request = c.req.raw;
    if (request.headers.has(HOP_HEADER)) return respondRefusal(FROM_A_TOOL, refusing);
    const defer = (work: Promise<unknown>): void => ctx.waitUntil(work);
    const deployment = deploymentOf(env);
    watch.operator = deployment.ports.operator;
    const answered = await open(request, { params: c.req.param(), requestId, defer, deployment });
    return answered.ok ? answered.value : respondRefusal(answered.error, refusing);
  };
}

function answerBug(request: Request, error: unknown, refusing: Refusing): Response {
  const { pathname } = new URL(request.url);
  logBug(refusing.requestId, pathname, error);
  return respondBug(refusing, error instanceof ConfigurationError ? sayUnread(pathname, error) : undefined);
}

/** Health is open and names the variable, never its value; everybody else is told where to look. */
function sayUnread(pathname: string, { variable }: ConfigurationError): string {
  return pathname === "/healthz"
    ? `${variable} cannot be read; the operator finds in the log what is wrong with it.`
    : "The configuration of this deployment cannot be read; GET /healthz names the variable for its operator.";
}

function keyOf({ headers }: Request, dialect: Dialect | null): string {
  const sent = headers.get("authorization");
  // Some APIs' clients send their key in a header of its own, and only on paths of their dialect is it read.
  if (sent === null && dialect?.keyHeader !== undefined) return headers.get(dialect.keyHeader) ?? "";
  return /^Bearer +([^\s]+) *$/i.exec(sent ?? "")?.[1] ?? "";
}

function respondMethod(request: Request, methods: string, refusing: Refusing): Response {
  return respondRefusal(refuseMethod(request, methods), refusing, { headers: { allow: methods } });
}

const FROM_A_TOOL = makeRefusal("LOOP_DETECTED", "A tool of this system may not call the system itself.");
