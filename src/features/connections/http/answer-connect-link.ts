import { redirect } from "../../../cloudflare/page/respond-page.ts";
import { respondPage, sha256 } from "../../../feature/kit.ts";
import { readOwnForm } from "../../../cloudflare/http/read-request-body.ts";
import type { Deployment } from "../../../feature/define.ts";
import * as LIMITS from "../limits.ts";
import { connectorOf } from "../connectors/connector.ts";
import { atSite } from "../connectors/site.ts";
import { CALLBACK_PATH, shardOfId } from "../link-token.ts";
import {
  FOREIGN,
  FORM_TOKEN,
  makeCodePage,
  makeLinkPage,
  makeMadePage,
  makeUnreachablePage,
  NO_CONNECTOR,
  NO_LINK,
  USED,
} from "../page/link-page.ts";
import { openShards, type Shards } from "../objects/connection-shards.ts";
import { makeBrowserText, readCookie, writeCookie } from "./browser-cookie.ts";
import { connectionSetupOf } from "./connection-setup.ts";
import { peopleOf } from "./people-of.ts";

/** The ways of the pages that are not the same everywhere. */
export interface LinkWays {
  /** An account is used before the caller has said whose it is: in a sandbox. */
  readonly confirmsItself: boolean;
}

interface Visit {
  readonly request: Request;
  readonly tenant: string;
  readonly id: string;
  readonly secret: string;
}

/** Answer who has a link: with the page that asks, and after its form with the way to the provider. */
export async function answerLink(
  { request, tenant, id, secret }: Visit,
  deployment: Deployment,
  ways: LinkWays,
): Promise<Response> {
  const shards = openTenant(tenant, deployment);
  const shard = shardOfId(id);
  if (shards === null || shard === null) return respondPage(NO_LINK);
  const browser = readCookie(request);
  const link = await shards(shard).view(id, { secret, browser });
  if (link === null) return respondPage(NO_LINK);
  const url = new URL(request.url);
  if ("kind" in link) {
    if (link.kind === "made") return respondPage(makeMadePage(link.connector));
    return respondPage(link.kind === "arrived" ? makeCodePage(link, url.host) : USED);
  }
  const { connectors } = connectionSetupOf(deployment.configured);
  const connector = connectorOf(connectors, link.connector, tenant);
  if (connector?.kind !== "oauth2") return respondPage(NO_CONNECTOR);
  const formToken = sha256(`connect form ${secret}`);
  const isLedBack = link.returnTo !== null || ways.confirmsItself;
  const people = isLedBack ? null : peopleOf(tenant, deployment.configured);
  if (request.method !== "POST") {
    const provider = new URL(atSite(connector, link.site).authorizeUrl);
    // A browser holds the whole way of a form to the policy, and a provider sends it on to wherever people sign in.
    const issuer = people === null ? null : new URL(people.issuer);
    const formLeadsTo = ["https:", provider.origin, ...(issuer === null ? [] : [issuer.origin])];
    const showsCode = !isLedBack && people === null;
    const asked = { link, host: url.host, formToken, provider, showsCode, issuerHost: issuer?.host ?? null };
    // Before the form is sent: a second click sends it again before the answer to the first is there.
    const cookies = browser === null ? [writeCookie(makeBrowserText(), url)] : [];
    return respondPage(makeLinkPage(asked), { formLeadsTo, cookies });
  }
  if (!(await isOwnForm(request, formToken))) return respondPage(FOREIGN);
  // The account would be brought for nothing.
  const reached = await (await people?.load())?.reach();
  if (reached?.ok === false) return respondPage(makeUnreachablePage(reached.error));
  const redirectUri = `${url.origin}${CALLBACK_PATH}`;
  const opened = await shards(shard).open(id, { secret, browser, redirectUri });
  switch (opened.kind) {
    case "opened":
      return redirect(opened.authorizeUrl, { "set-cookie": writeCookie(opened.browser, url) });
    case "gone":
      return respondPage(NO_LINK);
    case "made":
      return respondPage(makeMadePage(opened.connector));
    case "used":
      return respondPage(USED);
    case "no-connector":
      return respondPage(NO_CONNECTOR);
  }
}

export function openTenant(tenant: string, deployment: Deployment): Shards | null {
  const runner = deployment.runnerOf(tenant);
  if (runner === null) return null;
  const opened = openShards(runner, deployment.configured);
  return opened.ok ? opened.value : null;
}

/** Whether a form was sent from its page: another page does not know the token, and a browser says where a form comes from. */
async function isOwnForm(request: Request, formToken: string): Promise<boolean> {
  const fields = await readOwnForm(request, LIMITS.connectionTextCharacters);
  return typeof fields !== "string" && fields.get(FORM_TOKEN) === formToken;
}
