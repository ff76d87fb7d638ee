import { describe, expect, test } from "vitest";

import { parseConnectors } from "../../../src/features/connections/connectors/parse-connectors.ts";
import { PRESETS } from "../../../src/features/connections/connectors/connector-presets.ts";
import { toAuthorizeUrl } from "../../../src/features/connections/connectors/provider-request.ts";
import type { OAuthConnector } from "../../../src/features/connections/connectors/connector.ts";
import { atSite, hasOrigin } from "../../../src/features/connections/connectors/site.ts";
import { missingScopes, toAskedScopes } from "../../../src/features/connections/connectors/scopes.ts";

const CLIENT = { client_id: "id", client_secret: { secret: "S" } };
const OWN = {
  ...CLIENT,
  authorize_url: "https://id.acme.dev/authorize",
  token_url: "https://id.acme.dev/token",
  hosts: ["api.acme.dev"],
  scopes: ["read"],
};
const parse = (value: unknown, trusted: readonly string[] = []) =>
  parseConnectors(JSON.stringify(value), new Set(trusted));
const preset = (name: string): OAuthConnector => {
  const parsed = parse({ [name]: CLIENT });
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value.get(name) as OAuthConnector;
};

describe("VOLLEY_CONNECTORS", () => {
  test.each(Object.keys(PRESETS))("knows of %s all but the client's id and secret", (name) => {
    const connector = preset(name);
    expect(connector).toMatchObject({ kind: "oauth2", clientId: "id", secret: "S", tenants: null });
    for (const origin of connector.origins) expect(origin).toMatch(/^https:\/\//);
    const url = new URL(
      toAuthorizeUrl(connector, {
        state: "s",
        redirectUri: "https://v.dev/cb",
        scopes: ["a"],
        challenge: "c",
      }),
    );
    expect(url.protocol).toBe("https:");
    expect(url.searchParams.get("code_challenge_method")).toBe(connector.pkce ? "S256" : null);
  });

  test("lets a deployment change what a preset says", () => {
    const parsed = parse({
      google: { ...CLIENT, scopes: ["drive.file"], hosts: ["www.googleapis.com"], tenants: ["acme"] },
    });
    expect(parsed.ok && parsed.value.get("google")).toMatchObject({
      scopes: ["drive.file"],
      origins: new Set(["https://www.googleapis.com"]),
      tenants: new Set(["acme"]),
    });
  });

  test.each([
    [{ acme: { ...OWN, client_id: 7 } }, "/acme/client_id must be"],
    [{ acme: { ...OWN, client_secret: "geheim" } }, "/acme/client_secret must be"],
    [{ acme: { ...OWN, client_secret: { secret: "not a variable" } } }, "/acme/client_secret/secret must be"],
    [{ acme: CLIENT }, "/acme/authorize_url must be"],
    [
      { acme: { ...OWN, authorize_url: "http://id.acme.dev/authorize" } },
      "/acme/authorize_url must be an address that begins with https://",
    ],
    [{ acme: { ...OWN, token_url: "https://user@id.acme.dev/token" } }, "/acme/token_url must be"],
    [{ acme: { ...OWN, hosts: ["*.acme.dev"] } }, "/acme/hosts/0 must be a host name or an origin"],
    [{ acme: { ...OWN, hosts: ["api.acme.dev/v1"] } }, "/acme/hosts/0"],
    [{ acme: { ...OWN, hosts: ["http://api.acme.dev"] } }, "/acme/hosts/0 must be reached by https"],
    [{ acme: { ...OWN, hosts: [] } }, "/acme/hosts"],
    [{ acme: { ...OWN, colour: "red" } }, "/acme/colour"],
    [{ acme: { ...OWN, client_auth: "header" } }, "/acme/client_auth"],
    [{ acme: { ...OWN, client_auth: { code: "body", revoke: "basic" } } }, "/acme/client_auth"],
    [{ acme: { ...OWN, refresh_url: "http://id.acme.dev/token" } }, "/acme/refresh_url must be"],
    [{ acme: { ...OWN, token_body: "xml" } }, "/acme/token_body"],
    [{ acme: { ...OWN, token_header: "a b: Bearer" } }, "/acme/token_header"],
    [{ acme: { ...OWN, scope_separator: "ab" } }, "/acme/scope_separator"],
    [
      { acme: { ...OWN, userinfo: { url: "http://api.acme.dev/me", id: "/id" } } },
      "/acme/userinfo/url must be",
    ],
    [{ acme: { ...OWN, userinfo: { url: "https://api.acme.dev/me" } } }, "/acme/userinfo/id"],
    [{ acme: { ...OWN, site: "acme" } }, "/acme/site must be absent"],
    [{ acme: { ...OWN, token_url: "https://{site}/token" } }, "/acme/site must be given"],
    [{ acme: { ...OWN, hosts: ["api.{site}"] } }, "/acme/site must be given"],
    [{ zendesk: { ...CLIENT, site: "acme.zendesk.com" } }, "/zendesk/site must be a Zendesk subdomain"],
    [{ google: { ...CLIENT, tenants: "acme" } }, "/google/tenants must be"],
    [{ crm: { kind: "key", as: "header", hosts: ["api.crm.dev"] } }, "/crm/as must be"],
    [{ crm: { kind: "key", as: { header: "a b" }, hosts: ["api.crm.dev"] } }, "/crm/as"],
    [{ crm: { kind: "key", as: "bearer" } }, "/crm/hosts must be"],
    [{ "a b": OWN }, "/a b must be a name"],
    [[], "it must be an object"],
  ])("that is %o is refused by its field", (value, said) => {
    const parsed = parse(value);
    expect(parsed.ok).toBe(false);
    expect(!parsed.ok && parsed.error).toContain(said);
  });

  test("has the site of a deployment in every address, and the default of a preset where a request names none", () => {
    const fixed = parse({ zendesk: { ...CLIENT, site: "acme" }, gitlab: CLIENT, salesforce: CLIENT });
    const at = (name: string) => (fixed.ok ? (fixed.value.get(name) as OAuthConnector) : undefined);
    expect(at("zendesk")).toMatchObject({
      site: null,
      tokenUrl: "https://acme.zendesk.com/oauth/tokens",
      origins: new Set(["https://acme.zendesk.com"]),
    });
    expect(at("gitlab")).toMatchObject({ site: null, tokenUrl: "https://gitlab.com/oauth/token" });
    const salesforce = atSite(at("salesforce")!);
    expect(salesforce.tokenUrl).toBe("https://login.salesforce.com/services/oauth2/token");
    expect(hasOrigin(at("salesforce")!, "https://acme.my.salesforce.com")).toBe(true);
    expect(hasOrigin(at("salesforce")!, "https://salesforce.com.evil.dev")).toBe(false);
    const intercom = preset("intercom");
    expect(atSite(intercom).tokenUrl).toBe("https://api.intercom.io/auth/eagle/token");
    expect(atSite(intercom, "eu").tokenUrl).toBe("https://api.eu.intercom.io/auth/eagle/token");
  });

  test("may name plain http where the deployment trusts it, as a sandbox does", () => {
    const origin = "http://127.0.0.1:9911";
    const own = { ...OWN, authorize_url: `${origin}/a`, token_url: `${origin}/t`, hosts: [origin] };
    expect(parse({ acme: own }, [origin]).ok).toBe(true);
    expect(parse({ acme: own }).ok).toBe(false);
  });
});

describe("Scopes", () => {
  test("are short in Volley and whole at the provider", () => {
    expect(toAskedScopes(["calendar.events", "https://mail.google.com/"], preset("google"))).toEqual([
      "https://www.googleapis.com/auth/calendar.events",
      "https://mail.google.com/",
      "openid",
      "email",
    ]);
  });

  test("that include others cover them", () => {
    expect(missingScopes(["public_repo", "read:org"], ["repo"], preset("github"))).toEqual(["read:org"]);
    expect(missingScopes(["read:org"], ["admin:org"], preset("github"))).toEqual([]);
    const granted = ["https://www.googleapis.com/auth/gmail.modify"];
    expect(missingScopes(["gmail.send", "calendar"], granted, preset("google"))).toEqual(["calendar"]);
  });
});
