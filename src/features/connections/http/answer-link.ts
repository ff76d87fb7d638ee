import { respondPage } from "../../../cloudflare/page/respond-page.ts";
import { readBytes } from "../../../cloudflare/http/read-request-body.ts";
import type { Deployment } from "../../../cloudflare/deployed.ts";
import * as LIMITS from "../limits.ts";
import { sha256 } from "../../../core/kit/sha256.ts";
import { attempt } from "../../../core/kit/result.ts";
import { connectorOf } from "../connectors/connector.ts";
import { CALLBACK_PATH, parseState, shardOfId } from "../link-token.ts";
import {
  FAILED,
  FOREIGN,
  FORM_TOKEN,
  makeDonePage,
  makeLinkPage,
  makeMadePage,
  makeUnreachablePage,
  NO_CONNECTOR,
  NO_LINK,
  OTHER_BROWSER,
  OVER,
  REFUSED,
  USED,
} from "../page/link-page.ts";
import { openShards, type Shards } from "../objects/connection-shards.ts";
import { makeBrowserText, readCookie, writeCookie } from "./browser-cookie.ts";
import { connectionSetupOf } from "./connection-setup.ts";
import { leadToIssuer } from "./lead-to-issuer.ts";
import { peopleOf } from "./people-of.ts";
import { redirect } from "./redirect.ts";

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
  const link = await shards(shard).view(id, secret);
  if (link === null) return respondPage(NO_LINK);
  if ("kind" in link) return respondPage(makeMadePage(link.connector));
  if (link.isUsed) return respondPage(USED);
  const { connectors } = connectionSetupOf(deployment.configured);
  const connector = connectorOf(connectors, link.connector, tenant);
  if (connector?.kind !== "oauth2") return respondPage(NO_CONNECTOR);
  const url = new URL(request.url);
  const formToken = sha256(`connect form ${secret}`);
  const isLedBack = link.returnTo !== null || ways.confirmsItself;
  const people = isLedBack ? null : peopleOf(tenant, deployment.configured);
  const canConfirm = isLedBack || people !== null;
  if (request.method !== "POST" || !canConfirm) {
    const provider = new URL(connector.authorizeUrl);
    // A browser holds the whole way of a form to the policy, and a provider sends it on to wherever people sign in.
    const issuer = people === null ? null : new URL(people.issuer);
    const formLeadsTo = ["https:", provider.origin, ...(issuer === null ? [] : [issuer.origin])];
    const asked = { link, host: url.host, formToken, provider, canConfirm, issuerHost: issuer?.host ?? null };
    // Before the form is sent: a second click sends it again before the answer to the first is there.
    const cookies = readCookie(request) === null ? [writeCookie(makeBrowserText(), url)] : [];
    return respondPage(makeLinkPage(asked), { formLeadsTo, cookies });
  }
  if (!(await isOwnForm(request, formToken))) return respondPage(FOREIGN);
  // The account would be brought for nothing.
  const reached = await (await people?.load())?.reach();
  if (reached?.ok === false) return respondPage(makeUnreachablePage(reached.error));
  const redirectUri = `${url.origin}${CALLBACK_PATH}`;
  const browser = readCookie(request);
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

/** Answer a browser that the provider sent back: with the way to the application, or with a page that says what came of it. */
export async function answerCallback(request: Request, deployment: Deployment): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const place = parseState(query.get("state") ?? "");
  const shards = place === null ? null : openTenant(place.tenant, deployment);
  if (place === null || shards === null) return respondPage(NO_LINK);
  const { headers } = request;
  // A browser says where a request of it comes from. A client that does not is none, and another page cannot have led it here.
  const isBrowser = headers.has("sec-fetch-site") || headers.has("cookie");
  const came = await shards(shardOfId(place.id)!).arrive(place.id, {
    state: place.secret,
    browser: isBrowser ? (readCookie(request) ?? "") : null,
    code: query.has("error") ? undefined : (query.get("code") ?? undefined),
    issuer: query.get("iss"),
  });
  switch (came.kind) {
    case "arrived":
      if (came.returnTo === null && !came.isActive)
        return leadToIssuer({ request, shards, ...place, code: came.code }, deployment);
      return came.returnTo === null
        ? respondPage(makeDonePage(came.place.connector, came.account))
        : leadBack(came.returnTo, { connection_id: came.id, code: came.code });
    case "refused":
      return came.returnTo === null
        ? respondPage(REFUSED)
        : leadBack(came.returnTo, { connection_id: came.id, error: "access_denied" });
    case "failed":
      return came.returnTo === null
        ? respondPage(FAILED)
        : leadBack(came.returnTo, { connection_id: came.id, error: "server_error" });
    case "made":
      return respondPage(makeMadePage(came.connector));
    case "gone":
      return respondPage(OVER);
    case "used":
      return respondPage(USED);
    case "other-browser":
      return respondPage(OTHER_BROWSER);
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
  const { headers } = request;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "");
  if (!isForm || !["same-origin", null].includes(headers.get("sec-fetch-site"))) return false;
  const read = await attempt(() => readBytes(request, LIMITS.connectionTextCharacters));
  if (!read.ok || read.value === null) return false;
  return new URLSearchParams(new TextDecoder().decode(read.value)).get(FORM_TOKEN) === formToken;
}

/** The parameters are added to what the address has. */
function leadBack(returnTo: string, parameters: Readonly<Record<string, string>>): Response {
  const url = new URL(returnTo);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return redirect(url.href);
}
