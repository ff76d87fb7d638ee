import type { SignInSecrets } from "../../../cloudflare/configured.ts";
import { respondPage } from "../../../cloudflare/page/respond-page.ts";
import type { SignedKey } from "../sign-in.ts";
import { showChoice } from "./show-choice.ts";
import { showFirst } from "./show-consent.ts";
import { inSteps, OVER } from "./visit-steps.ts";

/** Where the issuer sends a person back to. */
export const CALLBACK = "/authorize/callback";

/** `GET /authorize/callback`: take a person back from the issuer. */
export const returnFromIssuer = inSteps(async (step) => {
  const { request, desk, oauth, origin } = step;
  const resumed = await oauth.finishUpstream<SignInSecrets | SignedKey>(request);
  const { request: asked, data } = resumed;
  const key = desk.identityKey;
  const cookies = resumed.headers.getSetCookie();
  // A form of ours has such a handle too.
  if (key === null || !("nonce" in data)) return respondPage(OVER, { cookies });
  const issuer = await desk.issuer();
  const { searchParams: query } = new URL(request.url);
  const returned = { query, redirectUri: `${origin}${CALLBACK}`, secrets: data };
  const subject = await issuer.identify(returned);
  if (!subject.ok) return showFirst(step, asked, cookies, sayIssuer(subject.error));
  const signed = { tenant: key.tenant, key: key.name, subject: subject.value };
  return showChoice(step, { asked, signed, cookies });
});

export function sayIssuer(problem: string): string {
  return `You were not signed in: ${problem}.`;
}
