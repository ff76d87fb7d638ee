import type { Context } from "hono";

import { createRouter, type Router, type RouterTypes } from "../../../feature/route.ts";
import { logBug } from "../../../feature/define.ts";
import { linkVisitsOf } from "../../../cloudflare/http/visitor-rates.ts";
import type { SayReach } from "../../../feature/gives.ts";
import { attempt } from "../../../feature/refuse.ts";
import { digestOf } from "../approval-link.ts";
import { FAULT, answerLink } from "./answer-link.ts";
import { respondFlood, respondPage } from "../../../feature/kit.ts";

const PATH = "/approvals/:tenant/:token";

/**
 * Create the router of the pages of links: `GET` shows what would run and decides nothing, the page's form says yes or no. Who
 * has the link needs no key.
 */
export function createApprovalPages(sayReach: readonly SayReach[]): Router {
  const router = createRouter();
  const answer = async (c: Context<RouterTypes>): Promise<Response> => {
    const { tenant = "", token = "" } = c.req.param();
    const { requestId } = c.get("watch");
    const defer = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
    const { configured } = c.get("deployment");
    const { clock } = configured.ports;
    const visits = linkVisitsOf(configured);
    const by = { request: c.req.raw, digest: digestOf(token) };
    const waitMs = visits.draw(by, clock.now());
    if (waitMs > 0) return respondFlood(waitMs);
    const onFound = (isFound: boolean): void => (isFound ? visits.found(by, clock.now()) : visits.gone(by));
    const visit = { request: c.req.raw, tenant, token, watch: c.get("watch"), defer, onFound };
    const page = await attempt(() => answerLink(visit, c.get("deployment"), sayReach));
    // The address has the token, so it is in no line of the log.
    if (!page.ok) logBug(requestId, PATH, page.error);
    return respondPage(page.ok ? page.value : FAULT);
  };
  router.get(PATH, answer);
  router.post(PATH, answer);
  return router;
}
