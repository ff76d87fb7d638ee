import { accessOf } from "./account-server.ts";
import { refuse } from "./google-errors.ts";
import { Seeded } from "./seeded.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 90;
const LIFETIME_S = 3_599;

/** Access tokens that were given out, with their ends. */
const tokens = new Map<string, number>();
let requests = 0;

/** How often a token was asked for. */
export function countTokenRequests(): number {
  return requests;
}

/** Make every token that was given out one that is not known any more, as after an account's password was changed. */
export function revokeGoogleTokens(): void {
  tokens.clear();
}

/** Forget every token and count. */
export function resetGoogleOauth(): void {
  tokens.clear();
  requests = 0;
}

/**
 * Answer as Google's token endpoint, refreshes only: https://developers.google.com/identity/protocols/oauth2/web-server#offline,
 * refusals as in RFC 6749, 5.2. Credentials that begin with `invalid` are refused.
 */
export async function answerGoogleOauth(request: Request, ports: StandInPorts): Promise<Response> {
  requests += 1;
  await ports.sleep(LATENCY_MS);
  if (new URL(request.url).pathname !== "/token") return new Response("Not Found", { status: 404 });
  if (request.method !== "POST") return oauthError(400, "invalid_request", "Request must be POST.");
  if (!/^application\/x-www-form-urlencoded(?:;|$)/.test(request.headers.get("content-type") ?? ""))
    return oauthError(400, "invalid_request", "Request must be form-encoded.");
  const form = new URLSearchParams(await request.text());
  const names = [...form.keys()];
  if (new Set(names).size !== names.length) return oauthError(400, "invalid_request", "Repeated parameter.");
  const read = (name: string): string => form.get(name) ?? "";
  if (read("grant_type") === "")
    return oauthError(400, "invalid_request", "Required parameter is missing: grant_type");
  if (read("grant_type") !== "refresh_token")
    return oauthError(400, "unsupported_grant_type", `Invalid grant_type: ${read("grant_type")}`);
  for (const name of ["client_id", "client_secret"])
    if (read(name) === "" || read(name).startsWith("invalid"))
      return oauthError(401, "invalid_client", "The OAuth client was not found.");
  if (read("refresh_token") === "")
    return oauthError(400, "invalid_request", "Missing required parameter: refresh_token");
  if (read("refresh_token").startsWith("invalid"))
    return oauthError(400, "invalid_grant", "Token has been expired or revoked.");
  const seed = `${read("refresh_token")} ${requests} ${ports.now()}`;
  const token = `ya29.${new Seeded(seed).text(120, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")}`;
  tokens.set(token, ports.now() + LIFETIME_S * 1_000);
  return Response.json({
    access_token: token,
    expires_in: LIFETIME_S,
    scope:
      "https://www.googleapis.com/auth/calendar.events https://www.googleapis.com/auth/gmail.modify https://www.googleapis.com/auth/tasks",
    token_type: "Bearer",
  });
}

/** The deployment's own account. */
export const OWN_ACCOUNT = "volley@example.com";

/**
 * Find whose account a request is of: one that a person connected, with one of these scopes, or the deployment's own. Refuses a
 * request without a token that was given out and lasts.
 */
export function ownerOf(request: Request, now: number, scopes: readonly string[]): string {
  const access = accessOf(request, now);
  if (access?.provider === "google") {
    const has = scopes.some((scope) => access.scopes.includes(`https://www.googleapis.com/auth/${scope}`));
    if (!has) throw refuse(403, "insufficientPermissions", "Request had insufficient authentication scopes.");
    return access.account;
  }
  checkBearer(request, now);
  return OWN_ACCOUNT;
}

function checkBearer(request: Request, now: number): void {
  const [, token] = /^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  if (token === undefined)
    throw refuse(401, "required", "Request is missing required authentication credential.");
  if ((tokens.get(token) ?? 0) <= now) throw refuse(401, "authError", "Invalid Credentials");
}

function oauthError(status: number, error: string, error_description: string): Response {
  return Response.json({ error, error_description }, { status });
}
