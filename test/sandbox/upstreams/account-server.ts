import { sha256 } from "../../../src/core/kit/sha256.ts";
import type { StandInPorts } from "./stand-in.ts";

/** The people who have an account at every provider of the sandbox. */
export const PEOPLE = ["ada", "grace"] as const;

/** A provider's own way of speaking OAuth 2, as its documentation has it. */
export interface AccountProvider {
  readonly name: string;
  /** Paths of the address where people sign in, and of that for tokens. */
  readonly authorizePath: string;
  readonly tokenPath: string;
  readonly revokePath?: string;
  readonly pkce: "required" | "refused";
  readonly scopeParameter: string;
  readonly scopeSeparator: string;
  /** Scopes without which the sign-in is refused, and parameters that it has to have. */
  readonly requires?: Readonly<Record<string, string>>;
  readonly clientAuth: "body" | "basic";
  readonly body: "form" | "json";
  /** Seconds that an access token is good; undefined where it does not end. */
  readonly lifeS?: number;
  /** A refresh token is good once. */
  readonly rotates?: boolean;
  readonly prefix: string;
  /** Refuses in answers of 200. */
  readonly refusesWith200?: boolean;
  readonly accountOf: (person: string) => string;
  readonly answer: (tokens: GivenTokens) => object;
}

/** Tokens as a provider gave them. */
export interface GivenTokens {
  readonly access: string;
  readonly refresh: string | null;
  readonly scopes: readonly string[];
  readonly account: string;
  readonly person: string;
  readonly isRefresh: boolean;
}

interface Code {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly scopes: readonly string[];
  readonly person: string;
  readonly endsAt: number;
}

/** An access token that a provider gave: whose it is, and what it may do. */
export interface Access {
  readonly provider: string;
  readonly person: string;
  readonly account: string;
  readonly scopes: readonly string[];
  readonly endsAt: number;
}

const codes = new Map<string, Code>();
const refreshes = new Map<
  string,
  { readonly provider: string; readonly person: string; readonly scopes: readonly string[] }
>();
const accesses = new Map<string, Access>();
let made = 0;

/** Whose an access token is that a provider of the sandbox gave; null of one that is not good. */
export function accessOf(request: Request, now: number): Access | null {
  const [, token] = /^(?:Bearer|token) (\S+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  const access = token === undefined ? undefined : accesses.get(token);
  return access === undefined || access.endsAt <= now ? null : access;
}

/** Answer where people sign in, or for tokens; null for any other path. */
export async function answerAccounts(
  request: Request,
  provider: AccountProvider,
  ports: StandInPorts,
): Promise<Response | null> {
  const url = new URL(request.url);
  if (url.pathname === provider.authorizePath) return authorize(url, provider, ports.now());
  if (url.pathname === provider.tokenPath) return token(request, provider, ports.now());
  if (url.pathname === provider.revokePath) return revoke(request, provider);
  return null;
}

/** The page where a person chooses an account, and what comes of the choice. */
function authorize(url: URL, provider: AccountProvider, now: number): Response {
  const read = (name: string): string => url.searchParams.get(name) ?? "";
  const wrong = findWrong(url, provider);
  if (wrong !== null) return new Response(`${provider.name}: ${wrong}`, { status: 400 });
  const person = read("as");
  const back = new URL(read("redirect_uri"));
  back.searchParams.set("state", read("state"));
  if (person === "") return Response.json({ error: "login_required" }, { status: 400 });
  if (person === "nobody") {
    back.searchParams.set("error", "access_denied");
    return new Response(null, { status: 302, headers: { location: back.href } });
  }
  const code = makeText("code");
  codes.set(code, {
    clientId: read("client_id"),
    redirectUri: read("redirect_uri"),
    challenge: url.searchParams.get("code_challenge"),
    scopes: read(provider.scopeParameter)
      .split(provider.scopeSeparator)
      .filter((scope) => scope !== ""),
    person,
    endsAt: now + 60_000,
  });
  back.searchParams.set("code", code);
  return new Response(null, { status: 302, headers: { location: back.href } });
}

function findWrong(url: URL, provider: AccountProvider): string | null {
  const read = (name: string): string => url.searchParams.get(name) ?? "";
  if (read("response_type") !== "code") return "response_type must be code";
  if (read("client_id") === "") return "client_id is missing";
  if (URL.parse(read("redirect_uri"))?.pathname !== "/v1/connections/callback")
    return "redirect_uri is not registered";
  if (read("state").length < 43) return "state is missing, or can be guessed";
  const challenge = url.searchParams.get("code_challenge");
  if (provider.pkce === "required" && (challenge?.length !== 43 || read("code_challenge_method") !== "S256"))
    return "code_challenge must be one of S256";
  if (provider.pkce === "refused" && challenge !== null) return "PKCE is not switched on for this app";
  for (const [name, value] of Object.entries(provider.requires ?? {}))
    if (!read(name).split(/[ ,]/).includes(value)) return `${name} must have ${value}`;
  return null;
}

async function token(request: Request, provider: AccountProvider, now: number): Promise<Response> {
  const sent = await readClient(request, provider);
  if ("refused" in sent) return refuse(sent.refused, provider);
  const { fields, clientId } = sent;
  if (fields["grant_type"] === "refresh_token") {
    const known = refreshes.get(fields["refresh_token"] ?? "");
    if (known === undefined || known.provider !== provider.name) return refuse("invalid_grant", provider);
    if (provider.rotates === true) refreshes.delete(fields["refresh_token"]!);
    return Response.json(provider.answer(give(provider, known, { now, isRefresh: true })));
  }
  if (fields["grant_type"] !== "authorization_code") return refuse("unsupported_grant_type", provider);
  const code = codes.get(fields["code"] ?? "");
  // Each is good once, also where the exchange is refused.
  codes.delete(fields["code"] ?? "");
  if (code === undefined || code.endsAt <= now || code.clientId !== clientId)
    return refuse("invalid_grant", provider);
  if (code.redirectUri !== fields["redirect_uri"]) return refuse("invalid_grant", provider);
  if (code.challenge !== null && code.challenge !== challengeOf(fields["code_verifier"] ?? ""))
    return refuse("invalid_grant", provider);
  return Response.json(provider.answer(give(provider, code, { now, isRefresh: false })));
}

function give(
  provider: AccountProvider,
  { person, scopes }: Pick<Code, "person" | "scopes">,
  { now, isRefresh }: { readonly now: number; readonly isRefresh: boolean },
): GivenTokens {
  const access = makeText(`${provider.prefix}a`);
  const account = provider.accountOf(person);
  const { lifeS, rotates = false } = provider;
  const endsAt = lifeS === undefined ? Number.POSITIVE_INFINITY : now + lifeS * 1_000;
  accesses.set(access, { provider: provider.name, person, account, scopes, endsAt });
  const refresh = lifeS === undefined || (isRefresh && !rotates) ? null : makeText(`${provider.prefix}r`);
  if (refresh !== null) refreshes.set(refresh, { provider: provider.name, person, scopes });
  return { access, refresh, scopes, account, person, isRefresh };
}

async function revoke(request: Request, provider: AccountProvider): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  const token = form.get("token") ?? "";
  const owner = refreshes.get(token) ?? accesses.get(token);
  if (owner === undefined || owner.provider !== provider.name) return refuse("invalid_token", provider);
  revokeToken(token);
  return Response.json({});
}

/** Make a token one that is not good any more. */
export function revokeToken(token: string): boolean {
  return [refreshes.delete(token), accesses.delete(token)].includes(true);
}

/** Read the form, or the JSON, that only a known client may send. */
export async function readClient(
  request: Request,
  { clientAuth, body }: Pick<AccountProvider, "clientAuth" | "body">,
): Promise<
  | { readonly fields: Readonly<Record<string, string>>; readonly clientId: string }
  | { readonly refused: string }
> {
  const type = request.headers.get("content-type") ?? "";
  const wanted = body === "json" ? "application/json" : "application/x-www-form-urlencoded";
  if (request.method !== "POST" || !type.startsWith(wanted)) return { refused: "invalid_request" };
  const text = await request.text();
  const fields = (
    body === "json" ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
  ) as Record<string, string>;
  const [id = "", secret = ""] =
    clientAuth === "basic"
      ? atob((request.headers.get("authorization") ?? "").replace("Basic ", "")).split(":")
      : [fields["client_id"], fields["client_secret"]];
  return id === "" || secret === "" || secret.startsWith("invalid")
    ? { refused: "invalid_client" }
    : { fields, clientId: id };
}

function refuse(
  error: string,
  { refusesWith200 = false }: Pick<AccountProvider, "refusesWith200">,
): Response {
  const status = refusesWith200 ? 200 : error === "invalid_client" ? 401 : 400;
  return Response.json({ ok: false, error, error_description: "The stand-in refuses it." }, { status });
}

function challengeOf(verifier: string): string {
  const bytes = sha256(verifier)
    .match(/../g)!
    .map((hex) => Number.parseInt(hex, 16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function makeText(prefix: string): string {
  return `${prefix}_${sha256(`${prefix} ${(made += 1)} ${crypto.randomUUID()}`).slice(0, 40)}`;
}
