import type { Context } from "hono";

import { respondRefusal } from "../../../cloudflare/http/respond.ts";
import { refuseMethod } from "../../../cloudflare/http/refuse-path.ts";
import { createRouter, type Router, type RouterTypes } from "../../../cloudflare/http/router.ts";
import { describeRoute } from "../../../cloudflare/openapi/describe-route.ts";
import { ASKING_METHODS } from "../hooks/presets.ts";
import { makeHookOperation } from "./hook-operation.ts";

const PATH = "/hooks/:tenant/:id";
const HEADERS = { allow: "POST" };

/**
 * Create the router of the webhooks' deliveries: `POST /hooks/{tenant}/{flow}`. A signature says who sends, no key. Every other path
 * below is refused as one without a flow, and every method that no sender asks with alike.
 */
export function createHooks(): Router {
  const router = createRouter();
  router.post(
    PATH,
    describeRoute({ path: PATH, describe: makeHookOperation }, (c) => {
      const { tenant = "", id: name = "" } = c.req.param();
      return answer(c, { tenant, name });
    }),
  );
  router.all("/hooks/*", (c) => {
    const { method, url } = c.req.raw;
    if (method !== "POST" && !ASKING_METHODS.has(method)) return refuse(c);
    const [, tenant = "", name = ""] = PARTS.exec(new URL(url).pathname) ?? [];
    return answer(c, { tenant, name });
  });
  return router;
}

const PARTS = /^\/hooks\/([^/]+)\/([^/]+)$/;

async function answer(
  c: Context<RouterTypes>,
  { tenant, name }: { readonly tenant: string; readonly name: string },
): Promise<Response> {
  const { answerHook } = await import("./answer-hook.ts");
  const { requestId } = c.get("watch");
  const defer = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
  const answered = await answerHook(
    { request: c.req.raw, tenant, name, requestId, defer },
    c.get("deployment"),
  );
  if (answered.ok) return answered.value;
  return answered.error.code === "METHOD_NOT_ALLOWED"
    ? refuse(c)
    : respondRefusal(answered.error, { requestId, dialect: null });
}

function refuse(c: Context<RouterTypes>): Response {
  const refusing = { requestId: c.get("watch").requestId, dialect: null };
  return respondRefusal(refuseMethod(c.req.raw, HEADERS.allow), refusing, { headers: HEADERS });
}
