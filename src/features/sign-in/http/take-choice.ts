import { authorizationErrorRedirect } from "@cloudflare/workers-oauth-provider";

import * as LIMITS from "../limits.ts";
import type { SignInSecrets } from "../../../cloudflare/configured.ts";
import { respondPage } from "../../../cloudflare/page/respond-page.ts";
import { isDocumentId } from "../client-document.ts";
import { scopesOf } from "../page/choice-page.ts";
import { withAsked } from "../scopes.ts";
import { FIELDS, shortName } from "../page/consent-page.ts";
import { consentKey, ownerOf, type SignedKey, type SignInFacts, toCaller } from "../sign-in.ts";
import { describeClient } from "./describe-client.ts";
import { readForm } from "./read-sign-in-form.ts";
import { ENDED, readOffer, showChoice } from "./show-choice.ts";
import { showFirst } from "./show-consent.ts";
import { FAULT, inSteps, leadTo, OVER } from "./visit-steps.ts";

/** `POST /authorize/choice`: take what the person chose, and let the program in. */
export const takeChoice = inSteps(async (step) => {
  const { request, oauth, desk } = step;
  const sent = await readForm(request);
  if (!sent.ok) return respondPage(sent.error);
  const form = sent.value;
  const resumed = await oauth.finishUpstream<SignInSecrets | SignedKey>(
    withState(request, form.get(FIELDS.handle) ?? ""),
  );
  const { request: asked, data: signed } = resumed;
  const cookies = resumed.headers.getSetCookie();
  if ("nonce" in signed) return respondPage(OVER, { cookies });
  if (form.get(FIELDS.decision) !== "yes")
    return leadTo(authorizationErrorRedirect(asked, "access_denied"), cookies);
  const key = await desk.keyOf(signed);
  if (!key.ok) return respondPage(FAULT, { cookies });
  if (key.value === null) return showFirst(step, asked, cookies, ENDED);
  const offer = await readOffer(step, toCaller(key.value, ["tools"], signed.subject));
  const scope = scopesOf(form, offer);
  if (scope === null) return showChoice(step, { asked, signed, cookies, wrong: CHOOSE });
  const client = await describeClient(step, asked);
  const { hash: _hash, ...known } = signed;
  const facts: SignInFacts = { ...known, client_name: shortName(client) };
  const { redirectTo } = await oauth.completeAuthorization({
    request: asked,
    userId: ownerOf(signed),
    metadata: facts,
    scope: [...withAsked(scope, asked.scope)],
    props: signed,
    // Many people may have one key, and a program's id is the same for all of them; a person who signs in anew replaces their own.
    revokeExistingGrants: signed.subject !== undefined,
  });
  const untilMs = desk.configured.ports.clock.now() + 1_000 * LIMITS.usedClientS;
  if (!isDocumentId(asked.clientId)) await desk.stores!.use(`client:${asked.clientId}`, untilMs);
  const consented = { metadata: null, expiresAtMs: untilMs, expected: null, unused: false };
  await desk.stores!.write(consentKey(asked.clientId, asked.redirectUri), "", consented);
  return leadTo(redirectTo, cookies);
});

/** The same request with the handle where the library looks for it. */
function withState({ url, headers }: Request, state: string): Request {
  const address = new URL(url);
  address.searchParams.set("state", state);
  return new Request(address, { headers });
}

const CHOOSE =
  "Choose everything, or reads only, or at least one category; ticks of categories count with 'Only these categories' alone.";
