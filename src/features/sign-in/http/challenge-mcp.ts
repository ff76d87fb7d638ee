import type { Fetch } from "../../../cloudflare/feature.ts";
import { hasTokenForm } from "../sign-in.ts";
import { TOLD_SCOPES } from "../scopes.ts";
import { SIGN_INS } from "../store-methods.ts";
import { RESOURCE_METADATA } from "./open-router.ts";

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

/** The access token of a request; null where it has none. */
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
