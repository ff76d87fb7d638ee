import {
  accessOf,
  type AccountProvider,
  answerAccounts,
  type GivenTokens,
  readClient,
  revokeToken,
} from "./account-server.ts";
import { answerGithub } from "./github.ts";
import { answerGoogleOauth } from "./google-oauth.ts";
import { answerNotion } from "./notion.ts";
import { answerSlack } from "./slack.ts";
import type { StandIn, StandInPorts } from "./stand-in.ts";

const bearer = ({ access, refresh, scopes }: GivenTokens, lifeS: number, separator = " ") => ({
  access_token: access,
  token_type: "Bearer",
  expires_in: lifeS,
  ...(refresh !== null && { refresh_token: refresh }),
  scope: scopes.join(separator),
});

const idToken = (claims: object): string =>
  ["{}", JSON.stringify(claims), "x"].map((part) => btoa(part).replaceAll("=", "")).join(".");

const STANDARD = {
  pkce: "required",
  scopeParameter: "scope",
  scopeSeparator: " ",
  clientAuth: "body",
  body: "form",
} as const;

/** https://developers.google.com/identity/protocols/oauth2/web-server: a refresh token only where it was asked for so. */
const GOOGLE: AccountProvider = {
  ...STANDARD,
  name: "google",
  authorizePath: "/o/oauth2/v2/auth",
  tokenPath: "/token",
  revokePath: "/revoke",
  requires: { access_type: "offline", prompt: "consent" },
  lifeS: 3_599,
  prefix: "ya29",
  accountOf: (person) => `${person}@gmail.sandbox.test`,
  answer: (tokens) => ({
    ...bearer(tokens, 3_599),
    id_token: idToken({ sub: tokens.person, email: tokens.account }),
  }),
};

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow */
const MICROSOFT: AccountProvider = {
  ...STANDARD,
  name: "microsoft",
  authorizePath: "/common/oauth2/v2.0/authorize",
  tokenPath: "/common/oauth2/v2.0/token",
  requires: { scope: "offline_access" },
  lifeS: 3_600,
  rotates: true,
  prefix: "ms",
  accountOf: (person) => `${person}@outlook.sandbox.test`,
  answer: (tokens) => ({
    ...bearer({ ...tokens, scopes: tokens.scopes.filter((scope) => scope !== "offline_access") }, 3_600),
    id_token: idToken({ sub: tokens.person, preferred_username: tokens.account }),
  }),
};

/** https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps: tokens do not end, scopes have commas. */
const GITHUB: AccountProvider = {
  ...STANDARD,
  name: "github",
  authorizePath: "/login/oauth/authorize",
  tokenPath: "/login/oauth/access_token",
  prefix: "gho",
  refusesWith200: true,
  accountOf: (person) => person,
  answer: ({ access, scopes }) => ({ access_token: access, token_type: "bearer", scope: scopes.join(",") }),
};

/** https://docs.slack.dev/authentication/installing-with-oauth: the person's token stands within; it rotates. */
const SLACK: AccountProvider = {
  ...STANDARD,
  name: "slack",
  authorizePath: "/oauth/v2/authorize",
  tokenPath: "/api/oauth.v2.access",
  pkce: "refused",
  scopeParameter: "user_scope",
  scopeSeparator: ",",
  lifeS: 43_200,
  rotates: true,
  prefix: "xoxe",
  refusesWith200: true,
  accountOf: (person) => `U${person.toUpperCase()}`,
  answer: (tokens) => {
    const user = { id: tokens.account, ...bearer(tokens, 43_200, ","), token_type: "user" };
    return tokens.isRefresh
      ? { ok: true, ...user }
      : { ok: true, team: { name: "Sandbox" }, authed_user: user };
  },
};

/** https://developers.notion.com/docs/authorization: Basic, JSON, no scopes, no end. */
const NOTION: AccountProvider = {
  ...STANDARD,
  name: "notion",
  authorizePath: "/v1/oauth/authorize",
  tokenPath: "/v1/oauth/token",
  pkce: "refused",
  requires: { owner: "user" },
  clientAuth: "basic",
  body: "json",
  prefix: "ntn",
  accountOf: (person) => `${person}@notion.sandbox.test`,
  answer: ({ access, account, person }) => ({
    access_token: access,
    token_type: "bearer",
    bot_id: `bot-${person}`,
    workspace_name: "Sandbox",
    owner: { type: "user", user: { object: "user", id: person, person: { email: account } } },
  }),
};

/** A provider that there is nowhere else, for connectors that are no preset: its access tokens last a minute, and its refresh tokens are good once. */
const PROBE: AccountProvider = {
  ...STANDARD,
  name: "probe",
  authorizePath: "/oauth/authorize",
  tokenPath: "/oauth/token",
  revokePath: "/oauth/revoke",
  lifeS: 60,
  rotates: true,
  prefix: "probe",
  accountOf: (person) => `${person}@probe.sandbox.test`,
  answer: (tokens) => ({ ...bearer(tokens, 60), id_token: idToken({ email: tokens.account }) }),
};

const notFound = (): Response => Response.json({ error: "not_found" }, { status: 404 });

const standInOf =
  (
    provider: AccountProvider,
    more: (request: Request, ports: StandInPorts) => Promise<Response> = async () => notFound(),
  ): StandIn =>
  async (request, ports) =>
    (await answerAccounts(request, provider, ports)) ?? more(request, ports);

/** The deployment's own account refreshes at the same address, with a token that is not of this sandbox's people. */
export const answerGoogleAccounts: StandIn = async (request, ports) => {
  const sent = new URLSearchParams(await request.clone().text());
  const refresh = sent.get("refresh_token") ?? "";
  const isOwn =
    sent.get("grant_type") !== "authorization_code" && !refresh.startsWith("ya29r_") && !sent.has("token");
  return isOwn
    ? answerGoogleOauth(request, ports)
    : ((await answerAccounts(request, GOOGLE, ports)) ?? notFound());
};

/** Whose a token is, and that it is taken back. */
export const answerGitHubApi: StandIn = async (request, ports) => {
  const { pathname } = new URL(request.url);
  if (request.headers.get("user-agent") === null)
    return new Response("A User-Agent is needed", { status: 403 });
  if (/^\/applications\/[^/]+\/token$/.test(pathname) && request.method === "DELETE") {
    const { access_token: token } = (await request.json()) as { access_token: string };
    return revokeToken(token) ? new Response(null, { status: 204 }) : notFound();
  }
  const access = accessOf(request, ports.now());
  if (access?.provider !== "github") return Response.json({ message: "Bad credentials" }, { status: 401 });
  return pathname === "/user"
    ? Response.json({ login: access.account, id: 1 })
    : answerGithub(request, access);
};

const answerSlackApi = async (request: Request, ports: StandInPorts): Promise<Response> => {
  const access = accessOf(request, ports.now());
  if (access?.provider !== "slack") return Response.json({ ok: false, error: "invalid_auth" });
  const token = (request.headers.get("authorization") ?? "").slice("Bearer ".length);
  if (new URL(request.url).pathname === "/api/auth.revoke")
    return Response.json({ ok: true, revoked: revokeToken(token) });
  return answerSlack(request, access);
};

const answerNotionApi = async (request: Request, ports: StandInPorts): Promise<Response> => {
  if (new URL(request.url).pathname !== "/v1/oauth/revoke")
    return answerNotion(request, accessOf(request, ports.now()));
  const sent = await readClient(request, NOTION);
  if ("refused" in sent || !request.headers.has("notion-version")) return Response.json({}, { status: 401 });
  return revokeToken(sent.fields["token"] ?? "") ? Response.json({ request_id: "1" }) : notFound();
};

/** The probe's own provider, and what it says of whose a token is. */
export const answerProbeAccounts = async (
  request: Request,
  ports: StandInPorts,
): Promise<Response | null> => {
  if (new URL(request.url).pathname !== "/account") return answerAccounts(request, PROBE, ports);
  const access = accessOf(request, ports.now());
  return access === null
    ? Response.json({ error: "invalid_token" }, { status: 401 })
    : Response.json({ account: access.account, scopes: access.scopes });
};

/** The stand-ins of hosts where people sign in, and of those that give tokens. */
export const ACCOUNT_HOSTS: ReadonlyMap<string, StandIn> = new Map<string, StandIn>([
  ["accounts.google.com", standInOf(GOOGLE)],
  ["login.microsoftonline.com", standInOf(MICROSOFT)],
  ["github.com", standInOf(GITHUB)],
  ["slack.com", standInOf(SLACK, answerSlackApi)],
  ["api.notion.com", standInOf(NOTION, answerNotionApi)],
]);
