import { AuthorizationError, OAuthError, type OAuthHelpers } from "@cloudflare/workers-oauth-provider";

import * as LIMITS from "../limits.ts";
import type { Deployment } from "../../../cloudflare/deployed.ts";
import { makePlainPage } from "../../../cloudflare/page/plain-page.ts";
import { respondPage } from "../../../cloudflare/page/respond-page.ts";
import { logBug } from "../../../cloudflare/platform/log-bug.ts";
import { attempt } from "../../../core/kit/result.ts";
import { visibleText } from "../../../core/kit/visible-text.ts";
import type { Watch } from "../../../core/observe/watch.ts";
import { FullError } from "./oauth-kv.ts";
import { consentKey } from "../sign-in.ts";
import { ClientDocumentError } from "./oauth-server.ts";
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
    if (error instanceof AuthorizationError) {
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
    if (error instanceof OAuthError) return respondPage(OVER);
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

export const AGAIN = "Begin again in the program that wanted to connect.";

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
