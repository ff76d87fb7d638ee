import { BUSINESS_ROWS } from "./business-presets.ts";
import { type Preset, presetsOf } from "./preset.ts";

/**
 * The providers that need only a client's id and secret; those of what a business runs on stand in a file of their own.
 *
 * Sources: https://developers.google.com/identity/protocols/oauth2/web-server ·
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow ·
 * https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps ·
 * https://docs.slack.dev/authentication/installing-with-oauth · https://developers.notion.com/docs/authorization ·
 * https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps · https://linear.app/developers/oauth-2-0-authentication ·
 * https://docs.gitlab.com/api/oauth2 · https://developers.zoom.us/docs/integrations/oauth · https://developers.dropbox.com/oauth-guide ·
 * https://developers.asana.com/docs/oauth · https://airtable.com/developers/web/api/oauth-reference ·
 * https://developers.figma.com/docs/rest-api/authentication · https://docs.discord.com/developers/topics/oauth2
 */
export const PRESETS: Readonly<Record<string, Preset>> = presetsOf({
  google: {
    authorizeUrl: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenUrl: "https://oauth2.googleapis.com/token",
    // One token taken back ends all that the account has given to the client.
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
    authorizeUrl: "https://login.microsoftonline.com/{site}/oauth2/v2.0/authorize",
    tokenUrl: "https://login.microsoftonline.com/{site}/oauth2/v2.0/token",
    // A person takes it back at https://myapps.microsoft.com.
    hosts: ["graph.microsoft.com"],
    scopes: ["User.Read", "Mail.Read", "Mail.Send"],
    dialect: {
      site: {
        pattern: /^(?:common|organizations|consumers|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
        inWords: "a tenant's id, or common, organizations or consumers",
        fallback: "common",
      },
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
      clientAuth: "basic",
      body: "json",
      pkce: false,
      authorize: { owner: "user" },
      accountAt: ["/owner/user/person/email", "/workspace_name", "/bot_id"],
      accountIdAt: ["/workspace_id", "/owner/user/id"],
      revoke: "json",
      headers: { "notion-version": "2025-09-03" },
    },
  },
  atlassian: {
    authorizeUrl: "https://auth.atlassian.com/authorize",
    tokenUrl: "https://auth.atlassian.com/oauth/token",
    // A person takes it back at https://id.atlassian.com/manage-profile/apps.
    hosts: ["api.atlassian.com"],
    scopes: ["read:jira-work", "write:jira-work"],
    dialect: {
      body: "json",
      authorize: { audience: "api.atlassian.com", prompt: "consent" },
      alwaysScopes: ["read:me", "offline_access"],
      accountAt: ["/email", "/account_id"],
      accountIdAt: ["/account_id"],
      accountRequest: { method: "GET", url: "https://api.atlassian.com/me" },
    },
  },
  linear: {
    authorizeUrl: "https://linear.app/oauth/authorize",
    tokenUrl: "https://api.linear.app/oauth/token",
    revokeUrl: "https://api.linear.app/oauth/revoke",
    hosts: ["api.linear.app"],
    scopes: ["read", "write"],
    dialect: {
      scopeSeparator: ",",
      authorize: { prompt: "consent" },
      alwaysScopes: ["read"],
      includes: { write: ["issues:create", "comments:create"] },
      accountAt: ["/data/viewer/email"],
      accountIdAt: ["/data/viewer/id"],
      accountRequest: {
        method: "POST",
        url: "https://api.linear.app/graphql",
        body: { query: "{viewer{id email}}" },
      },
      revoke: "bearer",
    },
  },
  gitlab: {
    authorizeUrl: "https://{site}/oauth/authorize",
    tokenUrl: "https://{site}/oauth/token",
    revokeUrl: "https://{site}/oauth/revoke",
    hosts: ["{site}"],
    scopes: ["api"],
    dialect: {
      site: {
        pattern: /^[a-z0-9.-]+(?::\d+)?$/,
        inWords: "the host of a GitLab",
        fallback: "gitlab.com",
        isOfOperator: true,
      },
      alwaysScopes: ["read_user"],
      includes: {
        api: ["read_api", "read_user", "read_repository", "write_repository"],
        read_api: ["read_user", "read_repository"],
        write_repository: ["read_repository"],
      },
      accountAt: ["/username"],
      accountIdAt: ["/id"],
      accountRequest: { method: "GET", url: "https://{site}/api/v4/user" },
    },
  },
  zoom: {
    authorizeUrl: "https://zoom.us/oauth/authorize",
    tokenUrl: "https://zoom.us/oauth/token",
    revokeUrl: "https://zoom.us/oauth/revoke",
    hosts: ["api.zoom.us"],
    // The app's registration says them. Not settled: a connector that names some writes blanks between them, another product commas.
    scopes: [],
    dialect: {
      clientAuth: "basic",
      accountAt: ["/email"],
      accountIdAt: ["/id"],
      accountRequest: { method: "GET", url: "https://api.zoom.us/v2/users/me" },
    },
  },
  dropbox: {
    authorizeUrl: "https://www.dropbox.com/oauth2/authorize",
    tokenUrl: "https://api.dropboxapi.com/oauth2/token",
    revokeUrl: "https://api.dropboxapi.com/2/auth/token/revoke",
    hosts: ["api.dropboxapi.com", "content.dropboxapi.com"],
    scopes: ["files.metadata.read", "files.content.read"],
    dialect: {
      authorize: { token_access_type: "offline" },
      alwaysScopes: ["account_info.read"],
      accountAt: ["/email"],
      accountIdAt: ["/account_id"],
      accountRequest: {
        method: "POST",
        url: "https://api.dropboxapi.com/2/users/get_current_account",
        body: null,
      },
      revoke: "bearer",
    },
  },
  asana: {
    authorizeUrl: "https://app.asana.com/-/oauth_authorize",
    tokenUrl: "https://app.asana.com/-/oauth_token",
    revokeUrl: "https://app.asana.com/-/oauth_revoke",
    hosts: ["app.asana.com"],
    scopes: ["default"],
    dialect: {
      accountAt: ["/data/email", "/data/name"],
      accountIdAt: ["/data/gid"],
      accountRequest: { method: "GET", url: "https://app.asana.com/api/1.0/users/me" },
    },
  },
  airtable: {
    authorizeUrl: "https://airtable.com/oauth2/v1/authorize",
    tokenUrl: "https://airtable.com/oauth2/v1/token",
    // A person takes it back in the account's settings.
    hosts: ["api.airtable.com"],
    scopes: ["data.records:read", "schema.bases:read"],
    dialect: {
      clientAuth: "basic",
      accountAt: ["/email", "/id"],
      accountIdAt: ["/id"],
      accountRequest: { method: "GET", url: "https://api.airtable.com/v0/meta/whoami" },
    },
  },
  figma: {
    authorizeUrl: "https://www.figma.com/oauth",
    tokenUrl: "https://api.figma.com/v1/oauth/token",
    // Its answer has no refresh token: the first one stays.
    refreshUrl: "https://api.figma.com/v1/oauth/refresh",
    hosts: ["api.figma.com"],
    scopes: ["file_content:read"],
    dialect: {
      clientAuth: "basic",
      // Not settled: some clients send a proof key, most send none.
      pkce: false,
      scopeSeparator: ",",
      alwaysScopes: ["current_user:read"],
      accountAt: ["/email", "/handle"],
      accountIdAt: ["/id"],
      accountRequest: { method: "GET", url: "https://api.figma.com/v1/me" },
    },
  },
  discord: {
    authorizeUrl: "https://discord.com/oauth2/authorize",
    tokenUrl: "https://discord.com/api/oauth2/token",
    revokeUrl: "https://discord.com/api/oauth2/token/revoke",
    hosts: ["discord.com"],
    scopes: ["guilds"],
    dialect: {
      alwaysScopes: ["identify"],
      accountAt: ["/username"],
      accountIdAt: ["/id"],
      accountRequest: { method: "GET", url: "https://discord.com/api/v10/users/@me" },
      headers: { "user-agent": "volley" },
    },
  },
  ...BUSINESS_ROWS,
});
