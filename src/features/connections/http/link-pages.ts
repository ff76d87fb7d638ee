import type { Context } from "hono";

import * as LIMITS from "../limits.ts";
import { createRouter, type Router, type RouterTypes, visitorRatesOf } from "../../../feature/route.ts";
import { type Deployment, logBug } from "../../../feature/define.ts";
import { readBytes } from "../../../feature/answer.ts";
import { redirect, respondFlood, respondPage } from "../../../cloudflare/page/respond-page.ts";
import { attempt, err } from "../../../feature/refuse.ts";
import { CALLBACK_PATH, parseState, shardOfId, SIGNED_IN_PATH } from "../link-token.ts";
import {
  FAULT,
  makeDonePage,
  makeOtherPersonPage,
  makeUnknownPersonPage,
  NO_LINK,
  OTHER_BROWSER,
  OVER,
} from "../page/link-page.ts";
import { answerCallback } from "./answer-callback.ts";
import { answerLink, type LinkWays, openTenant } from "./answer-connect-link.ts";
import { readCookie } from "./browser-cookie.ts";
import type { KeptForVisit } from "./lead-to-issuer.ts";
import { peopleOf } from "./people-of.ts";

const LINK_PATH = "/connect/:tenant/:id/:secret";

/** Create the router of the pages of links, and of the way back from a provider. Who has the link needs no key. */
export function createLinkPages(ways: LinkWays): Router {
  const router = createRouter();
  const answer = async (c: Context<RouterTypes>, path: string): Promise<Response> => {
    const deployment = c.get("deployment");
    const { configured } = deployment;
    const waitMs = visitorRatesOf(configured).draw(c.req.raw, configured.ports.clock.now());
    if (waitMs > 0) return respondFlood(waitMs);
    const { tenant = "", id = "", secret = "" } = c.req.param() as Readonly<Record<string, string>>;
    const request = c.req.raw;
    const answered = await attempt(async () => {
      if (path === LINK_PATH) return answerLink({ request, tenant, id, secret }, deployment, ways);
      if (path === CALLBACK_PATH) return answerCallback(request, deployment);
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
  router.post(CALLBACK_PATH, (c) => leadOnForm(c.req.raw));
  router.get(SIGNED_IN_PATH, (c) => answer(c, SIGNED_IN_PATH));
  return router;
}

/** Answer a browser that the issuer sent back: the account is the subject's only if the subject signed in. */
async function answerSignedIn(request: Request, deployment: Deployment): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const found = parseState(query.get("state") ?? "");
  const shards = found === null ? null : openTenant(found.tenant, deployment);
  if (found === null || shards === null) return respondPage(NO_LINK);
  const { tenant, id, secret: state } = found;
  const shard = shardOfId(id)!;
  const came = await shards(shard).endVisit(id, { state, browser: readCookie(request) });
  if (came.kind !== "back") return respondPage(came.kind === "gone" ? OVER : OTHER_BROWSER);
  const { code, ...kept } = JSON.parse(came.kept) as KeptForVisit;
  const finder = await peopleOf(tenant, deployment.configured)?.load();
  const identified =
    finder === undefined
      ? err("people cannot sign in here any more")
      : await finder.identify({ query, ...kept });
  const subject = identified.ok ? identified.value : null;
  const confirmed = await shards(shard).confirm(id, { code, subject });
  if (!identified.ok) return respondPage(makeUnknownPersonPage(identified.error));
  switch (confirmed.kind) {
    case "active":
      return respondPage(makeDonePage(came.place.connector, confirmed.connection.account));
    case "other-subject":
      return respondPage(makeOtherPersonPage(came.place.subject, identified.value));
    case "no-code":
    case "unknown":
      return respondPage(OVER);
  }
}

/** The fields of a provider's answer that are read. */
const FIELDS = ["state", "code", "error", "iss"];

/** Lead a browser that came back by a form to the same address by a link: only with that it sends what shows that it is the one that began. */
async function leadOnForm(request: Request): Promise<Response> {
  const read = await attempt(() => readBytes(request, LIMITS.providerAnswerBytes));
  if (!read.ok || read.value === null) return respondPage(NO_LINK);
  const form = new URLSearchParams(new TextDecoder().decode(read.value));
  const kept = FIELDS.flatMap((name) => (form.has(name) ? [[name, form.get(name)!]] : []));
  return redirect(`${CALLBACK_PATH}?${new URLSearchParams(kept).toString()}`);
}
