import * as z from "zod/mini";

import type { ToolContext, UpstreamRequest, UpstreamResponse } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { getOrMake } from "../../core/kit/get-or-make.ts";
import { attempt } from "../../core/kit/result.ts";
import { parseUpstream } from "./parse-upstream.ts";

/** The host that every tool of a Google account declares besides its API's. */
export const GOOGLE_OAUTH_HOST = "oauth2.googleapis.com";
/** The connector whose connections these tools use. */
const GOOGLE = "google";

export const GOOGLE_SECRETS = ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET", "GOOGLE_REFRESH_TOKEN"];

/** The declaration that all tools of one of Google's services share. */
export const ofGoogle = <Category extends string>(category: Category, host: string, timeoutMs: number) =>
  ({
    category,
    hosts: [host, GOOGLE_OAUTH_HOST],
    secrets: GOOGLE_SECRETS,
    timeoutMs,
  }) as const;

/** The part of a tool's declaration that says which scopes it needs of a subject's account, where there is one. */
export const mayUseAccount = (...scopes: readonly string[]) =>
  ({ connection: { [GOOGLE]: scopes }, connectionOptional: true }) as const;

const TOKEN_URL = `https://${GOOGLE_OAUTH_HOST}/token`;
/** A token is not used in its last minute: a request that waits for a slot should still arrive in time. */
const MARGIN_MS = 60_000;
/** Accounts of which an isolate keeps a token; each is a few hundred bytes. */
const KEPT_TOKENS = 1_000;

interface AccessToken {
  readonly value: string;
  readonly endsAt: number;
}

/** By all three credentials: a tool that has not all of them gets none of their tokens. */
const tokens = new Map<string, AccessToken>();
/** Refreshes under way, of each request its own: the promise of another request must not be awaited. */
const refreshes = new WeakMap<object, Map<string, Promise<AccessToken>>>();

const tokenSchema = looseSchema(() => ({
  access_token: z.string().check(z.minLength(1), z.maxLength(4_096)),
  expires_in: z.number().check(z.positive()),
}));

/**
 * Send a request to a Google API with the account of the call's subject. A subject that has connected none gets the account that the
 * deployment, or the tenant, has credentials of.
 *
 * The deployment's access token is fetched once for an isolate and kept until a minute before its end; calls of one request that need one
 * at the same time share its fetch. A 401 drops it, and the request is sent once more with a fresh one: what was refused
 * had no effect. Throws `MISCONFIGURED` where Google does not take the credentials any more.
 *
 * Source: https://developers.google.com/identity/protocols/oauth2/web-server#offline
 */
export async function fetchGoogle(
  ctx: ToolContext,
  url: string | URL,
  request: UpstreamRequest = {},
): Promise<UpstreamResponse> {
  const own = ctx.connection(GOOGLE);
  if (own.isConnected) return own.fetch(url, request);
  const token = await accessToken(ctx);
  const first = await attempt(() => send(ctx, url, request, token));
  if (first.ok) return first.value;
  if (statusOf(first.error) !== 401) throw first.error;
  drop(ctx, token);
  return send(ctx, url, request, await accessToken(ctx));
}

/** The upstream's status that a call failed with; undefined where it did not get that far. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof ToolFailure ? error.failure.upstreamStatus : undefined;
}

/** Forget every token. For tests: an isolate forgets by ending. */
export function forgetGoogleTokens(): void {
  tokens.clear();
}

function send(
  ctx: ToolContext,
  url: string | URL,
  request: UpstreamRequest,
  { value }: AccessToken,
): Promise<UpstreamResponse> {
  return ctx.fetch(url, { ...request, headers: { ...request.headers, Authorization: `Bearer ${value}` } });
}

async function accessToken(ctx: ToolContext): Promise<AccessToken> {
  const credentials = JSON.stringify(GOOGLE_SECRETS.map((name) => ctx.secret(name)));
  const kept = tokens.get(credentials);
  const token =
    kept !== undefined && ctx.time.now() < kept.endsAt - MARGIN_MS
      ? kept
      : await refreshOnce(ctx, credentials);
  ctx.conceal(token.value);
  return token;
}

function drop(ctx: ToolContext, { value }: AccessToken): void {
  const credentials = JSON.stringify(GOOGLE_SECRETS.map((name) => ctx.secret(name)));
  // Another call may have seen the same 401 earlier, and fetched the next one.
  if (tokens.get(credentials)?.value === value) tokens.delete(credentials);
}

/** Wait for the refresh that another call of this request has begun, or begin it. */
async function refreshOnce(ctx: ToolContext, credentials: string): Promise<AccessToken> {
  const ofRequest = getOrMake(refreshes, ctx.request, () => new Map<string, Promise<AccessToken>>());
  for (;;) {
    const begun = ofRequest.get(credentials);
    if (begun === undefined) break;
    const awaited = await attempt(() => begun);
    if (awaited.ok) return awaited.value;
    // The one that asked was ended by its own clock, or its batch's: that says nothing of Google.
    if (!isOwnEnd(awaited.error)) throw awaited.error;
  }
  const refreshing = refresh(ctx, credentials).finally(() => ofRequest.delete(credentials));
  ofRequest.set(credentials, refreshing);
  return refreshing;
}

function isOwnEnd(error: unknown): boolean {
  return (
    error instanceof ToolFailure &&
    ["TIMEOUT", "DEADLINE_EXCEEDED", "CANCELLED", "ABORTED"].includes(error.failure.code)
  );
}

async function refresh(ctx: ToolContext, credentials: string): Promise<AccessToken> {
  const [clientId, clientSecret, refreshToken] = GOOGLE_SECRETS.map((name) => ctx.secret(name));
  const askedAt = ctx.time.now();
  const answer = await attempt(() =>
    ctx.fetch(TOKEN_URL, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        grant_type: "refresh_token",
        client_id: clientId!,
        client_secret: clientSecret!,
        refresh_token: refreshToken!,
      }).toString(),
      changesNothing: true,
    }),
  );
  if (!answer.ok) throw toRefusal(answer.error);
  const { access_token: value, expires_in: seconds } = parseUpstream(tokenSchema(), answer.value);
  // Before anything else is done with it.
  ctx.conceal(value);
  const token = { value, endsAt: askedAt + seconds * 1_000 };
  if (tokens.size >= KEPT_TOKENS) tokens.clear();
  tokens.set(credentials, token);
  return token;
}

/** The meaning of a refused refresh: RFC 6749, 5.2, has 400 for an ended grant and 401 for an unknown client. */
function toRefusal(error: unknown): unknown {
  const upstreamStatus = statusOf(error);
  const isRefused = upstreamStatus !== undefined && upstreamStatus >= 400 && upstreamStatus < 500;
  if (!isRefused || (error as ToolFailure).failure.retryable) return error;
  const hint =
    upstreamStatus === 401
      ? "Google does not know this client; the deployment's operator has to check GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET. Do without this tool until then."
      : "The connection to the Google account has ended; its owner has to connect it again and set the new GOOGLE_REFRESH_TOKEN. Do without this tool until then.";
  return new ToolFailure("MISCONFIGURED", { upstreamStatus, hint });
}
