import type { SignInSecrets } from "../../../feature/gives.ts";
import type { Deployment } from "../../../feature/define.ts";
import { redirect, respondPage } from "../../../cloudflare/page/respond-page.ts";
import { type LinkPlace, shardOfId, SIGNED_IN_PATH } from "../link-token.ts";
import type { Shards } from "../objects/connection-shards.ts";
import { makeUnknownPersonPage, NO_LINK } from "../page/link-page.ts";
import { readCookie, writeCookie } from "./browser-cookie.ts";
import { peopleOf } from "./people-of.ts";

/** The facts that are needed again when a person is back from the issuer. */
export interface KeptForVisit {
  /** Confirms who came. It never leaves the Worker. */
  readonly code: string;
  readonly redirectUri: string;
  readonly secrets: SignInSecrets;
}

interface Arrived extends LinkPlace {
  readonly request: Request;
  readonly shards: Shards;
  readonly code: string;
}

/** Lead who came from the provider on to the issuer, to show that they are the subject. */
export async function leadToIssuer(
  { request, shards, tenant, id, code }: Arrived,
  { configured }: Deployment,
): Promise<Response> {
  const shard = shardOfId(id)!;
  const end = async (problem: string): Promise<Response> => {
    await shards(shard).confirm(id, { code, subject: null });
    return respondPage(makeUnknownPersonPage(problem));
  };
  const people = peopleOf(tenant, configured);
  if (people === null) return end("people cannot sign in here any more");
  const finder = await people.load();
  const url = new URL(request.url);
  const redirectUri = `${url.origin}${SIGNED_IN_PATH}`;
  const secrets = finder.makeSecrets();
  const kept = JSON.stringify({ code, redirectUri, secrets } satisfies KeptForVisit);
  const state = await shards(shard).beginVisit(id, { code, kept });
  if (state === null) return respondPage(NO_LINK);
  const address = await finder.addressFor(secrets, { state, redirectUri });
  if (!address.ok) return end(address.error);
  // The way has become longer, and the browser is to be known at its end.
  const browser = readCookie(request);
  return redirect(address.value, browser === null ? {} : { "set-cookie": writeCookie(browser, url) });
}
