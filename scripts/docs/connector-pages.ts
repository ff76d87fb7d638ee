import { PRESETS } from "../../src/features/connections/connectors/connector-presets.ts";
import { makeEntry } from "../command/connectors.ts";
import { type Registration, REGISTRATIONS } from "../connectors/registrations.ts";

type Name = keyof typeof REGISTRATIONS;

/** The providers with a page, in the order in which they are listed. */
export const CONNECTOR_NAMES = Object.keys(REGISTRATIONS) as readonly Name[];

/** Two products for the same, by their own documentation. */
const PEERS = `## Beside Nango and Composio

By their documentation of November 2026 ([Nango](https://nango.dev/docs), [Composio](https://docs.composio.dev)):

| | Volley | Nango | Composio |
|---|---|---|---|
| known providers | 22, and any that speaks OAuth 2 or takes a key | 1,000 and more | 1,000 and more |
| ready OAuth apps | none: you register each | for some providers | for many providers |
| where tokens are | in your Cloudflare account | at Nango, or self-hosted | at Composio, unless deployed otherwise |
| who came by a link | confirmed by your application, before the account is used | your application starts the session | your application names the user |
| refresh | before the end, and after a 401 | before the end, and at least once a day | automatic |
| a deleted account | revoked at the provider, with the last connection of the account | deleted at Nango; its documentation names no revocation | not revoked; a call of its own revokes |
| what the provider changes | by [webhooks](../flows.md#run-it-by-a-webhook) | kept in sync, webhooks | triggers |

Both know far more providers, and both have apps that are registered already. Choose them if you need either.
`;

/** Write the list of the pages, for `docs/index.md`. */
export function writeConnectorList(): string {
  const rows = CONNECTOR_NAMES.map((name) => `- [${REGISTRATIONS[name].title}](connectors/${name}.md)\n`);
  return `- [All known providers](connectors/index.md): their table, and Nango and Composio beside it\n${rows.join("")}`;
}

/** Write the index of the pages, `docs/connectors/index.md`. */
export function writeConnectorIndex(): string {
  const rows = CONNECTOR_NAMES.map((name) => {
    const { renewal, revocation, site } = factsOf(name);
    return `| [${REGISTRATIONS[name].title}](${name}.md) | \`${name}\` | ${site || "–"} | ${renewal} | ${revocation} |\n`;
  });
  return [
    "# Connectors: the known providers\n",
    "For people who add a provider to [`VOLLEY_CONNECTORS`](../connections.md#say-which-providers-there-are): at the end you know how each is connected. They need only a client's id and secret. In a terminal: `npx volley connectors add github`.\n",
    "| provider | name | `site` | refresh | revoked by |\n|---|---|---|---|---|",
    rows.join(""),
    PEERS,
  ].join("\n");
}

/** Write the page of one provider. */
export function writeConnectorPage(name: Name): string {
  const { title, at, notes, secret = "the client's secret" }: Registration = REGISTRATIONS[name];
  const { entry, variable } = makeEntry(name);
  const { authorizeUrl, tokenUrl, hosts, dialect } = PRESETS[name]!;
  const { site, renewal, revocation, client, scopes } = factsOf(name);
  const rows = [
    ["sign-in", `\`${authorizeUrl}\`${dialect.pkce ? "" : ", without PKCE"}`],
    ["tokens", `\`${tokenUrl}\`, the client ${client}, as ${dialect.body === "json" ? "JSON" : "a form"}`],
    ["refresh", renewal],
    ["scopes", scopes],
    ["`site`", site],
    ["hosts that get the token", hosts.map((host) => `\`${host}\``).join(", ")],
    ["revoked by", revocation],
  ].filter(([, text]) => text !== "");
  return [
    `# ${title}: connect accounts\n`,
    `For people whose users have accounts at ${title}: at the end your tools can use each user's own account. [Connections](../connections.md) says how.\n`,
    `1. Register an app ${at}. Its redirect address is \`https://<your deployment>/v1/connections/callback\`.`,
    "2. Add this to `VOLLEY_CONNECTORS`:\n",
    "```json",
    JSON.stringify({ [name]: entry }),
    "```\n",
    `3. Set the secret \`${variable}\` to ${secret}. \`npx volley connectors add ${name}\` prints all of it.\n`,
    "| | |\n|---|---|",
    ...rows.map(([what, text]) => `| ${what} | ${text} |`),
    "",
    ...notes.map((note) => `- ${note}`),
    ...(notes.length > 0 ? [""] : []),
  ].join("\n");
}

const CLIENTS = {
  body: "in the body",
  basic: "by Basic",
  secret: "by its secret alone, as the user of Basic",
};
const WAYS = {
  rfc7009: "the refresh token",
  json: "the token as JSON",
  bearer: "the access token",
  delete: "the access token",
  github: "the access token and the client",
};

function factsOf(name: Name) {
  const { refreshUrl, revokeUrl, scopes, dialect } = PRESETS[name]!;
  const { site, clientAuth, alwaysScopes, revoke } = dialect;
  const fallback = site?.fallback;
  return {
    client: CLIENTS[clientAuth.code],
    renewal:
      name === "intercom"
        ? "none"
        : `at ${refreshUrl === undefined ? "the same address" : `\`${refreshUrl}\``}`,
    revocation: revokeUrl === null ? "the person alone" : `${WAYS[revoke]}, at \`${revokeUrl}\``,
    site:
      site === null ? "" : `${site.inWords}${fallback === null ? "; needed" : `; default: \`${fallback}\``}`,
    scopes:
      scopes.length === 0
        ? "in the app's registration"
        : `${scopes.map((one) => `\`${one}\``).join(", ")}${alwaysScopes.length > 0 ? `; always ${alwaysScopes.map((one) => `\`${one}\``).join(", ")}` : ""}`,
  };
}
