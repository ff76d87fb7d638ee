import { HostileUpstream } from "./hostile-upstream.ts";

/** A provider of accounts at a port of its own, with an API that says whose account a token is of. People sign in at once. */
export class FakeProvider implements AsyncDisposable {
  readonly upstream: HostileUpstream;
  /** How long an access token is good, in seconds. */
  expiresInS = 3_600;
  readonly revoked: string[] = [];
  readonly #accounts = new Map<string, string>();
  readonly #refreshes = new Map<string, string>();
  #made = 0;

  private constructor(upstream: HostileUpstream) {
    this.upstream = upstream;
    upstream.script("/oauth/token", (_, response, __, { body }) => {
      const form = new URLSearchParams(body);
      const account =
        form.get("grant_type") === "refresh_token"
          ? this.#refreshes.get(form.get("refresh_token") ?? "")
          : (form.get("code") ?? "").replace("code-of-", "");
      const answer = account === undefined ? { error: "invalid_grant" } : this.#give(account);
      const status = account === undefined ? 400 : 200;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    upstream.script("/oauth/revoke", (_, response, __, { body }) => {
      this.revoked.push(new URLSearchParams(body).get("token") ?? "");
      response.writeHead(200).end();
    });
    upstream.script("/account", (_, response, __, { headers }) => {
      const account = this.#accounts.get((headers.authorization ?? "").replace("Bearer ", ""));
      response
        .writeHead(account === undefined ? 401 : 200, { "content-type": "application/json" })
        .end(JSON.stringify({ account }));
    });
  }

  static async start(): Promise<FakeProvider> {
    return new FakeProvider(await HostileUpstream.start());
  }

  /** The variables of a deployment that has this provider under the name `acme`. */
  get vars(): Readonly<Record<string, string>> {
    const { url } = this.upstream;
    const acme = {
      client_id: "volley",
      client_secret: { secret: "SANDBOX_CLIENT_SECRET" },
      authorize_url: `${url}/oauth/authorize`,
      token_url: `${url}/oauth/token`,
      revoke_url: `${url}/oauth/revoke`,
      hosts: [url],
      scopes: ["read"],
    };
    return { PROBE_ORIGIN: url, VOLLEY_CONNECTORS: JSON.stringify({ acme }) };
  }

  /** The declaration of a tool that says whose account it was given. */
  get tool(): object {
    return {
      summary: "Say whose account it is",
      description: "Say whose account it is.",
      category: "accounts",
      actions: ["read"],
      is_write: false,
      input_schema: { type: "object", properties: {} },
      http: { method: "GET", url: `${this.upstream.url}/account`, auth: { connection: "acme" } },
    };
  }

  /** A person signs in as an account, at the address that they were led to: the address that leads back. */
  signIn(authorizeUrl: URL, account: string): URL {
    const back = new URL(authorizeUrl.searchParams.get("redirect_uri")!);
    back.searchParams.set("state", authorizeUrl.searchParams.get("state")!);
    back.searchParams.set("code", `code-of-${account}`);
    return back;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.upstream[Symbol.asyncDispose]();
  }

  #give(account: string): object {
    this.#made += 1;
    const [access, refresh] = [`access-${account}-${this.#made}`, `refresh-${account}-${this.#made}`];
    this.#accounts.set(access, account);
    this.#refreshes.set(refresh, account);
    return { access_token: access, refresh_token: refresh, expires_in: this.expiresInS, scope: "read" };
  }
}
