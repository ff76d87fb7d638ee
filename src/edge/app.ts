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
import { refuseKey } from "./http/refuse-key.ts";
import { refuseMethod, refusePath } from "./http/refuse-path.ts";
import { PROVIDER_PATHS, respondBug, respondJson, respondRefusal } from "./http/respond.ts";
import { ConfigurationError } from "./platform/configuration-error.ts";
import { logBug } from "./platform/log-bug.ts";

/** What the platform passes along with a request. */
interface AppTypes {
  Bindings: Record<string, unknown>;
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
  const answerBy = (handle: Handler) => (c: Context<AppTypes>) =>
    answer(c.req.raw, { deploymentOf, handle, env: c.env, ctx: c.executionCtx, id: c.req.param("id") });

  app.get("/healthz", (c) => {
    deploymentOf(c.env);
    return respondJson('{"status":"ok"}', crypto.randomUUID());
  });
  app.all("/healthz", (c) => respondMethod(c.req.raw, "GET", crypto.randomUUID()));

  const methodsOf = new Map<string, string[]>();
  for (const { route, handle, runsNothing } of ENDPOINTS) {
    const [method = "", path = ""] = route.split(" ");
    app.on(method, path, answerBy(runsNothing ? countLists(handle) : handle));
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), method]);
  }
  for (const [path, methods] of methodsOf) {
    const refuse: Handler = async (request, { requestId }) =>
      ok(respondMethod(request, methods.join(", "), requestId));
    app.all(path, answerBy(refuse));
  }
  app.post("/hooks/:tenant/:id", async (c) => {
    const { tenant, id: name } = c.req.param();
    const requestId = crypto.randomUUID();
    const request = c.req.raw;
    if (request.headers.has(HOP_HEADER)) return respondRefusal(request, FROM_A_TOOL, requestId);
    const { answerHook } = await import("./triggers/answer-hook.ts");
    const defer = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
    const answered = await answerHook({ request, tenant, name, requestId, defer }, deploymentOf(c.env));
    return answered.ok ? answered.value : respondRefusal(request, answered.error, requestId);
  });
  const refuseHook: Handler = async (request, { requestId }) => ok(respondMethod(request, "POST", requestId));
  app.all("/hooks/:tenant/:id", answerBy(refuseHook));
  // Every method: which of them it has is the protocol's to say.
  app.all(
    "/mcp",
    answerBy(async (request, context) => ok(await answerMcp(request, context))),
  );
  const routes = [...ENDPOINTS.map(({ route }) => route), ...BESIDE];
  app.notFound(answerBy(async (request) => err(refusePath(request, routes))));
  app.onError((error, c) => answerBug(c.req.raw, error));
  return {
    // Batches, which nearly every request is, are known by their address and do not pass the router.
    fetch: (request, env, ctx) =>
      request.method === "POST" && BATCHES.test(request.url)
        ? answer(request, { deploymentOf, handle: executeActions.handle, env, ctx }).catch((error: unknown) =>
            answerBug(request, error),
          )
        : app.fetch(request, env, ctx),
  };
}

/** Origin and path of what runs batches, as the router reads an address: without a query, nothing encoded. */
const BATCHES = /^https?:\/\/[^/?#]+\/v1\/execute_actions$/;

interface Answering {
  readonly deploymentOf: (env: Env) => Deployment;
  readonly handle: Handler;
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  /** What stands for `:id` in the path. */
  readonly id?: string | undefined;
}

async function answer(
  request: Request,
  { deploymentOf, handle, env, ctx, id = "" }: Answering,
): Promise<Response> {
  const requestId = crypto.randomUUID();
  if (request.headers.has(HOP_HEADER)) return respondRefusal(request, FROM_A_TOOL, requestId);
  const deployment = deploymentOf(env);
  const defer = (work: Promise<unknown>): void => ctx.waitUntil(work);
  const identified = await deployment.identify(keyOf(request), defer);
  if (!identified.ok) return respondRefusal(request, identified.error, requestId);
  const caller = identified.value;
  if (caller === null)
    return respondRefusal(request, refuseKey(request, !deployment.keys.isEmpty), requestId);
  const context = deployment.contextOf(caller, requestId, defer);
  const answered = await handle(request, context, id);
  return answered.ok ? answered.value : respondRefusal(request, answered.error, requestId);
}

function answerBug(request: Request, error: unknown): Response {
  const requestId = crypto.randomUUID();
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
/** What is here besides the endpoints. */
const BESIDE = ["GET /healthz", "POST /mcp", "POST /hooks/:tenant/:id"];
