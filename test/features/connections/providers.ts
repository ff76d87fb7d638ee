/**
 * Providers as their own documentation describes them. Nothing here is read from the presets: the stand-in that is made of a description refuses
 * whatever the provider would refuse.
 */
export interface Provider {
  /** The site that a request names, where one has to be, or may. */
  readonly site?: string;
  readonly authorize: string;
  readonly token: string;
  /** Where a refresh token is exchanged, where that is another address. */
  readonly refresh?: string;
  /** How the client proves itself: its id and secret in the body, in Basic, or its secret alone in Basic. */
  readonly client?: "body" | "basic" | "secret";
  readonly format?: "form" | "json";
  /** Whether it takes a proof key. */
  readonly proof?: boolean;
  /** How scopes are asked for; null where the app's registration says them. */
  readonly scopes: {
    readonly parameter?: string;
    readonly separator?: string;
    /** The whole of what a link asks for that names none. */
    readonly asked: readonly string[];
    /** One that a link may name besides, as Volley has it and as the provider has it. */
    readonly more: readonly [string, string];
  } | null;
  /** Further parameters of the address where a person signs in. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Further fields of requests to the token's address. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly expiresIn: number | null;
  readonly renewal: "rotates" | "stays" | "none";
  /** Its refresh answers have no refresh token. */
  readonly leavesOut?: true;
  /** Its answer to a code, where that is not the standard's. */
  readonly answer?: (standard: Answer, who: string) => object;
  readonly claims?: (who: string) => object;
  /** Further parameters of the address by which a person comes back. */
  readonly back?: (who: string) => Readonly<Record<string, string>>;
  /** The parameter that signs them. */
  readonly signedBy?: string;
  /** Its answer has no word about scopes: those that were asked for are given. */
  readonly saysNoScopes?: true;
  /** Where it says whose a token is. */
  readonly who?: {
    readonly method?: "POST";
    readonly url: string;
    readonly body?: string;
    readonly answer: (who: string) => object;
  };
  readonly account: (who: string) => { readonly account: string; readonly account_id: string };
  readonly api: string;
  /** The header of its API, with the word before the token. */
  readonly header?: readonly [name: string, scheme: string];
  readonly revoke?: {
    readonly url: string;
    readonly by: "refresh token" | "access token as JSON" | "bearer" | "bearer, DELETE" | "GitHub";
  };
  /** Its refusal of a grant that has ended, and of a client that it does not know. */
  readonly dead: readonly [status: number, body: object];
  readonly wrongClient: readonly [status: number, body: object];
}

export interface Answer {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in?: number;
  readonly refresh_token?: string;
  readonly scope?: string;
}

const STANDARD_DEAD = [400, { error: "invalid_grant", error_description: "Token has been revoked" }] as const;
const STANDARD_CLIENT = [401, { error: "invalid_client" }] as const;
const usual = { dead: STANDARD_DEAD, wrongClient: STANDARD_CLIENT };
const mail = (who: string) => `${who}@acme.dev`;
const HOUR = 3_600;
/** An id that is a number, of each name another. */
const numberOf = (who: string) => Number.parseInt(who, 36) % 1_000_000_007;

export const PROVIDERS: Readonly<Record<string, Provider>> = {
  google: {
    ...usual,
    authorize: "https://accounts.google.com/o/oauth2/v2/auth",
    token: "https://oauth2.googleapis.com/token",
    scopes: {
      asked: [
        "https://www.googleapis.com/auth/gmail.modify",
        "https://www.googleapis.com/auth/calendar.events",
        "https://www.googleapis.com/auth/tasks",
        "openid",
        "email",
      ],
      more: ["drive.file", "https://www.googleapis.com/auth/drive.file"],
    },
    extra: { access_type: "offline", prompt: "consent" },
    expiresIn: HOUR,
    renewal: "stays",
    leavesOut: true,
    claims: (who) => ({ sub: `g-${who}`, email: mail(who) }),
    account: (who) => ({ account: mail(who), account_id: `g-${who}` }),
    api: "https://www.googleapis.com/calendar/v3/users/me/calendarList",
    revoke: { url: "https://oauth2.googleapis.com/revoke", by: "refresh token" },
  },
  microsoft: {
    ...usual,
    authorize: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    token: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    scopes: {
      asked: [
        "https://graph.microsoft.com/User.Read",
        "https://graph.microsoft.com/Mail.Read",
        "https://graph.microsoft.com/Mail.Send",
        "openid",
        "email",
        "offline_access",
      ],
      more: ["Files.Read", "https://graph.microsoft.com/Files.Read"],
    },
    expiresIn: HOUR,
    renewal: "rotates",
    claims: (who) => ({ sub: `m-${who}`, preferred_username: mail(who) }),
    account: (who) => ({ account: mail(who), account_id: `m-${who}` }),
    api: "https://graph.microsoft.com/v1.0/me/messages",
  },
  github: {
    authorize: "https://github.com/login/oauth/authorize",
    token: "https://github.com/login/oauth/access_token",
    scopes: { asked: ["repo"], more: ["gist", "gist"] },
    expiresIn: 8 * HOUR,
    renewal: "rotates",
    who: {
      url: "https://api.github.com/user",
      answer: (who) => ({ login: who, id: numberOf(who), node_id: "U" }),
    },
    account: (who) => ({ account: who, account_id: String(numberOf(who)) }),
    api: "https://api.github.com/user/repos",
    revoke: { url: "https://api.github.com/applications/volley/token", by: "GitHub" },
    dead: [200, { error: "bad_refresh_token", error_description: "The refresh token is incorrect." }],
    wrongClient: [200, { error: "incorrect_client_credentials" }],
  },
  slack: {
    authorize: "https://slack.com/oauth/v2/authorize",
    token: "https://slack.com/api/oauth.v2.access",
    proof: false,
    scopes: {
      parameter: "user_scope",
      separator: ",",
      asked: ["chat:write", "channels:read"],
      more: ["files:read", "files:read"],
    },
    expiresIn: 12 * HOUR,
    renewal: "rotates",
    answer: (standard, who) => ({
      ok: true,
      app_id: "A1",
      authed_user: { id: `U-${who}`, ...standard },
      team: { id: "T1" },
    }),
    account: (who) => ({ account: `U-${who}`, account_id: `T1/U-${who}` }),
    api: "https://slack.com/api/conversations.list",
    revoke: { url: "https://slack.com/api/auth.revoke", by: "bearer" },
    dead: [200, { ok: false, error: "invalid_refresh_token" }],
    wrongClient: [200, { ok: false, error: "bad_client_secret" }],
  },
  notion: {
    ...usual,
    authorize: "https://api.notion.com/v1/oauth/authorize",
    token: "https://api.notion.com/v1/oauth/token",
    client: "basic",
    format: "json",
    proof: false,
    scopes: null,
    extra: { owner: "user" },
    expiresIn: null,
    renewal: "rotates",
    answer: (standard, who) => ({
      ...standard,
      bot_id: "b1",
      workspace_id: "w1",
      workspace_name: "Acme",
      owner: { type: "user", user: { id: `n-${who}`, person: { email: mail(who) } } },
    }),
    account: (who) => ({ account: mail(who), account_id: `w1/n-${who}` }),
    api: "https://api.notion.com/v1/search",
    revoke: { url: "https://api.notion.com/v1/oauth/revoke", by: "access token as JSON" },
  },
  atlassian: {
    authorize: "https://auth.atlassian.com/authorize",
    token: "https://auth.atlassian.com/oauth/token",
    format: "json",
    scopes: {
      asked: ["read:jira-work", "write:jira-work", "read:me", "offline_access"],
      more: ["read:jira-user", "read:jira-user"],
    },
    extra: { audience: "api.atlassian.com", prompt: "consent" },
    expiresIn: HOUR,
    renewal: "rotates",
    who: {
      url: "https://api.atlassian.com/me",
      answer: (who) => ({ account_id: `a-${who}`, email: mail(who), account_type: "atlassian" }),
    },
    account: (who) => ({ account: mail(who), account_id: `a-${who}` }),
    api: "https://api.atlassian.com/oauth/token/accessible-resources",
    dead: [403, { error: "invalid_grant", error_description: "Unknown or invalid refresh token." }],
    wrongClient: STANDARD_CLIENT,
  },
  linear: {
    ...usual,
    authorize: "https://linear.app/oauth/authorize",
    token: "https://api.linear.app/oauth/token",
    scopes: { separator: ",", asked: ["read", "write"], more: ["admin", "admin"] },
    extra: { prompt: "consent" },
    expiresIn: 86_399,
    renewal: "rotates",
    who: {
      method: "POST",
      url: "https://api.linear.app/graphql",
      body: '{"query":"{viewer{id email}}"}',
      answer: (who) => ({ data: { viewer: { id: `l-${who}`, email: mail(who) } } }),
    },
    account: (who) => ({ account: mail(who), account_id: `l-${who}` }),
    api: "https://api.linear.app/issues",
    revoke: { url: "https://api.linear.app/oauth/revoke", by: "bearer" },
  },
  gitlab: {
    ...usual,
    authorize: "https://gitlab.com/oauth/authorize",
    token: "https://gitlab.com/oauth/token",
    scopes: { asked: ["api", "read_user"], more: ["read_registry", "read_registry"] },
    expiresIn: 2 * HOUR,
    renewal: "rotates",
    who: {
      url: "https://gitlab.com/api/v4/user",
      answer: (who) => ({ id: numberOf(who), username: who, email: mail(who) }),
    },
    account: (who) => ({ account: who, account_id: String(numberOf(who)) }),
    api: "https://gitlab.com/api/v4/projects",
    revoke: { url: "https://gitlab.com/oauth/revoke", by: "refresh token" },
  },
  zoom: {
    authorize: "https://zoom.us/oauth/authorize",
    token: "https://zoom.us/oauth/token",
    client: "basic",
    scopes: null,
    expiresIn: 3_599,
    renewal: "rotates",
    who: { url: "https://api.zoom.us/v2/users/me", answer: (who) => ({ id: `z-${who}`, email: mail(who) }) },
    account: (who) => ({ account: mail(who), account_id: `z-${who}` }),
    api: "https://api.zoom.us/v2/users/me/meetings",
    revoke: { url: "https://zoom.us/oauth/revoke", by: "refresh token" },
    dead: [400, { reason: "Invalid Token!", error: "invalid_grant" }],
    wrongClient: [401, { reason: "Invalid client_id or client_secret", error: "invalid_client" }],
  },
  dropbox: {
    ...usual,
    authorize: "https://www.dropbox.com/oauth2/authorize",
    token: "https://api.dropboxapi.com/oauth2/token",
    scopes: {
      asked: ["files.metadata.read", "files.content.read", "account_info.read"],
      more: ["files.content.write", "files.content.write"],
    },
    extra: { token_access_type: "offline" },
    expiresIn: 4 * HOUR,
    renewal: "stays",
    leavesOut: true,
    who: {
      method: "POST",
      url: "https://api.dropboxapi.com/2/users/get_current_account",
      body: "null",
      answer: (who) => ({ account_id: `dbid:${who}`, email: mail(who) }),
    },
    account: (who) => ({ account: mail(who), account_id: `dbid:${who}` }),
    api: "https://api.dropboxapi.com/2/files/list_folder",
    revoke: { url: "https://api.dropboxapi.com/2/auth/token/revoke", by: "bearer" },
  },
  asana: {
    ...usual,
    authorize: "https://app.asana.com/-/oauth_authorize",
    token: "https://app.asana.com/-/oauth_token",
    scopes: { asked: ["default"], more: ["tasks:read", "tasks:read"] },
    expiresIn: HOUR,
    renewal: "stays",
    leavesOut: true,
    answer: (standard, who) => ({
      ...standard,
      data: { id: numberOf(who), gid: String(numberOf(who)), name: who, email: mail(who) },
    }),
    account: (who) => ({ account: mail(who), account_id: String(numberOf(who)) }),
    api: "https://app.asana.com/api/1.0/tasks",
    revoke: { url: "https://app.asana.com/-/oauth_revoke", by: "refresh token" },
  },
  airtable: {
    ...usual,
    authorize: "https://airtable.com/oauth2/v1/authorize",
    token: "https://airtable.com/oauth2/v1/token",
    client: "basic",
    scopes: {
      asked: ["data.records:read", "schema.bases:read"],
      more: ["data.records:write", "data.records:write"],
    },
    expiresIn: HOUR,
    renewal: "rotates",
    who: { url: "https://api.airtable.com/v0/meta/whoami", answer: (who) => ({ id: `usr${who}` }) },
    account: (who) => ({ account: `usr${who}`, account_id: `usr${who}` }),
    api: "https://api.airtable.com/v0/meta/bases",
  },
  figma: {
    ...usual,
    authorize: "https://www.figma.com/oauth",
    token: "https://api.figma.com/v1/oauth/token",
    refresh: "https://api.figma.com/v1/oauth/refresh",
    client: "basic",
    proof: false,
    scopes: {
      separator: ",",
      asked: ["file_content:read", "current_user:read"],
      more: ["file_comments:write", "file_comments:write"],
    },
    expiresIn: 90 * 24 * HOUR,
    renewal: "stays",
    leavesOut: true,
    who: { url: "https://api.figma.com/v1/me", answer: (who) => ({ id: `f-${who}`, email: mail(who) }) },
    account: (who) => ({ account: mail(who), account_id: `f-${who}` }),
    api: "https://api.figma.com/v1/files/x",
  },
  discord: {
    ...usual,
    authorize: "https://discord.com/oauth2/authorize",
    token: "https://discord.com/api/oauth2/token",
    scopes: { asked: ["guilds", "identify"], more: ["connections", "connections"] },
    expiresIn: 604_800,
    renewal: "rotates",
    who: {
      url: "https://discord.com/api/v10/users/@me",
      answer: (who) => ({ id: `9${numberOf(who)}`, username: who }),
    },
    account: (who) => ({ account: who, account_id: `9${numberOf(who)}` }),
    api: "https://discord.com/api/v10/users/@me/guilds",
    revoke: { url: "https://discord.com/api/oauth2/token/revoke", by: "refresh token" },
  },
  hubspot: {
    authorize: "https://app.hubspot.com/oauth/authorize",
    token: "https://api.hubapi.com/oauth/2026-03/token",
    scopes: {
      asked: ["crm.objects.contacts.read", "oauth"],
      more: ["crm.objects.deals.read", "crm.objects.deals.read"],
    },
    expiresIn: 1_800,
    renewal: "stays",
    // The token of a portal is of all its people: an account is the portal.
    who: {
      url: "https://api.hubapi.com/account-info/v3/details",
      answer: (who) => ({ portalId: numberOf(who), accountType: "STANDARD" }),
    },
    account: (who) => ({ account: String(numberOf(who)), account_id: String(numberOf(who)) }),
    api: "https://api.hubapi.com/crm/v3/objects/contacts",
    revoke: { url: "https://api.hubapi.com/oauth/2026-03/token/revoke", by: "refresh token" },
    dead: [400, { status: "BAD_REFRESH_TOKEN", message: "missing or invalid refresh token" }],
    wrongClient: STANDARD_CLIENT,
  },
  salesforce: {
    authorize: "https://login.salesforce.com/services/oauth2/authorize",
    token: "https://login.salesforce.com/services/oauth2/token",
    refresh: "https://acme.my.salesforce.com/services/oauth2/token",
    scopes: { asked: ["api", "openid", "refresh_token"], more: ["web", "web"] },
    expiresIn: null,
    renewal: "stays",
    leavesOut: true,
    answer: (standard, who) => ({
      ...standard,
      id: `https://login.salesforce.com/id/00D/005${who}`,
      instance_url: "https://acme.my.salesforce.com",
    }),
    who: {
      url: "https://login.salesforce.com/services/oauth2/userinfo",
      answer: (who) => ({
        sub: `https://login.salesforce.com/id/00D/005${who}`,
        preferred_username: mail(who),
      }),
    },
    account: (who) => ({
      account: mail(who),
      account_id: `https://login.salesforce.com/id/00D/005${who}`,
    }),
    api: "https://acme.my.salesforce.com/services/data/v64.0/query",
    revoke: { url: "https://acme.my.salesforce.com/services/oauth2/revoke", by: "refresh token" },
    dead: [400, { error: "invalid_grant", error_description: "expired access/refresh token" }],
    wrongClient: [400, { error: "invalid_client_id", error_description: "client identifier invalid" }],
  },
  intercom: {
    ...usual,
    site: "eu",
    authorize: "https://app.eu.intercom.com/oauth",
    token: "https://api.eu.intercom.io/auth/eagle/token",
    proof: false,
    scopes: null,
    expiresIn: null,
    renewal: "none",
    answer: ({ access_token: token }) => ({ token_type: "Bearer", token, access_token: token }),
    who: {
      url: "https://api.eu.intercom.io/me",
      answer: (who) => ({ type: "admin", id: `i-${who}`, email: mail(who), app: { id_code: "w1" } }),
    },
    account: (who) => ({ account: mail(who), account_id: `w1/i-${who}` }),
    api: "https://api.eu.intercom.io/contacts",
  },
  zendesk: {
    ...usual,
    site: "acme",
    authorize: "https://acme.zendesk.com/oauth/authorizations/new",
    token: "https://acme.zendesk.com/oauth/tokens",
    scopes: { asked: ["read"], more: ["tickets:write", "tickets:write"] },
    fields: { expires_in: "1800" },
    expiresIn: 1_800,
    renewal: "rotates",
    who: {
      url: "https://acme.zendesk.com/api/v2/users/me",
      answer: (who) => ({ user: { id: numberOf(who), email: mail(who) } }),
    },
    account: (who) => ({ account: mail(who), account_id: String(numberOf(who)) }),
    api: "https://acme.zendesk.com/api/v2/tickets",
    revoke: { url: "https://acme.zendesk.com/api/v2/oauth/tokens/current", by: "bearer, DELETE" },
  },
  shopify: {
    site: "acme",
    authorize: "https://acme.myshopify.com/admin/oauth/authorize",
    token: "https://acme.myshopify.com/admin/oauth/access_token",
    proof: false,
    scopes: { separator: ",", asked: ["read_products"], more: ["write_orders", "write_orders"] },
    fields: { expiring: "1" },
    expiresIn: HOUR,
    renewal: "rotates",
    back: () => ({ shop: "acme.myshopify.com", timestamp: "1764300000" }),
    signedBy: "hmac",
    account: () => ({ account: "acme.myshopify.com", account_id: "acme.myshopify.com" }),
    api: "https://acme.myshopify.com/admin/api/2026-10/shop.json",
    header: ["x-shopify-access-token", ""],
    dead: [400, { error: "invalid_grant", error_description: "refresh token is invalid" }],
    wrongClient: [401, { error: "invalid_client" }],
  },
  stripe: {
    ...usual,
    authorize: "https://marketplace.stripe.com/oauth/v2/authorize",
    token: "https://api.stripe.com/v1/oauth/token",
    client: "secret",
    proof: false,
    scopes: null,
    expiresIn: null,
    renewal: "rotates",
    answer: (standard, who) => ({
      ...standard,
      livemode: true,
      scope: "stripe_apps",
      stripe_user_id: `acct_${who}`,
    }),
    account: (who) => ({ account: `acct_${who}`, account_id: `acct_${who}` }),
    api: "https://api.stripe.com/v1/customers",
  },
  quickbooks: {
    ...usual,
    authorize: "https://appcenter.intuit.com/connect/oauth2",
    token: "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer",
    client: "basic",
    scopes: {
      asked: ["com.intuit.quickbooks.accounting"],
      more: ["com.intuit.quickbooks.payment", "com.intuit.quickbooks.payment"],
    },
    expiresIn: HOUR,
    renewal: "rotates",
    answer: (standard) => ({ ...standard, scope: undefined, x_refresh_token_expires_in: 8_726_400 }),
    saysNoScopes: true,
    back: (who) => ({ realmId: `93414${numberOf(who)}` }),
    account: (who) => ({ account: `93414${numberOf(who)}`, account_id: `93414${numberOf(who)}` }),
    api: "https://quickbooks.api.intuit.com/v3/company/934143/companyinfo/934143",
    revoke: {
      url: "https://developer.api.intuit.com/v2/oauth2/tokens/revoke",
      by: "access token as JSON",
    },
  },
  xero: {
    ...usual,
    authorize: "https://login.xero.com/identity/connect/authorize",
    token: "https://identity.xero.com/connect/token",
    client: "basic",
    scopes: {
      asked: ["accounting.contacts.read", "openid", "email", "offline_access"],
      more: ["accounting.settings", "accounting.settings"],
    },
    expiresIn: 1_800,
    renewal: "rotates",
    claims: (who) => ({ sub: `x-${who}`, email: mail(who) }),
    account: (who) => ({ account: mail(who), account_id: `x-${who}` }),
    api: "https://api.xero.com/connections",
    revoke: { url: "https://identity.xero.com/connect/revocation", by: "refresh token" },
  },
};
