import type { AuthorizationError, AuthRequest, OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import * as LIMITS from "../limits.ts";
import { visibleText } from "../../../feature/schema.ts";
import { readBytes } from "../../../feature/answer.ts";
import { attempt, attemptNow, err, ok, type Result } from "../../../feature/refuse.ts";
import { makePlainPage, type Page, respondPage } from "../../../feature/kit.ts";
import { type Deployment, logBug } from "../../../feature/define.ts";
import type { Watch } from "../../../feature/tool.ts";
import { FullError, library } from "./oauth-kv.ts";
import { consentKey } from "../sign-in.ts";
import { ClientDocumentError, voucherOf } from "./oauth-server.ts";
import type { SignInDesk } from "./check-token.ts";
import type { ShownClient } from "../page/consent-page.ts";

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
export interface Step extends Visit {
  readonly origin: string;
  readonly oauth: OAuthHelpers;
}

/** Answer with the steps of the library, and every failure with a page that says what to do. */
export function inSteps(answer: (step: Step) => Promise<Response>): (visit: Visit) => Promise<Response> {
  return async (visit) => {
    const answered = await attempt(async () => {
      const { origin } = new URL(visit.request.url);
      const server = await visit.desk.server();
      return answer({ ...visit, origin, oauth: server.helpersAt(origin) });
    });
    if (answered.ok) return answered.value;
    const { error } = answered;
    if (error instanceof library.AuthorizationError) {
      const back = await findWayBack(error, visit);
      const said = say(visibleText(error.description, 200));
      return back === null
        ? respondPage(makePlainPage(400, "This does not work", said, AGAIN))
        : leadTo(back, []);
    }
    if (error instanceof ClientDocumentError)
      return respondPage(
        makePlainPage(
          400,
          "The program cannot be let in",
          `The document that describes it is not taken: ${error.message}.`,
        ),
      );
    if (error instanceof FullError) return respondPage(FULL);
    if (error instanceof library.OAuthError) return respondPage(OVER);
    logBug(visit.watch.requestId, "/authorize", error);
    return respondPage(FAULT);
  };
}

/**
 * Find where an error of a request may be sent: to the client's redirect, where a person has let this client in there before. Anybody can
 * register a client with any redirect, so without that the error is shown (RFC 9700, 4.11.2). Null for a page.
 */
async function findWayBack(
  { redirectTo, redirectUri }: AuthorizationError,
  { request, desk }: Visit,
): Promise<string | null> {
  const clientId = new URL(request.url).searchParams.get("client_id");
  if (redirectTo === undefined || redirectUri === undefined || clientId === null) return null;
  const known = await attempt(async () => desk.stores!.read(consentKey(clientId, redirectUri)));
  return known.ok && known.value !== null ? redirectTo : null;
}

/** Lead the browser on. The next page is not told where it came from. */
export function leadTo(address: string, cookies: readonly string[]): Response {
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

const AGAIN = "Begin again in the program that wanted to connect.";

export const OVER = makePlainPage(
  400,
  "This page is over",
  "It was used already, or its time has passed.",
  AGAIN,
);

const FULL = makePlainPage(
  409,
  "There are too many sign-ins",
  `A key may have ${LIMITS.signIns} of them; end some with DELETE /v1/sign_ins/{id}, and begin again.`,
);

export const FAULT = makePlainPage(503, "That did not work", "Something failed on our side.", AGAIN);

/** Describe the program that asks, as the pages show it. */
export async function describeClient({ oauth }: Step, asked: AuthRequest): Promise<ShownClient> {
  const { clientName, redirectHost, redirectIsLoopback } = await oauth.describeConsent(asked);
  const { protocol, hostname } = new URL(asked.redirectUri);
  const isApp = !/^https?:$/.test(protocol);
  return {
    name: clientName,
    redirectHost: isApp ? `${protocol}//${hostname}` : redirectHost,
    opens: isApp ? "app" : redirectIsLoopback ? "program" : "site",
    voucher: voucherOf(asked.clientId),
  };
}

/** The origin that a form's answer leads to, as a policy may name it; null for one that could say more in a policy than its name. */
export function formOriginOf({ redirectUri }: AuthRequest): string | null {
  const url = attemptNow(() => new URL(redirectUri));
  if (!url.ok) return null;
  const { origin, protocol, hostname } = url.value;
  // A policy names an app by its scheme alone; schemes of the web that are neither http nor https have an origin.
  if (origin === "null" || hostname.startsWith("["))
    return /^[a-z][a-z0-9+.-]*:$/.test(protocol) ? protocol : null;
  return /^https?:\/\/[a-z0-9._-]+(?::\d+)?$/.test(origin) ? origin : null;
}

/** A form as it was sent, or the page that says why it is not taken. */
type Sent = Result<URLSearchParams, Page>;

/**
 * Read a form of ours. A browser says where a form comes from, and another site's is refused; the handle and its cookie are looked at by
 * the library.
 */
export async function readForm(request: Request): Promise<Sent> {
  const { headers } = request;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "");
  if (!isForm || !["same-origin", null].includes(headers.get("sec-fetch-site"))) return err(FOREIGN);
  const read = await attempt(() => readBytes(request, LIMITS.signInBodyBytes));
  if (!read.ok || read.value === null) return err(TOO_LONG);
  return ok(new URLSearchParams(new TextDecoder().decode(read.value)));
}

const FOREIGN = makePlainPage(
  403,
  "This form came from elsewhere",
  "It did not come from this page, so nothing was done.",
  AGAIN,
);

const TOO_LONG = makePlainPage(413, "The form is too long", "Nothing was done.", AGAIN);
