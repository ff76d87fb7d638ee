import type { Row } from "./preset.ts";

/**
 * Providers of what a business runs on: its customers, its shop, its books.
 *
 * Sources: https://developers.hubspot.com/docs/api-reference/latest/authentication/manage-oauth-tokens ·
 * https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_web_server_flow.htm ·
 * https://developers.intercom.com/docs/build-an-integration/learn-more/authentication/setting-up-oauth ·
 * https://developer.zendesk.com/api-reference/ticketing/oauth/grant_type_tokens ·
 * https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/authorization-code-grant ·
 * https://docs.stripe.com/stripe-apps/api-authentication/oauth ·
 * https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0 ·
 * https://developer.xero.com/documentation/guides/oauth2/auth-flow
 */
export const BUSINESS_ROWS = {
  hubspot: {
    authorizeUrl: "https://app.hubspot.com/oauth/authorize",
    // The addresses of `v1` end on 2027-02-16.
    tokenUrl: "https://api.hubapi.com/oauth/2026-03/token",
    // It ends the tokens of all who have connected the same portal.
    revokeUrl: "https://api.hubapi.com/oauth/2026-03/token/revoke",
    hosts: ["api.hubapi.com"],
    scopes: ["crm.objects.contacts.read"],
    dialect: {
      alwaysScopes: ["oauth"],
      accountAt: ["/hub_domain", "/hub_id", "/portalId"],
      accountIdAt: ["/hub_id"],
      // Not settled whether each answer with tokens has `hub_id`.
      accountRequest: {
        method: "GET",
        url: "https://api.hubapi.com/account-info/v3/details",
        idAt: ["/portalId"],
      },
    },
  },
  salesforce: {
    authorizeUrl: "https://{site}/services/oauth2/authorize",
    tokenUrl: "https://{site}/services/oauth2/token",
    revokeUrl: "https://{site}/services/oauth2/revoke",
    hosts: ["{site}"],
    scopes: ["api"],
    dialect: {
      site: {
        pattern: /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,4}salesforce\.com$/,
        inWords: "a domain that ends with salesforce.com, such as 'acme.my.salesforce.com'",
        fallback: "login.salesforce.com",
        // Its API is at the account's own host.
        at: "/instance_url",
      },
      alwaysScopes: ["openid", "refresh_token"],
      aliases: { offline_access: "refresh_token" },
      includes: { full: ["api", "openid"] },
      accountAt: ["/preferred_username", "/email"],
      accountIdAt: ["/id"],
      accountRequest: { method: "GET", url: "https://{site}/services/oauth2/userinfo" },
    },
  },
  intercom: {
    authorizeUrl: "https://app{site}.intercom.com/oauth",
    tokenUrl: "https://api{site}.intercom.io/auth/eagle/token",
    // A workspace takes it back by removing the app.
    hosts: ["api{site}.intercom.io"],
    // The app's registration says them. Tokens do not end.
    scopes: [],
    dialect: {
      site: {
        pattern: /^(?:us|eu|au)$/,
        inWords: "a region: us, eu or au",
        fallback: "us",
        texts: { us: "", eu: ".eu", au: ".au" },
      },
      pkce: false,
      accountAt: ["/email"],
      accountIdAt: ["/app/id_code", "/id"],
      accountRequest: { method: "GET", url: "https://api{site}.intercom.io/me" },
    },
  },
  zendesk: {
    authorizeUrl: "https://{site}.zendesk.com/oauth/authorizations/new",
    tokenUrl: "https://{site}.zendesk.com/oauth/tokens",
    revokeUrl: "https://{site}.zendesk.com/api/v2/oauth/tokens/current",
    hosts: ["{site}.zendesk.com"],
    scopes: ["read"],
    dialect: {
      site: {
        pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
        inWords: "a Zendesk subdomain, such as 'acme'",
        fallback: null,
      },
      // Clients from before 2026-04-30 get refresh tokens only where they ask for an end.
      tokenParameters: { expires_in: "1800" },
      accountAt: ["/user/email"],
      accountIdAt: ["/user/id"],
      accountRequest: { method: "GET", url: "https://{site}.zendesk.com/api/v2/users/me" },
      revoke: "delete",
    },
  },
  shopify: {
    authorizeUrl: "https://{site}.myshopify.com/admin/oauth/authorize",
    tokenUrl: "https://{site}.myshopify.com/admin/oauth/access_token",
    // A shop takes it back by removing the app.
    hosts: ["{site}.myshopify.com"],
    scopes: ["read_products"],
    dialect: {
      site: {
        pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
        inWords: "a shop's name before '.myshopify.com', such as 'acme'",
        fallback: null,
      },
      pkce: false,
      scopeSeparator: ",",
      // A scope that is asked for with its `write_` is answered as that alone.
      includes: {
        write_products: ["read_products"],
        write_orders: ["read_orders"],
        write_customers: ["read_customers"],
        write_inventory: ["read_inventory"],
      },
      // Tokens that end, which public apps must use from 2027-01-01.
      tokenParameters: { expiring: "1" },
      tokenHeader: { name: "x-shopify-access-token", scheme: "" },
      callback: { id: "shop", expected: "{site}.myshopify.com", signedBy: "hmac" },
      accountAt: [],
      accountIdAt: [],
    },
  },
  stripe: {
    // A Stripe App. Connect takes no new extensions.
    authorizeUrl: "https://marketplace.stripe.com/oauth/v2/authorize",
    tokenUrl: "https://api.stripe.com/v1/oauth/token",
    // An account takes it back by removing the app.
    hosts: ["api.stripe.com"],
    // The app's manifest says them.
    scopes: [],
    dialect: {
      // The client's secret is the secret key of the app's own account.
      clientAuth: "secret",
      pkce: false,
      accountAt: ["/stripe_user_id"],
      accountIdAt: ["/stripe_user_id"],
    },
  },
  quickbooks: {
    authorizeUrl: "https://appcenter.intuit.com/connect/oauth2",
    tokenUrl: "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer",
    revokeUrl: "https://developer.api.intuit.com/v2/oauth2/tokens/revoke",
    hosts: ["quickbooks.api.intuit.com"],
    scopes: ["com.intuit.quickbooks.accounting"],
    dialect: {
      clientAuth: "basic",
      callback: { id: "realmId" },
      accountAt: [],
      accountIdAt: [],
      revoke: "json",
    },
  },
  xero: {
    authorizeUrl: "https://login.xero.com/identity/connect/authorize",
    tokenUrl: "https://identity.xero.com/connect/token",
    // It ends all that the account has given to the client.
    revokeUrl: "https://identity.xero.com/connect/revocation",
    hosts: ["api.xero.com"],
    scopes: ["accounting.contacts.read"],
    dialect: {
      clientAuth: "basic",
      alwaysScopes: ["openid", "email", "offline_access"],
      accountAt: ["/email"],
      accountIdAt: ["/sub"],
    },
  },
} satisfies Readonly<Record<string, Row>>;
