import { type Dialect, STANDARD } from "./connector.ts";

/** Everything of a provider that its documentation says; a deployment brings its client. */
export interface Preset {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly revokeUrl: string | null;
  readonly hosts: readonly string[];
  readonly scopes: readonly string[];
  readonly dialect: Dialect;
}

/**
 * The providers that need only a client's id and secret.
 *
 * Sources: https://developers.google.com/identity/protocols/oauth2/web-server ·
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow ·
 * https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps ·
 * https://docs.slack.dev/authentication/installing-with-oauth · https://developers.notion.com/docs/authorization
 */
export const PRESETS: Readonly<Record<string, Preset>> = {
  google: {
    authorizeUrl: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenUrl: "https://oauth2.googleapis.com/token",
    revokeUrl: "https://oauth2.googleapis.com/revoke",
    hosts: [
      "www.googleapis.com",
      "gmail.googleapis.com",
      "tasks.googleapis.com",
      "people.googleapis.com",
      "docs.googleapis.com",
      "sheets.googleapis.com",
    ],
    scopes: ["gmail.modify", "calendar.events", "tasks"],
    dialect: {
      ...STANDARD,
      // Without both a second consent brings no refresh token.
      authorize: { access_type: "offline", prompt: "consent" },
      scopePrefix: "https://www.googleapis.com/auth/",
      alwaysScopes: ["openid", "email"],
      aliases: { "userinfo.email": "email", "userinfo.profile": "profile" },
      includes: {
        calendar: ["calendar.events", "calendar.readonly", "calendar.events.readonly"],
        "calendar.events": ["calendar.events.readonly"],
        "gmail.modify": ["gmail.readonly", "gmail.send", "gmail.compose", "gmail.labels"],
        tasks: ["tasks.readonly"],
      },
      accountAt: ["/email"],
    },
  },
  microsoft: {
    authorizeUrl: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    tokenUrl: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    // There is none: a person takes it back at https://myapps.microsoft.com.
    revokeUrl: null,
    hosts: ["graph.microsoft.com"],
    scopes: ["User.Read", "Mail.Read", "Mail.Send"],
    dialect: {
      ...STANDARD,
      scopePrefix: "https://graph.microsoft.com/",
      alwaysScopes: ["openid", "email", "offline_access"],
      includes: { "Mail.ReadWrite": ["Mail.Read"], "Calendars.ReadWrite": ["Calendars.Read"] },
      accountAt: ["/email", "/preferred_username"],
    },
  },
  github: {
    authorizeUrl: "https://github.com/login/oauth/authorize",
    tokenUrl: "https://github.com/login/oauth/access_token",
    revokeUrl: "https://api.github.com/applications/{client_id}/token",
    hosts: ["api.github.com"],
    scopes: ["repo"],
    dialect: {
      ...STANDARD,
      // A scope that is asked for with a wider one is answered as the wider one alone.
      includes: {
        repo: ["repo:status", "repo_deployment", "public_repo", "repo:invite", "security_events"],
        user: ["read:user", "user:email", "user:follow"],
        "admin:org": ["write:org", "read:org"],
        "write:org": ["read:org"],
      },
      accountAt: ["/login"],
      accountIdAt: ["/id"],
      accountRequest: { method: "GET", url: "https://api.github.com/user" },
      revoke: "github",
      headers: { accept: "application/vnd.github+json", "user-agent": "volley" },
    },
  },
  slack: {
    authorizeUrl: "https://slack.com/oauth/v2/authorize",
    tokenUrl: "https://slack.com/api/oauth.v2.access",
    revokeUrl: "https://slack.com/api/auth.revoke",
    hosts: ["slack.com"],
    scopes: ["chat:write", "channels:read"],
    dialect: {
      ...STANDARD,
      // Only for apps that have switched it on, which makes them public clients for good.
      pkce: false,
      // The person's own token, not that of a bot.
      scopeParameter: "user_scope",
      scopeSeparator: ",",
      tokensAt: "/authed_user",
      accountAt: ["/authed_user/id"],
      accountIdAt: ["/team/id", "/authed_user/id"],
      revoke: "bearer",
    },
  },
  notion: {
    authorizeUrl: "https://api.notion.com/v1/oauth/authorize",
    tokenUrl: "https://api.notion.com/v1/oauth/token",
    revokeUrl: "https://api.notion.com/v1/oauth/revoke",
    hosts: ["api.notion.com"],
    // The app's registration says what a connection may do, and the person which pages it sees.
    scopes: [],
    dialect: {
      ...STANDARD,
      clientAuth: { code: "basic", refresh: "basic" },
      body: "json",
      pkce: false,
      authorize: { owner: "user" },
      accountAt: ["/owner/user/person/email", "/workspace_name", "/bot_id"],
      accountIdAt: ["/workspace_id", "/owner/user/id"],
      revoke: "json",
      headers: { "notion-version": "2025-09-03" },
    },
  },
};
