import { type Context, Hono } from "hono";

import { makeRefusal } from "../contract/refusal.ts";
import { HOP_HEADER } from "../contract/hop.ts";
import type { Deployment } from "./deployment.ts";
import { logBug } from "./platform/log-bug.ts";
import { answerMcp } from "./endpoints/mcp.ts";
import { respondJson } from "./http/respond.ts";
import { type AppTypes, type Handler, ROUTES } from "./endpoints/routes.ts";
import { respondBug, respondRefusal } from "./endpoints/respond-refusal.ts";

/**
 * Build the HTTP surface. A request is first asked whether one of our own tools sent it, then who sent it; only then
 * does its path matter, so an unknown caller learns nothing about what exists.
 *
 * @param deploymentOf what the configuration amounts to; throws when it cannot be read
 */
export function createApp(deploymentOf: (env: Record<string, unknown>) => Deployment): Hono<AppTypes> {
  const app = new Hono<AppTypes>();

  app.get("/healthz", (c) => {
    const requestId = crypto.randomUUID();
    deploymentOf(c.env);
    return respondJson('{"status":"ok"}', requestId);
  });
  app.all("/healthz", (c) => refuseMethod(c.req.raw, "GET", crypto.randomUUID()));

  for (const { method, path, handler } of ROUTES)
    app.on(method, path, (c) => answer(c, deploymentOf, handler));
  for (const [path, routes] of Map.groupBy(ROUTES, (route) => route.path)) {
    const methods = routes.map(({ method }) => method).join(", ");
    app.all(path, (c) =>
      answer(c, deploymentOf, (request, { requestId }) => refuseMethod(request, methods, requestId)),
    );
  }
  // Every method: which of them it has is the protocol's to say.
  app.all("/mcp", (c) => answer(c, deploymentOf, answerMcp));
  app.notFound((c) =>
    answer(c, deploymentOf, (request, { requestId }) =>
      respondRefusal(
        request,
        makeRefusal(
          "NOT_FOUND",
          "No such path; POST /v1/execute_actions runs things, and GET /openapi.json lists every path.",
        ),
        requestId,
      ),
    ),
  );
  app.onError((error, c) => {
    const requestId = crypto.randomUUID();
    logBug(requestId, c.req.path, error);
    return respondBug(c.req.raw, requestId);
  });
  return app;
}

function refuseMethod(request: Request, methods: string, requestId: string): Response {
  const refusal = makeRefusal("METHOD_NOT_ALLOWED", `This path answers ${methods} only.`);
  return respondRefusal(request, refusal, requestId, { allow: methods });
}

async function answer(
  c: Context<AppTypes>,
  deploymentOf: (env: Record<string, unknown>) => Deployment,
  handler: Handler,
): Promise<Response> {
  const request = c.req.raw;
  const requestId = crypto.randomUUID();
  if (request.headers.has(HOP_HEADER)) {
    return respondRefusal(
      request,
      makeRefusal("LOOP_DETECTED", "A tool of this system may not call the system itself."),
      requestId,
    );
  }
  const deployment = deploymentOf(c.env);
  const caller = await deployment.keys.identify(bearerOf(request));
  if (caller === null) {
    return respondRefusal(
      request,
      makeRefusal("UNAUTHORIZED", "Send a valid key as 'Authorization: Bearer <key>'."),
      requestId,
    );
  }
  return handler(
    request,
    deployment.contextOf(caller, requestId, (work) => c.executionCtx.waitUntil(work)),
    c,
  );
}

function bearerOf(request: Request): string {
  return /^Bearer +([^\s]+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
}
