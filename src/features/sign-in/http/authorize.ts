import type { AuthRequest } from "@cloudflare/workers-oauth-provider";
import * as LIMITS from "../limits.ts";
import { digestKey, toHash } from "../../../feature/answer.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { makePlainPage, respondPage } from "../../../feature/kit.ts";
import type { SignInSecrets } from "../../../feature/gives.ts";
import type { Caller } from "../../../feature/caller.ts";
import { FIELDS, makeConsentPage, shortName } from "../page/consent-page.ts";
import {
  describeClient,
  FAULT,
  formOriginOf,
  inSteps,
  leadTo,
  OVER,
  readForm,
  type Step,
  type Visit,
} from "./visit-steps.ts";
import { library } from "./oauth-kv.ts";
import { withoutSlash } from "./oauth-server.ts";
import { consentKey, ownerOf, type SignedKey, type SignInFacts, toCaller } from "../sign-in.ts";
import { makeChoicePage, type Offer, scopesOf } from "../page/choice-page.ts";
import { isDocumentId } from "../client-document.ts";
import { areScopes, withAsked } from "../sign-in-scopes.ts";

/** `GET /authorize`: show who asks. */
export const showConsent = inSteps(async (step) => {
  const address = new URL(step.request.url);
  address.search = withoutSlash(address.searchParams, step.origin).toString();
  const asked = await step.oauth.parseAuthRequest(new Request(address));
  // The library lets a client with a secret go without; it would be the only one.
  if (asked.codeChallengeMethod !== "S256" || !CHALLENGE.test(asked.codeChallenge ?? ""))
    throw new library.AuthorizationError("invalid_request", { description: NO_CHALLENGE, ...asked });
  if (!areScopes(asked.scope))
    throw new library.AuthorizationError("invalid_scope", { description: ODD_SCOPE, ...asked });
  if (formOriginOf(asked) === null) return respondPage(ODD_REDIRECT);
  return showFirst(step, asked, []);
});

/** A SHA-256 in base64url, which no other text can be the answer to (RFC 7636, 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const NO_CHALLENGE = "PKCE with S256 is needed: 'code_challenge' is 43 characters of base64url";
const ODD_SCOPE =
  "'scope' is at most 64 names with blanks between them, each of 128 characters of ASCII at most";

/** Answer with the first page. @param wrong why the person is there again */
async function showFirst(
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

/** Where the issuer sends a person back to. */
const CALLBACK = "/authorize/callback";

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

function sayIssuer(problem: string): string {
  return `You were not signed in: ${problem}.`;
}

interface Choosing {
  readonly asked: AuthRequest;
  readonly signed: SignedKey;
  readonly cookies: readonly string[];
  readonly wrong?: string;
}

/** Answer with the page on which the person chooses what a program may do. */
async function showChoice(step: Step, { asked, signed, cookies, wrong }: Choosing): Promise<Response> {
  const key = await step.desk.keyOf(signed);
  if (!key.ok) return respondPage(FAULT, { cookies });
  if (key.value === null) return showFirst(step, asked, cookies, ENDED);
  const client = await describeClient(step, asked);
  const offer = await readOffer(step, toCaller(key.value, ["tools"], signed.subject));
  // Sealed under the form's own handle, so that what was found out once need not be asked again, and the key is nowhere.
  const { state: handle, headers } = await step.oauth.beginUpstream(asked, { data: signed });
  const { tenant, key: name, subject } = signed;
  const page = makeChoicePage({
    client,
    handle,
    key: name,
    tenant,
    subject,
    offer,
    asked: asked.scope,
    wrong,
  });
  return respondPage(page, {
    formLeadsTo: [formOriginOf(asked)!],
    cookies: [...cookies, ...headers.getSetCookie()],
  });
}

/** Count what a key may call, added tools included. */
async function readOffer({ deployment, request, watch, defer }: Visit, caller: Caller): Promise<Offer> {
  const asked = { requestId: watch.requestId, requestUrl: request.url, defer, watch };
  const context = deployment.contextOf(caller, asked);
  const { tools, byCategory } = await context.currentCatalog();
  return {
    tools: tools.length,
    reads: tools.filter(({ isWrite }) => !isWrite).length,
    categories: new Map([...byCategory].map(([name, { length }]) => [name, length])),
  };
}

const ENDED = "The key has ended since; use another.";

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
    return leadTo(library.authorizationErrorRedirect(asked, "access_denied"), cookies);
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
