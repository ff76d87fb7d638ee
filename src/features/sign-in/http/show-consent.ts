import { AuthorizationError, type AuthRequest } from "@cloudflare/workers-oauth-provider";

import { makePlainPage } from "../../../cloudflare/page/plain-page.ts";
import { respondPage } from "../../../cloudflare/page/respond-page.ts";
import { makeConsentPage } from "../page/consent-page.ts";
import { describeClient } from "./describe-client.ts";
import { formOriginOf } from "./form-origin.ts";
import { withoutSlash } from "./resource.ts";
import { inSteps, type Step } from "./visit-steps.ts";

/** `GET /authorize`: show who asks. */
export const showConsent = inSteps(async (step) => {
  const address = new URL(step.request.url);
  address.search = withoutSlash(address.searchParams, step.origin).toString();
  const asked = await step.oauth.parseAuthRequest(new Request(address));
  // The library lets a client with a secret go without; it would be the only one.
  if (asked.codeChallenge === undefined || asked.codeChallengeMethod !== "S256")
    throw new AuthorizationError("invalid_request", { description: "PKCE with S256 is needed", ...asked });
  if (formOriginOf(asked) === null) return respondPage(ODD_REDIRECT);
  return showFirst(step, asked, []);
});

/** Answer with the first page. @param wrong why the person is there again */
export async function showFirst(
  step: Step,
  asked: AuthRequest,
  cookies: readonly string[],
  wrong?: string,
): Promise<Response> {
  const client = await describeClient(step, asked);
  const { handle, headers } = await step.oauth.beginConsent(asked);
  const { identity } = step.desk;
  const issuer = identity === null ? null : new URL(identity.issuer);
  const page = makeConsentPage({ client, handle, issuerHost: issuer?.host ?? null, wrong });
  return respondPage(page, {
    // An issuer leads on to pages of its own, wherever they are.
    formLeadsTo: [formOriginOf(asked)!, ...(issuer === null ? [] : [issuer.origin, "https:"])],
    cookies: [...cookies, ...headers.getSetCookie()],
  });
}

const ODD_REDIRECT = makePlainPage(
  400,
  "The program cannot be let in",
  "The address that access would go to has characters that no host of the web has.",
);
