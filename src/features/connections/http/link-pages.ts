import type { Context } from "hono";

import { createRouter, type Router, type RouterTypes } from "../../../feature/route.ts";
import { visitorRatesOf } from "../../../cloudflare/http/visitor-rates.ts";
import { logBug } from "../../../cloudflare/platform/log-bug.ts";
import { attempt } from "../../../core/kit/result.ts";
import { CALLBACK_PATH, SIGNED_IN_PATH } from "../link-token.ts";
import type { LinkWays } from "./answer-connect-link.ts";

const LINK_PATH = "/connect/:tenant/:id/:secret";

/** Create the router of the pages of links, and of the way back from a provider. Who has the link needs no key. */
export function createLinkPages(ways: LinkWays): Router {
  const router = createRouter();
  const answer = async (c: Context<RouterTypes>, path: string): Promise<Response> => {
    const { answerLink } = await import("./answer-connect-link.ts");
    const { answerCallback } = await import("./answer-callback.ts");
    const { FAULT } = await import("../page/link-page.ts");
    const { respondPage } = await import("../../../cloudflare/page/respond-page.ts");
    const deployment = c.get("deployment");
    const { configured } = deployment;
    const waitMs = visitorRatesOf(configured).draw(c.req.raw, configured.ports.clock.now());
    if (waitMs > 0) {
      const { respondFlood } = await import("../../../cloudflare/page/respond-page.ts");
      return respondFlood(waitMs);
    }
    const { tenant = "", id = "", secret = "" } = c.req.param() as Readonly<Record<string, string>>;
    const request = c.req.raw;
    const answered = await attempt(async () => {
      if (path === LINK_PATH) return answerLink({ request, tenant, id, secret }, deployment, ways);
      if (path === CALLBACK_PATH) return answerCallback(request, deployment);
      const { answerSignedIn } = await import("./answer-signed-in.ts");
      return answerSignedIn(request, deployment);
    });
    // The address has the token, so it is in no line of the log.
    if (!answered.ok) logBug(c.get("watch").requestId, path, answered.error);
    return answered.ok ? answered.value : respondPage(FAULT);
  };
  router.get(LINK_PATH, (c) => answer(c, LINK_PATH));
  router.post(LINK_PATH, (c) => answer(c, LINK_PATH));
  router.get(CALLBACK_PATH, (c) => answer(c, CALLBACK_PATH));
  // Some providers send a person back by a form of theirs (`response_mode=form_post`), with which a browser sends no cookie of ours.
  router.post(CALLBACK_PATH, async (c) => {
    const { leadOnForm } = await import("./lead-on-form.ts");
    return leadOnForm(c.req.raw);
  });
  router.get(SIGNED_IN_PATH, (c) => answer(c, SIGNED_IN_PATH));
  return router;
}
