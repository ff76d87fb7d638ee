/** A provider as its operator has to know it: where a client is registered, and what is particular to it. */
export interface Registration {
  readonly title: string;
  /** Where a client is registered: the end of "Register an app". */
  readonly at: string;
  /** The secret of the client, where it has another name. */
  readonly secret?: string;
  readonly notes: readonly string[];
}

/** The providers that are known by name, in the order in which they are listed. */
export const REGISTRATIONS = {
  google: {
    title: "Google",
    at: "in the Google Cloud console under APIs & Services, Credentials, as an OAuth client of the type Web application",
    notes: [
      "Revoking one token ends all that the account has granted to the client, so Volley revokes with the account's last connection.",
      "Turn on each API that your tools call in the same project.",
    ],
  },
  microsoft: {
    title: "Microsoft",
    at: "in the Microsoft Entra admin center under App registrations, with a redirect URI of the platform Web",
    notes: [
      "Microsoft has no address that revokes tokens: the person removes the app at https://myapps.microsoft.com.",
    ],
  },
  github: {
    title: "GitHub",
    at: "in GitHub's settings under Developer settings, as a GitHub App or an OAuth app",
    notes: [
      "Tokens of a GitHub App end after eight hours and are renewed; those of an OAuth app do not end. A GitHub App's permissions stand in its registration, and its answers have no scopes.",
    ],
  },
  slack: {
    title: "Slack",
    at: "at https://api.slack.com/apps under OAuth & Permissions, with the scopes as User Token Scopes",
    notes: [
      "The connection has the person's own token, not a bot's.",
      "Leave PKCE off in the app: it would make the app a public client for good. Token rotation may be on or off.",
    ],
  },
  notion: {
    title: "Notion",
    at: "at https://www.notion.so/profile/integrations, as a public integration",
    notes: ["The integration's capabilities replace scopes, and the person chooses the pages."],
  },
  atlassian: {
    title: "Atlassian (Jira, Confluence)",
    at: "at https://developer.atlassian.com/console/myapps, as an OAuth 2.0 integration with the scope read:me",
    notes: [
      "An account can reach several sites: a tool finds the `cloudid` at https://api.atlassian.com/oauth/token/accessible-resources.",
      "Atlassian has no address that revokes tokens: the person removes the app in the account's settings.",
    ],
  },
  linear: {
    title: "Linear",
    at: "at https://linear.app/settings/api/applications/new",
    notes: ["Linear replaces the refresh token at each refresh."],
  },
  gitlab: {
    title: "GitLab",
    at: "in GitLab's settings under Applications, with the scopes api and read_user, as confidential",
    notes: [
      "For a GitLab of your own, `site` is its host, such as `gitlab.acme.example`. Only the deployment can say it, because the client's secret goes there.",
    ],
  },
  zoom: {
    title: "Zoom",
    at: "at https://marketplace.zoom.us under Develop, Build App, as a General App with the scope user:read:user",
    notes: [
      "The app's registration has the scopes. If you write `scopes`, blanks stand between them; Zoom's documentation does not say whether commas would too.",
    ],
  },
  dropbox: {
    title: "Dropbox",
    at: "at https://www.dropbox.com/developers/apps, with the scope account_info.read",
    notes: [],
  },
  asana: {
    title: "Asana",
    at: "at https://app.asana.com/0/my-apps",
    notes: ["The scope `default` has all permissions; an app with granular scopes names them in `scopes`."],
  },
  airtable: {
    title: "Airtable",
    at: "at https://airtable.com/create/oauth",
    notes: [
      "The account's name is its id, unless `scopes` has `user.email:read`.",
      "Airtable has no address that revokes tokens: the person removes the integration in the account's settings.",
      "Not confirmed: a refresh token lasts 60 days.",
    ],
  },
  figma: {
    title: "Figma",
    at: "at https://www.figma.com/developers/apps, with the scope current_user:read",
    notes: [
      "The first refresh token stays: Figma's answers to a refresh have none.",
      'Not settled: whether Figma checks a proof key (PKCE). Volley sends none; `"pkce": true` sends one.',
      "Figma has no address that revokes tokens.",
    ],
  },
  discord: {
    title: "Discord",
    at: "at https://discord.com/developers/applications under OAuth2",
    notes: ["The connection has the person's token, not a bot's."],
  },
  hubspot: {
    title: "HubSpot",
    at: "in a HubSpot developer account, as a public app with the scope oauth",
    notes: [
      "Not confirmed: whether each answer with tokens has `hub_id`; without it Volley asks for the portal.",
      "Volley uses HubSpot's addresses of 2026-03; those of v1 end on 2027-02-16.",
      "An account is a portal: its tokens are the same for all its people, and revoking one ends all. So Volley revokes with the portal's last connection.",
    ],
  },
  salesforce: {
    title: "Salesforce",
    at: "in Salesforce Setup, as an external client app (or connected app) with the scopes api, openid and refresh_token",
    notes: [
      'Without `site` a person signs in at login.salesforce.com; for a sandbox or My Domain, name it. After the sign-in, `site` is the account\'s own host, and a tool reads it from `ctx.connection("salesforce").site`.',
      "Salesforce does not say when a token ends: Volley renews after a 401.",
    ],
  },
  intercom: {
    title: "Intercom",
    at: "in Intercom's Developer Hub under Authentication, with Use OAuth",
    notes: [
      "The app's registration has the scopes. Tokens do not end, and there is no address that revokes them.",
    ],
  },
  zendesk: {
    title: "Zendesk",
    at: "in Zendesk's Admin Center under Apps and integrations, APIs, OAuth clients, as confidential",
    notes: [
      "A client of one Zendesk works for that one; for your customers' ask Zendesk for a global client.",
      "Tokens end after 30 minutes, because Volley asks for that: older clients get a refresh token only then.",
    ],
  },
  shopify: {
    title: "Shopify",
    at: "in the Shopify Dev Dashboard, as an app with the redirect URL",
    notes: [
      "Volley checks the signature of the address by which the person comes back, and that it is the shop of `site`.",
      "Volley asks for tokens that end, which public apps must use from 2027-01-01. The token stands in the header X-Shopify-Access-Token.",
      "There is no address that revokes tokens: the shop removes the app.",
    ],
  },
  stripe: {
    title: "Stripe",
    at: "with `stripe apps create`, as a Stripe App with the access type oauth and the address in allowed_redirect_uris",
    secret: "the secret key (`sk_…`) of the account that owns the app",
    notes: [
      "This is for Stripe Apps; Stripe Connect takes no new extensions.",
      "The app's manifest has the permissions. Tokens last an hour, which Stripe's answers do not say: Volley renews after a 401.",
      "There is no address that revokes tokens: the account removes the app.",
    ],
  },
  quickbooks: {
    title: "QuickBooks Online",
    at: "at https://developer.intuit.com under Keys & credentials",
    notes: [
      "Not confirmed: a refresh token lasts 100 days.",
      '`account_id` is the company\'s `realmId`, which comes only with the person; a tool reads it from `ctx.connection("quickbooks").accountId`.',
      "For a company of Intuit's sandbox, set `hosts` to its API's host.",
    ],
  },
  xero: {
    title: "Xero",
    at: "at https://developer.xero.com/app/manage, as a Web app",
    notes: [
      "An account can reach several organisations: a tool finds them at https://api.xero.com/connections.",
      "Revoking a token removes all organisations that the person has connected to the app.",
      "Not confirmed: a refresh token lasts 60 days.",
    ],
  },
} as const satisfies Readonly<Record<string, Registration>>;
