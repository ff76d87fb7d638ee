import { expect } from "vitest";

import type { Tool } from "../../../../src/core/catalog/define-tool.ts";
import { connections } from "../../../../src/features/connections/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { keys } from "../../../../src/features/keys/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { tenantData } from "../../../../src/features/tenant-data/index.ts";
import type { Feature } from "../../../../src/cloudflare/feature.ts";
import { createTestVolley, type Routes } from "../../../../src/package/testing.ts";
import { challengeOf } from "../../../../src/features/connections/link-token.ts";

export const PROVIDER = "https://id.acme.dev";
export const API = "https://api.acme.dev";
export const APP = "https://app.acme.dev";
const VAULT_KEY = btoa("0123456789abcdef0123456789abcdef");

/** A provider's client, as an operator configures one. */
export const ACME = {
  client_id: "volley",
  client_secret: { secret: "ACME_SECRET" },
  authorize_url: `${PROVIDER}/authorize`,
  token_url: `${PROVIDER}/token`,
  revoke_url: `${PROVIDER}/revoke`,
  hosts: ["api.acme.dev"],
  scopes: ["mail.read"],
};

export const CONNECTORS = {
  acme: ACME,
  crm: { kind: "key", as: { header: "x-api-key" }, hosts: ["api.acme.dev"] },
};

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came
  readonly body: any;
}

interface Code {
  readonly challenge: string | null;
  readonly redirectUri: string;
  readonly scope: string;
  readonly account: string;
}

/** A provider that is strict: about the redirect, the proof key, the client, and that each code and refresh token is good once. */
function createProvider() {
  const codes = new Map<string, Code>();
  const refreshes = new Map<string, { account: string; scope: string }>();
  const seen = { exchanges: 0, refreshes: 0, revoked: [] as string[] };
  let made = 0;
  const state = {
    seen,
    expiresIn: 3_600 as number | undefined,
    rotates: true,
    /** Whether its id tokens have the account's id. */
    tellsIds: false,
    /** Runs before a token request is answered. */
    beforeToken: undefined as undefined | (() => unknown),
    /** Answers a refresh in its place. */
    onRefresh: undefined as undefined | (() => unknown),
    /** Whose access tokens are good. */
    accounts: new Map<string, string>(),
    refreshes,
    scopesGiven: undefined as string | undefined,
    /** A person signs in as an account, at the address that they were sent to. */
    signIn(authorizeUrl: string, account: string): string {
      const url = new URL(authorizeUrl);
      expect(url.origin + url.pathname).toBe(`${PROVIDER}/authorize`);
      const read = (name: string) => url.searchParams.get(name) ?? "";
      expect(read("response_type")).toBe("code");
      expect(read("client_id")).toBe("volley");
      expect(read("code_challenge_method")).toBe("S256");
      const code = `code-${(made += 1)}`;
      codes.set(code, {
        challenge: read("code_challenge"),
        redirectUri: read("redirect_uri"),
        scope: read("scope"),
        account,
      });
      const back = new URL(read("redirect_uri"));
      back.searchParams.set("state", read("state"));
      back.searchParams.set("code", code);
      return back.href;
    },
  };
  const give = (account: string, scope: string) => {
    const access = `access-${account}-${(made += 1)}`;
    const refresh = `refresh-${account}-${made}`;
    state.accounts.set(access, account);
    refreshes.set(refresh, { account, scope });
    const claims = btoa(
      JSON.stringify({ email: account, ...(state.tellsIds && { sub: `id of ${account}` }) }),
    );
    return {
      access_token: access,
      token_type: "Bearer",
      ...(state.expiresIn !== undefined && { expires_in: state.expiresIn }),
      ...(state.rotates && { refresh_token: refresh }),
      scope: state.scopesGiven ?? scope,
      id_token: `h.${claims}.s`,
    };
  };
  const refuse = (error: string) => Response.json({ error }, { status: 400 });
  const routes: Routes = {
    [`POST ${PROVIDER}/token`]: async ({ body }) => {
      await state.beforeToken?.();
      const form = new URLSearchParams(body);
      if (form.get("client_id") !== "volley" || form.get("client_secret") !== "geheim")
        return Response.json({ error: "invalid_client" }, { status: 401 });
      if (form.get("grant_type") === "authorization_code") {
        seen.exchanges += 1;
        const code = codes.get(form.get("code") ?? "");
        codes.delete(form.get("code") ?? "");
        if (code === undefined || code.redirectUri !== form.get("redirect_uri"))
          return refuse("invalid_grant");
        if (code.challenge !== challengeOf(form.get("code_verifier") ?? "")) return refuse("invalid_grant");
        return give(code.account, code.scope);
      }
      seen.refreshes += 1;
      if (state.onRefresh !== undefined) return state.onRefresh();
      const refresh = form.get("refresh_token") ?? "";
      const known = refreshes.get(refresh);
      if (known === undefined) return refuse("invalid_grant");
      if (state.rotates) refreshes.delete(refresh);
      return give(known.account, known.scope);
    },
    [`POST ${PROVIDER}/revoke`]: ({ body }) => {
      seen.revoked.push(new URLSearchParams(body).get("token") ?? "");
      return new Response(null, { status: 200 });
    },
    [`GET ${API}/mailbox`]: ({ headers }) => {
      const account = state.accounts.get((headers["authorization"] ?? "").replace("Bearer ", ""));
      return account === undefined ? Response.json({}, { status: 401 }) : { mailbox: account };
    },
  };
  return { state, routes };
}

export interface WorldOptions {
  readonly tools?: readonly Tool[];
  readonly features?: readonly Feature[];
  readonly env?: Readonly<Record<string, unknown>>;
  readonly routes?: Routes;
  readonly confirmsItself?: boolean;
  readonly key?: object;
}

/** Open a Volley with connections in virtual time, and a strict provider. */
export async function openConnections({
  tools = [],
  features = [],
  env = {},
  routes = {},
  confirmsItself = false,
  key = {},
}: WorldOptions = {}) {
  const provider = createProvider();
  const volley = await createTestVolley({
    tools,
    features: [
      discovery(),
      confirmations(),
      connections({ confirmsItself }),
      tenantData(),
      keys(),
      ...features,
    ],
    key: { flags: ["approve", "manage_connections", "manage_keys"], ...key },
    env: {
      VOLLEY_CONNECTORS: JSON.stringify(CONNECTORS),
      VOLLEY_VAULT_KEY: VAULT_KEY,
      VOLLEY_RETURN_ORIGINS: APP,
      ACME_SECRET: "geheim",
      ...env,
    },
    routes: { ...provider.routes, ...routes },
  });
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> => {
    const response = await volley.fetch(path, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = (response.headers.get("content-type") ?? "").includes("json");
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? null : isJson ? (JSON.parse(text) as unknown) : text,
    };
  };
  /** Open a link's page and send its form, as a person does. */
  const goOn = async (
    connectUrl: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> => {
    const path = new URL(connectUrl).pathname;
    const page = await send("GET", path, undefined, headers);
    const [, token = ""] = /name="form" value="([^"]*)"/.exec(String(page.body)) ?? [];
    return send("POST", path, new URLSearchParams({ form: token }).toString(), {
      ...headers,
      "content-type": "application/x-www-form-urlencoded",
    });
  };
  /** The whole way of a person with a link, to where it leads back. */
  const signIn = async (connectUrl: string, account: string): Promise<Answered> => {
    const gone = await goOn(connectUrl);
    expect(gone.status, String(gone.body)).toBe(303);
    const back = new URL(provider.state.signIn(gone.headers.get("location")!, account));
    return send("GET", back.pathname + back.search);
  };
  const start = async (wish: object = {}): Promise<Answered> =>
    send("POST", "/v1/connections", {
      connector: "acme",
      subject: "ada",
      return_to: `${APP}/done`,
      ...wish,
    });
  /** Connect an account, to its end. */
  const connect = async (subject: string, account: string, wish: object = {}): Promise<string> => {
    const started = await start({ subject, ...wish });
    expect(started.status, JSON.stringify(started.body)).toBe(201);
    const back = await signIn(started.body.connect_url as string, account);
    const code = new URL(back.headers.get("location")!).searchParams.get("code");
    const id = started.body.connection_id as string;
    const confirmed = await send("POST", `/v1/connections/${id}/confirm`, { code, subject });
    expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200);
    return id;
  };
  return { volley, provider: provider.state, send, goOn, signIn, start, connect };
}
