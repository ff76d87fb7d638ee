import { respondResult } from "../../../core/edge/http/respond.ts";
import { createRouter, type Router } from "../../../core/edge/http/router.ts";
import { describeRoute } from "../../../core/edge/openapi/describe-route.ts";
import { makeHookOperation } from "./hook-operation.ts";

const PATH = "/hooks/:tenant/:id";

/** Create the router of the webhooks' deliveries: `POST /hooks/{tenant}/{flow}`. A signature says who sends, no key. */
export function createHooks(): Router {
  const router = createRouter();
  router.post(
    PATH,
    describeRoute({ path: PATH, describe: makeHookOperation }, async (c) => {
      const { answerHook } = await import("./answer-hook.ts");
      const { tenant = "", id: name = "" } = c.req.param();
      const { requestId } = c.get("watch");
      const defer = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
      const hook = { request: c.req.raw, tenant, name, requestId, defer };
      return respondResult(await answerHook(hook, c.get("deployment")), { requestId, dialect: null });
    }),
  );
  return router;
}
