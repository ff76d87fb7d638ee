import type { AuthRequest } from "@cloudflare/workers-oauth-provider";

import { digestKey, toHash } from "../../../cloudflare/http/key-ring.ts";
import { respondPage } from "../../../cloudflare/page/respond-page.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import { FIELDS } from "../page/consent-page.ts";
import type { SignedKey } from "../sign-in.ts";
import { readForm } from "./read-sign-in-form.ts";
import { CALLBACK, sayIssuer } from "./return-from-issuer.ts";
import { showChoice } from "./show-choice.ts";
import { showFirst } from "./show-consent.ts";
import { inSteps, leadTo, type Step, type Visit } from "./visit-steps.ts";

/** `POST /authorize`: take the key, or lead to the issuer, or say no. */
export const takeConsent = inSteps(async (step) => {
  const sent = await readForm(step.request);
  if (!sent.ok) return respondPage(sent.error);
  const form = sent.value;
  const handle = form.get(FIELDS.handle) ?? "";
  const decision = form.get(FIELDS.decision);
  if (decision === "no") {
    const { redirectTo, headers } = await step.oauth.denyConsent(step.request, handle);
    return leadTo(redirectTo, headers.getSetCookie());
  }
  const { request: asked, headers } = await step.oauth.approveConsent(step.request, handle);
  const cookies = headers.getSetCookie();
  if (decision === "issuer" && step.desk.identity !== null) return leadToIssuer(step, asked, cookies);
  const key = (form.get(FIELDS.key) ?? "").trim();
  const signed = await identifyKey(key, step);
  if (!signed.ok) return showFirst(step, asked, cookies, signed.error);
  return showChoice(step, { asked, signed: signed.value, cookies });
});

async function leadToIssuer(step: Step, asked: AuthRequest, cookies: readonly string[]): Promise<Response> {
  const issuer = await step.desk.issuer();
  const secrets = issuer.makeSecrets();
  const { state, headers } = await step.oauth.beginUpstream(asked, { data: secrets });
  const address = await issuer.addressFor(secrets, { state, redirectUri: `${step.origin}${CALLBACK}` });
  if (!address.ok) return showFirst(step, asked, cookies, sayIssuer(address.error));
  return leadTo(address.value, [...cookies, ...headers.getSetCookie()]);
}

/** Find whose a key is. An access token is none: it is good at its resource only. */
async function identifyKey(
  key: string,
  { deployment, request, defer }: Visit,
): Promise<Result<SignedKey, string>> {
  if (key === "") return err("Enter your key, or say no.");
  const identified = await deployment.identify(key, { url: request.url, defer });
  if (!identified.ok) return err("Whose key this is could not be looked up; send it again.");
  if (identified.value === null) return err("This is no key of this deployment.");
  const { tenant, name } = identified.value;
  return ok({ tenant, key: name, hash: toHash(await digestKey(key)) });
}
