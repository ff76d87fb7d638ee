import type { Context } from "hono";

import { logBug } from "../../../core/edge/platform/log-bug.ts";
import { createRouter, type Router, type RouterTypes } from "../../../core/edge/http/router.ts";
import type { SayReach } from "../../../core/edge/feature.ts";
import { attempt } from "../../../core/kit/result.ts";

const PATH = "/approvals/:tenant/:token";

/**
 * Create the router of the pages of links: `GET` shows what would run and decides nothing, the page's form says yes or no. Who
 * has the link needs no key.
 */
export function createApprovalPages(sayReach: readonly SayReach[]): Router {
  const router = createRouter();
  const answer = async (c: Context<RouterTypes>): Promise<Response> => {
    const { answerLink, FAULT } = await import("./answer-link.ts");
    const { respondPage } = await import("../../../core/edge/page/respond-page.ts");
    const { tenant = "", token = "" } = c.req.param();
    const { requestId } = c.get("watch");
    const defer = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
    const visit = { request: c.req.raw, tenant, token, watch: c.get("watch"), defer };
    const page = await attempt(() => answerLink(visit, c.get("deployment"), sayReach));
    // The address has the token, so it is in no line of the log.
    if (!page.ok) logBug(requestId, PATH, page.error);
    return respondPage(page.ok ? page.value : FAULT);
  };
  router.get(PATH, answer);
  router.post(PATH, answer);
  return router;
}
