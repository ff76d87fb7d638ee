import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const CLIENT = { id: "volley-client", secret: "issuer-client-secret" };

/** A code that the issuer gave out. */
interface Given {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirectUri: string;
}

/** The changes of a test to what the issuer answers. */
export interface IssuerFlaws {
  /** Claims of the ID token besides the right ones. */
  readonly claims?: object;
  /** The ID token as it is sent, made of the right one. */
  readonly token?: (token: string) => string;
  /** Parameters that go back to the client besides the code. */
  readonly returned?: Readonly<Record<string, string>>;
  /** Fields of the discovery document. */
  readonly metadata?: object;
}

/** An issuer of OpenID Connect at a port of its own. It is strict about PKCE, addresses and its client, and signs in everybody at once. */
export class FakeIssuer {
  readonly url: string;
  /** Who signs in next. */
  subject = "person-1";
  flaws: IssuerFlaws = {};
  /** Requests by path. */
  readonly asked: string[] = [];
  readonly #server: Server;
  readonly #codes = new Map<string, Given>();
  #key: { readonly kid: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject };

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#key = makeKey("key-1");
    server.on("request", (request, response) => {
      void this.#answer(request).then(({ status, headers = {}, body }) => {
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(body === undefined ? "" : JSON.stringify(body));
      });
    });
  }

  static async start(): Promise<FakeIssuer> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeIssuer(server);
  }

  get clientSecret(): string {
    return CLIENT.secret;
  }

  /** `VOLLEY_IDENTITY` for it. */
  identity(key: string): string {
    return JSON.stringify({
      issuer: this.url,
      client_id: CLIENT.id,
      client_secret: { secret: "ISSUER_SECRET" },
      key,
    });
  }

  /** Sign with another key from now on. */
  rotate(): void {
    this.#key = makeKey("key-2");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #answer(
    request: IncomingMessage,
  ): Promise<{ status: number; headers?: Record<string, string>; body?: object }> {
    const url = new URL(request.url!, this.url);
    this.asked.push(url.pathname);
    if (url.pathname === "/.well-known/openid-configuration") return { status: 200, body: this.#metadata() };
    if (url.pathname === "/keys") {
      const { kid, publicKey } = this.#key;
      return { status: 200, body: { keys: [{ ...publicKey.export({ format: "jwk" }), kid, use: "sig" }] } };
    }
    if (url.pathname === "/login") return this.#login(url.searchParams);
    if (url.pathname !== "/token") return { status: 404 };
    let text = "";
    for await (const chunk of request) text += String(chunk);
    return this.#token(new URLSearchParams(text), request.headers.authorization ?? "");
  }

  #metadata(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/login`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/keys`,
      ...this.flaws.metadata,
    };
  }

  #login(query: URLSearchParams) {
    const wrong =
      query.get("response_type") !== "code" ||
      query.get("client_id") !== CLIENT.id ||
      query.get("code_challenge_method") !== "S256" ||
      !query.get("scope")?.split(" ").includes("openid") ||
      [query.get("state"), query.get("nonce"), query.get("code_challenge")].includes(null);
    if (wrong) return { status: 400, body: { error: "invalid_request" } };
    const code = createHash("sha256")
      .update(`${query.get("nonce")}`)
      .digest("base64url");
    const redirectUri = query.get("redirect_uri")!;
    this.#codes.set(code, {
      challenge: query.get("code_challenge")!,
      nonce: query.get("nonce")!,
      redirectUri,
    });
    const back = new URL(redirectUri);
    const parameters = { code, state: query.get("state")!, iss: this.url, ...this.flaws.returned };
    for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value);
    return { status: 302, headers: { location: back.href } };
  }

  #token(form: URLSearchParams, authorization: string) {
    const basic = Buffer.from(authorization.replace(/^Basic /, ""), "base64").toString();
    if (basic !== `${CLIENT.id}:${CLIENT.secret}`) return { status: 401, body: { error: "invalid_client" } };
    const code = form.get("code") ?? "";
    const given = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (
      given === undefined ||
      given.challenge !== challenge ||
      given.redirectUri !== form.get("redirect_uri") ||
      form.get("grant_type") !== "authorization_code"
    )
      return { status: 400, body: { error: "invalid_grant" } };
    const now = Math.floor(Date.now() / 1_000);
    const token = this.#sign({
      iss: this.url,
      sub: this.subject,
      aud: CLIENT.id,
      iat: now,
      exp: now + 300,
      nonce: given.nonce,
      ...this.flaws.claims,
    });
    return {
      status: 200,
      body: {
        access_token: "issuer-access-token",
        token_type: "Bearer",
        id_token: this.flaws.token?.(token) ?? token,
      },
    };
  }

  #sign(claims: object): string {
    const { kid, privateKey } = this.#key;
    const head = toPart({ alg: "ES256", typ: "JWT", kid });
    const text = `${head}.${toPart(claims)}`;
    return `${text}.${sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
  }
}

/** Write a part of a token. */
export function toPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function makeKey(kid: string) {
  return { kid, ...generateKeyPairSync("ec", { namedCurve: "P-256" }) };
}
