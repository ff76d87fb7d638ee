import type { Context } from "hono";
import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";

import { HOP_HEADER } from "../egress/guard-headers.ts";
import { makeRefusal } from "../contract/refusal.ts";
import { err, ok } from "../kit/result.ts";
import type { Env } from "./configuration.ts";
import type { Deployment, VolleyOptions } from "./deployment.ts";
import { countLists } from "./endpoints/count-lists.ts";
import type { Handler } from "./openapi/endpoint.ts";
import { ENDPOINTS } from "./endpoints/endpoints.ts";
import { executeActions } from "./endpoints/execute-actions.ts";
import { answerMcp } from "./mcp/answer-mcp.ts";
import type { Operator } from "../egress/ports.ts";
import { readTraceId } from "../observe/trace-parent.ts";
import { Watch } from "../observe/watch.ts";
import { refuseKey } from "./http/refuse-key.ts";
import { refuseMethod, refusePath } from "./http/refuse-path.ts";
import { codeOf, PROVIDER_PATHS, respondBug, respondJson, respondRefusal } from "./http/respond.ts";
import { ConfigurationError } from "./platform/configuration-error.ts";
import { createInSpan, type Tracing } from "./platform/in-span.ts";
import { logBug } from "./platform/log-bug.ts";
import { systemClock, writeLine } from "./platform/system-ports.ts";

/** What the platform passes along with a request. */
interface AppTypes {
  Bindings: Visit & object;
}

/** One request on its way through, and who watches it. */
interface Visit {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  readonly watch: Watch;
}

/** What the platform calls. */
export interface App {
  /** What it was made from, so that a sandbox can be made from the same and more. */
  readonly options: VolleyOptions;
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response>;
}

/**
 * Build the HTTP surface. A request is first asked whether one of our own tools sent it, then who sent it; only then
 * does its path matter, so an unknown caller learns nothing about what exists.
 *
 * @param deploymentOf what the configuration amounts to; throws when it cannot be read
 */
export function createApp(deploymentOf: (env: Env) => Deployment): Pick<App, "fetch"> {
  // One router that takes every route, instead of the usual two to choose from: they are 2 KB of the bundle.
  const app = new HonoBase<AppTypes>({ router: new TrieRouter() });
  const answerBy = (handle: Handler, route?: string) => (c: Context<AppTypes>) =>
    answer(c.req.raw, { deploymentOf, handle, visit: c.env, route, id: c.req.param("id") });

  app.get("/healthz", (c) => {
    c.env.watch.route = "GET /healthz";
    deploymentOf(c.env.env);
    return respondJson('{"status":"ok"}', c.env.watch.requestId);
  });
  app.all("/healthz", (c) => {
    c.env.watch.route = "/healthz";
    return respondMethod(c.req.raw, "GET", c.env.watch.requestId);
  });

  const methodsOf = new Map<string, string[]>();
  for (const { route, handle, runsNothing } of ENDPOINTS) {
    const [method = "", path = ""] = route.split(" ");
    app.on(method, path, answerBy(runsNothing ? countLists(handle) : handle, route));
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), method]);
  }
  for (const [path, methods] of methodsOf) {
    const refuse: Handler = async (request, { requestId }) =>
      ok(respondMethod(request, methods.join(", "), requestId));
    app.all(path, answerBy(refuse, path));
  }
  app.post("/hooks/:tenant/:id", async (c) => {
    const { tenant, id: name } = c.req.param();
    const { env, ctx, watch } = c.env;
    const { requestId } = watch;
    watch.route = HOOKS;
    const request = c.req.raw;
    if (request.headers.has(HOP_HEADER)) return respondRefusal(request, FROM_A_TOOL, requestId);
    const { answerHook } = await import("./triggers/answer-hook.ts");
    const defer = (work: Promise<unknown>): void => ctx.waitUntil(work);
    const deployment = deploymentOf(env);
    watch.operator = deployment.ports.operator;
    const answered = await answerHook({ request, tenant, name, requestId, defer }, deployment);
    return answered.ok ? answered.value : respondRefusal(request, answered.error, requestId);
  });
  const refuseHook: Handler = async (request, { requestId }) => ok(respondMethod(request, "POST", requestId));
  app.all("/hooks/:tenant/:id", answerBy(refuseHook, "/hooks/:tenant/:id"));
  // Every method: which of them it has is the protocol's to say.
  app.all(
    "/mcp",
    answerBy(async (request, context) => ok(await answerMcp(request, context)), "/mcp"),
  );
  const routes = [...ENDPOINTS.map(({ route }) => route), ...BESIDE];
  app.notFound(answerBy(async (request) => err(refusePath(request, routes))));
  app.onError((error, c) => answerBug(c.req.raw, error, c.env.watch));
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
            }).catch((error: unknown) => answerBug(request, error, watch))
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
  /** What stands for `:id` in the path. */
  readonly id?: string | undefined;
}

async function answer(
  request: Request,
  { deploymentOf, handle, visit, route, id = "" }: Answering,
): Promise<Response> {
  const { env, ctx, watch } = visit;
  const { requestId } = watch;
  if (route !== undefined) watch.route = route;
  if (request.headers.has(HOP_HEADER)) return respondRefusal(request, FROM_A_TOOL, requestId);
  const deployment = deploymentOf(env);
  watch.operator = deployment.ports.operator;
  const defer = (work: Promise<unknown>): void => ctx.waitUntil(work);
  const identified = await deployment.identify(keyOf(request), defer);
  if (!identified.ok) return respondRefusal(request, identified.error, requestId);
  const caller = identified.value;
  if (caller === null)
    return respondRefusal(request, refuseKey(request, !deployment.keys.isEmpty), requestId);
  const context = deployment.contextOf(caller, { requestId, requestUrl: request.url, defer, watch });
  const answered = await handle(request, context, id);
  return answered.ok ? answered.value : respondRefusal(request, answered.error, requestId);
}

function answerBug(request: Request, error: unknown, { requestId }: Watch): Response {
  const { pathname } = new URL(request.url);
  logBug(requestId, pathname, error);
  return respondBug(
    request,
    requestId,
    error instanceof ConfigurationError ? sayUnread(pathname, error) : undefined,
  );
}

/** Health is open and names the variable, never its value; everybody else is told where to look. */
function sayUnread(pathname: string, { variable }: ConfigurationError): string {
  return pathname === "/healthz"
    ? `${variable} cannot be read; the operator finds in the log what is wrong with it.`
    : "The configuration of this deployment cannot be read; GET /healthz names the variable for its operator.";
}

function keyOf({ url, headers }: Request): string {
  const sent = headers.get("authorization");
  // Anthropic's clients send their key so, and only where they call is it read.
  if (sent === null && PROVIDER_PATHS.test(url)) return headers.get("x-api-key") ?? "";
  return /^Bearer +([^\s]+) *$/i.exec(sent ?? "")?.[1] ?? "";
}

function respondMethod(request: Request, methods: string, requestId: string): Response {
  return respondRefusal(request, refuseMethod(request, methods), requestId, { allow: methods });
}

const FROM_A_TOOL = makeRefusal("LOOP_DETECTED", "A tool of this system may not call the system itself.");
const HOOKS = "POST /hooks/:tenant/:id";
/** What is here besides the endpoints. */
const BESIDE = ["GET /healthz", "POST /mcp", HOOKS];
