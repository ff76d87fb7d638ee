import type { Deployment } from "../../../cloudflare/deployed.ts";
import { respondPage } from "../../../cloudflare/page/respond-page.ts";
import { err } from "../../../core/kit/result.ts";
import { parseState, shardOfId } from "../link-token.ts";
import {
  makeDonePage,
  makeOtherPersonPage,
  makeUnknownPersonPage,
  NO_LINK,
  OTHER_BROWSER,
  OVER,
} from "../page/link-page.ts";
import { openTenant } from "./answer-connect-link.ts";
import { readCookie } from "./browser-cookie.ts";
import type { KeptForVisit } from "./lead-to-issuer.ts";
import { peopleOf } from "./people-of.ts";

/** Answer a browser that the issuer sent back: the account is the subject's only if the subject signed in. */
export async function answerSignedIn(request: Request, deployment: Deployment): Promise<Response> {
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
