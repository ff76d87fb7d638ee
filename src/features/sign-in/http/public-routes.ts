import {
  answerPreflight,
  isAllowedOrigin,
  isPreflight,
  respondJson,
  respondRefusal,
} from "../../../feature/answer.ts";
import { createRouter, type Router, type RouterTypes, visitorRatesOf } from "../../../feature/route.ts";
import { makeRefusal } from "../../../feature/refuse.ts";
import { respondFlood } from "../../../feature/kit.ts";
import { type Fetch, readOrigins } from "../../../feature/define.ts";
import type { Context } from "hono";

import { TOLD_SCOPES } from "../sign-in-scopes.ts";
import { SIGN_INS } from "../store-methods.ts";
import { answerMetadata, answerOauth } from "./answer-oauth.ts";
import { returnFromIssuer, showConsent, takeChoice, takeConsent } from "./authorize.ts";
import type { Visit } from "./visit-steps.ts";
import { type SignInDesk, signInDeskOf } from "./check-token.ts";
import { hasTokenForm } from "../sign-in.ts";

type Answer = (c: Context<RouterTypes>, desk: SignInDesk) => Response | Promise<Response>;

const RESOURCE_METADATA = "/.well-known/oauth-protected-resource/mcp";
const SERVER_METADATA = "/.well-known/oauth-authorization-server";

/** Create the router of the paths by which a client signs in. They are before the key, because they give one. */
export function createSignInRouter(): Router {
  const router = createRouter();
  // Clients make this address of the server's own, which may have a slash at its end.
  for (const path of [RESOURCE_METADATA, `${RESOURCE_METADATA}/`])
    router.get(path, guarded(answerResourceMetadata));
  router.get(
    SERVER_METADATA,
    guarded((c, desk) => answerMetadata(visitOf(c, desk))),
  );
  for (const path of ["/oauth/token", "/oauth/register"])
    router.post(
      path,
      guarded((c, desk) => {
        const waitMs = drawVisit(c);
        if (waitMs > 0) return refuseFlood(waitMs);
        return answerOauth(visitOf(c, desk));
      }),
    );
  const page = (answer: (visit: Visit) => Promise<Response>): Answer =>
    function answerPage(c, desk) {
      const waitMs = drawVisit(c);
      if (waitMs > 0) return respondFlood(waitMs);
      const [watch, deployment] = [c.get("watch"), c.get("deployment")];
      const defer = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
      return answer({ request: c.req.raw, deployment, desk, watch, defer });
    };
  router.get("/authorize", guarded(page(showConsent)));
  router.post("/authorize", guarded(page(takeConsent)));
  router.get("/authorize/callback", guarded(page(returnFromIssuer)));
  router.post("/authorize/choice", guarded(page(takeChoice)));
  return router;
}

/** Answer only where the objects are, and at a host that is ours: every address in these answers is made of the host. */
function guarded(answer: Answer): (c: Context<RouterTypes>) => Response | Promise<Response> {
  return (c) => {
    const { configured } = c.get("deployment");
    const refusing = { requestId: c.get("watch").requestId, dialect: null };
    const desk = signInDeskOf(configured);
    if (desk.stores === null) return respondRefusal(NO_STORES, refusing, { headers: {} });
    const plain = new Request(c.req.raw.url, { headers: { host: c.req.raw.headers.get("host") ?? "" } });
    if (!isAllowedOrigin(plain, readOrigins(configured.env))) return respondRefusal(ELSEWHERE, refusing);
    return answer(c, desk);
  };
}

/** Count a request that no key's quota counts: it has none yet. How long its sender is to wait; 0 for one that is answered. */
function drawVisit(c: Context<RouterTypes>): number {
  const { configured } = c.get("deployment");
  return visitorRatesOf(configured).draw(c.req.raw, configured.ports.clock.now());
}

/** Refuse a client who sends too many requests, before any object is asked. */
function refuseFlood(waitMs: number): Response {
  const said = {
    error: "temporarily_unavailable",
    error_description: "Too many requests come from this address",
  };
  const headers = { "retry-after": String(Math.ceil(waitMs / 1_000)) };
  return respondJson(JSON.stringify(said), { status: 429, headers });
}

/** Answer the metadata of the resource (RFC 9728). It names no category: what tools there are is for keys. */
function answerResourceMetadata(c: Context<RouterTypes>): Response {
  const { origin } = new URL(c.req.url);
  const metadata = {
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
    scopes_supported: TOLD_SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: "Volley",
  };
  return respondJson(JSON.stringify(metadata));
}

function visitOf(c: Context<RouterTypes>, desk: SignInDesk) {
  const ctx = c.executionCtx as ExecutionContext;
  return { request: c.req.raw, desk, ctx, requestId: c.get("watch").requestId };
}

const NO_STORES = makeRefusal(
  "MISCONFIGURED",
  `This deployment keeps no sign-ins; its operator has to bind the class SignInStore as ${SIGN_INS}.`,
);

const ELSEWHERE = makeRefusal("FORBIDDEN", "Requests for this host are not answered; sign in over https.");

/** The paths by which a program finds out how to sign in, gets its tokens, and uses them. */
const PATHS =
  /^https?:\/\/[^/?#]+(?:\/mcp\/?|\/oauth\/(?:token|register)|\/\.well-known\/oauth-[\w/-]+)(?=$|[?#])/;

const METHODS = "GET, POST";

const EXPOSED =
  "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, x-request-id, MCP-Protocol-Version, MCP-Session-Id";

/** Let pages of every origin read the answers of these paths: programs that are pages sign in as others do. */
export function openToPages(next: Fetch): Fetch {
  return async (request, env, ctx) => {
    if (!request.headers.has("origin") || !PATHS.test(request.url)) return next(request, env, ctx);
    if (isPreflight(request)) return answerPreflight(request, "*", METHODS);
    const answer = await next(request, env, ctx);
    // The feature `cors` may have named the origin already.
    if (answer.headers.has("access-control-allow-origin")) return answer;
    answer.headers.set("access-control-allow-origin", "*");
    answer.headers.set("access-control-expose-headers", EXPOSED);
    return answer;
  };
}

const MCP = /^(https?:\/\/[^/?#]+)\/mcp\/?(?=$|[?#])/;

/**
 * Say in every 401 and 403 of `/mcp` where a client finds out how to sign in (RFC 9728, 5.1), and in a 401 what it may ask for. Other
 * paths take keys only, and their answers stay as they are.
 */
export function challengeMcp(next: Fetch): Fetch {
  return (request, env, ctx) => {
    const origin = MCP.exec(request.url)?.[1];
    if (origin === undefined || typeof env[SIGN_INS] !== "object") return next(request, env, ctx);
    return answerChallenged(origin, tokenOf(request), next(request, env, ctx));
  };
}

/** The access token of a request; null if it has none. */
function tokenOf({ headers }: Request): string | null {
  const sent = /^Bearer +(\S+)/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  return hasTokenForm(sent) ? sent : null;
}

async function answerChallenged(
  origin: string,
  token: string | null,
  answering: Response | Promise<Response>,
): Promise<Response> {
  const answer = await answering;
  const challenge = answer.headers.get("www-authenticate");
  if (challenge === null) return answer;
  const [scheme, ...said] = challenge.split(" ");
  const parts = [
    ...(said.length > 0 ? [said.join(" ")] : []),
    ...(answer.status === 401 && token !== null ? ['error="invalid_token"'] : []),
    ...(answer.status === 401 ? [`scope="${TOLD_SCOPES.join(" ")}"`] : []),
    `resource_metadata="${origin}${RESOURCE_METADATA}"`,
  ];
  answer.headers.set("www-authenticate", `${scheme} ${parts.join(", ")}`);
  return answer;
}
