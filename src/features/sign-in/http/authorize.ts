import {
  type AuthRequest,
  AuthorizationError,
  authorizationErrorRedirect,
  OAuthError,
  type OAuthHelpers,
} from "@cloudflare/workers-oauth-provider";

import type { Caller } from "../../../core/contract/gate/caller.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { SignInSecrets } from "../../../core/edge/configured.ts";
import type { Deployment } from "../../../core/edge/deployed.ts";
import { digestKey, toHash } from "../../../core/edge/http/key-ring.ts";
import { readBytes } from "../../../core/edge/http/read-request-body.ts";
import { makePlainPage } from "../../../core/edge/page/plain-page.ts";
import { type Page, respondPage } from "../../../core/edge/page/respond-page.ts";
import { attempt, attemptNow, err, ok, type Result } from "../../../core/kit/result.ts";
import { logBug } from "../../../core/edge/platform/log-bug.ts";
import type { Watch } from "../../../core/observe/watch.ts";
import { isDocumentId } from "../client-document.ts";
import { makeChoicePage, type Offer, scopesOf } from "../page/choice-page.ts";
import { FIELDS, makeConsentPage, shortName, type ShownClient } from "../page/consent-page.ts";
import { ownerOf, type SignedKey, type SignInFacts, toCaller } from "../sign-in.ts";
import { FullError } from "./oauth-kv.ts";
import { ClientDocumentError, voucherOf } from "./oauth-server.ts";
import type { SignInDesk } from "./sign-in-desk.ts";

/** Somebody's browser, on its way through the pages. */
export interface Visit {
  readonly request: Request;
  readonly deployment: Deployment;
  readonly desk: SignInDesk;
  readonly watch: Watch;
  /** Keep work alive after the answer. */
  readonly defer: (work: Promise<unknown>) => void;
}

/** A visit with the steps of the library, and the cookies that were set on the way. */
interface Step extends Visit {
  readonly origin: string;
  readonly oauth: OAuthHelpers;
}

/** A form as it was sent, or the page that says why it is not taken. */
type Sent = Result<URLSearchParams, Page>;

export const CALLBACK = "/authorize/callback";

/** `GET /authorize`: show who asks. */
export const showConsent = inSteps(async (step) => {
  const asked = await step.oauth.parseAuthRequest(step.request);
  // The library lets a client with a secret go without; it would be the only one.
  if (asked.codeChallenge === undefined || asked.codeChallengeMethod !== "S256")
    return leadTo(authorizationErrorRedirect(asked, "invalid_request", "PKCE with S256 is needed"), []);
  if (formOriginOf(asked) === null) return respondPage(ODD_REDIRECT);
  return showFirst(step, asked, []);
});

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
    scope: [...scope],
    props: signed,
    // Many people may have one key, and a program's id is the same for all of them; a person who signs in anew replaces their own.
    revokeExistingGrants: signed.subject !== undefined,
  });
  if (!isDocumentId(asked.clientId)) {
    const untilMs = desk.configured.ports.clock.now() + 1_000 * LIMITS.usedClientS;
    await desk.stores!.use(`client:${asked.clientId}`, untilMs);
  }
  return leadTo(redirectTo, cookies);
});

/** Answer with the steps of the library, and every failure with a page that says what to do. */
function inSteps(answer: (step: Step) => Promise<Response>): (visit: Visit) => Promise<Response> {
  return async (visit) => {
    const answered = await attempt(async () => {
      const { origin } = new URL(visit.request.url);
      const server = await visit.desk.server();
      return answer({ ...visit, origin, oauth: server.helpersAt(origin) });
    });
    if (answered.ok) return answered.value;
    const { error } = answered;
    if (error instanceof AuthorizationError)
      return error.redirectTo === undefined
        ? respondPage(makePlainPage(400, "This does not work", say(error.description), AGAIN))
        : leadTo(error.redirectTo, []);
    if (error instanceof ClientDocumentError)
      return respondPage(
        makePlainPage(
          400,
          "The program cannot be let in",
          `The document that describes it is not taken: ${error.message}.`,
        ),
      );
    if (error instanceof FullError) return respondPage(FULL);
    if (error instanceof OAuthError) return respondPage(OVER);
    logBug(visit.watch.requestId, "/authorize", error);
    return respondPage(FAULT);
  };
}

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

interface Choosing {
  readonly asked: AuthRequest;
  readonly signed: SignedKey;
  readonly cookies: readonly string[];
  readonly wrong?: string;
}

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

async function describeClient({ oauth }: Step, asked: AuthRequest): Promise<ShownClient> {
  const { clientName, redirectHost, redirectIsLoopback } = await oauth.describeConsent(asked);
  return {
    name: clientName,
    redirectHost,
    isLoopback: redirectIsLoopback,
    voucher: voucherOf(asked.clientId),
  };
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

/**
 * Read a form of ours. A browser says where a form comes from, and another site's is refused; the handle and its cookie are looked at by
 * the library.
 */
async function readForm(request: Request): Promise<Sent> {
  const { headers } = request;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "");
  if (!isForm || !["same-origin", null].includes(headers.get("sec-fetch-site"))) return err(FOREIGN);
  const read = await attempt(() => readBytes(request, LIMITS.signInBodyBytes));
  if (!read.ok || read.value === null) return err(TOO_LONG);
  return ok(new URLSearchParams(new TextDecoder().decode(read.value)));
}

/** The same request with the handle where the library looks for it. */
function withState({ url, headers }: Request, state: string): Request {
  const address = new URL(url);
  address.searchParams.set("state", state);
  return new Request(address, { headers });
}

/** The origin that a form's answer leads to, as a policy may name it; null for one that could say more in a policy than its name. */
function formOriginOf({ redirectUri }: AuthRequest): string | null {
  const url = attemptNow(() => new URL(redirectUri));
  if (!url.ok) return null;
  const { origin, protocol, hostname } = url.value;
  if (hostname.startsWith("[")) return protocol;
  return /^https?:\/\/[a-z0-9._-]+(?::\d+)?$/.test(origin) ? origin : null;
}

/** Lead the browser on. The next page is not told where it came from. */
function leadTo(address: string, cookies: readonly string[]): Response {
  const response = new Response(null, {
    status: 302,
    headers: { location: address, "referrer-policy": "no-referrer", "cache-control": "no-store" },
  });
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

function say(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function sayIssuer(problem: string): string {
  return `You were not signed in: ${problem}.`;
}

const AGAIN = "Begin again in the program that wanted to connect.";

const CHOOSE =
  "Choose everything, or reads only, or at least one category; ticks of categories count with 'Only these categories' alone.";

const ENDED = "The key has ended since; use another.";

const FOREIGN = makePlainPage(
  403,
  "This form came from elsewhere",
  "It did not come from this page, so nothing was done.",
  AGAIN,
);

const TOO_LONG = makePlainPage(413, "The form is too long", "Nothing was done.", AGAIN);

const ODD_REDIRECT = makePlainPage(
  400,
  "The program cannot be let in",
  "The address that access would go to has characters that no host of the web has.",
);

const OVER = makePlainPage(400, "This page is over", "It was used already, or its time has passed.", AGAIN);

const FULL = makePlainPage(
  409,
  "There are too many sign-ins",
  `A key may have ${LIMITS.signIns} of them; end some with DELETE /v1/sign_ins/{id}, and begin again.`,
);

const FAULT = makePlainPage(503, "That did not work", "Something failed on our side.", AGAIN);
