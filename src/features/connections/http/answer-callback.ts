import type { Deployment } from "../../../feature/define.ts";
import { redirect, respondPage } from "../../../cloudflare/page/respond-page.ts";
import { parseState, shardOfId } from "../link-token.ts";
import {
  FAILED,
  makeCodePage,
  makeDonePage,
  makeMadePage,
  NO_LINK,
  OTHER_BROWSER,
  OVER,
  REFUSED,
  USED,
} from "../page/link-page.ts";
import { openTenant } from "./answer-connect-link.ts";
import { readCookie } from "./browser-cookie.ts";
import { leadToIssuer } from "./lead-to-issuer.ts";

/** Answer a browser that the provider sent back: with the way to the application, or with a page that says what came of it. */
export async function answerCallback(request: Request, deployment: Deployment): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const place = parseState(query.get("state") ?? "");
  const shards = place === null ? null : openTenant(place.tenant, deployment);
  if (place === null || shards === null) return respondPage(NO_LINK);
  const { headers } = request;
  // Browsers send these headers. A request without them comes from no browser, so no page can have led it here.
  const isBrowser = headers.has("sec-fetch-site") || headers.has("cookie");
  const came = await shards(shardOfId(place.id)!).arrive(place.id, {
    state: place.secret,
    browser: isBrowser ? (readCookie(request) ?? "") : null,
    code: query.has("error") ? undefined : (query.get("code") ?? undefined),
    issuer: query.get("iss"),
    query: query.toString(),
  });
  switch (came.kind) {
    case "arrived":
      if (came.isTyped) return respondPage(makeCodePage(came, new URL(request.url).host));
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

/** The parameters are added to what the address has. */
function leadBack(returnTo: string, parameters: Readonly<Record<string, string>>): Response {
  const url = new URL(returnTo);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return redirect(url.href);
}
