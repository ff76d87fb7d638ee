import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { toBase64Url } from "../../../feature/kit.ts";
import type { People, SignInSecrets } from "../../../feature/gives.ts";
import type { Configured } from "../../../feature/define.ts";
import * as LIMITS from "../limits.ts";
import { checkIdClaims } from "../check-id-claims.ts";
import { fetchJson, RememberedDocument } from "./fetch-json.ts";
import type { Identity } from "./read-identity.ts";
import { UNKNOWN_KEY, verifyJwt, WRONG_SIGNATURE } from "./verify-jwt.ts";

/** The return of a person from the issuer. */
export interface Return {
  readonly query: URLSearchParams;
  readonly redirectUri: string;
  readonly secrets: SignInSecrets;
}

/** The addresses of an issuer. */
interface Metadata {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly keysAddress: string;
  /** It takes the client's secret in the form only. */
  readonly takesForm: boolean;
  /** It names itself in the answer that a person brings back (RFC 9207). */
  readonly namesItself: boolean;
}

type Finder = Awaited<ReturnType<People["load"]>>;

/** An issuer of OpenID Connect at which people sign in: code flow with PKCE and a nonce. Errors are words for the person, without a value. */
export class Issuer implements Finder {
  readonly #identity: Identity;
  readonly #configured: Configured;
  readonly #metadata: RememberedDocument<Metadata>;
  readonly #keys: RememberedDocument<readonly unknown[]>;

  constructor(identity: Identity, configured: Configured) {
    this.#identity = identity;
    this.#configured = configured;
    this.#metadata = new RememberedDocument(configured.ports.clock);
    this.#keys = new RememberedDocument(configured.ports.clock);
  }

  makeSecrets(): SignInSecrets {
    const [verifier, nonce] = [0, 1].map(() => toBase64Url(crypto.getRandomValues(new Uint8Array(32))));
    return { verifier: verifier!, nonce: nonce! };
  }

  reach(): Promise<Result<unknown, string>> {
    return this.#readMetadata();
  }

  /** The address at which a person signs in. */
  async addressFor(
    { verifier, nonce }: SignInSecrets,
    { state, redirectUri }: { readonly state: string; readonly redirectUri: string },
  ): Promise<Result<string, string>> {
    const metadata = await this.#readMetadata();
    if (!metadata.ok) return metadata;
    const digest = await this.#configured.ports.outside(
      crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)),
    );
    const url = new URL(metadata.value.authorizationEndpoint);
    const parameters = {
      response_type: "code",
      client_id: this.#identity.clientId,
      redirect_uri: redirectUri,
      scope: "openid",
      state,
      nonce,
      code_challenge: toBase64Url(new Uint8Array(digest)),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return ok(url.href);
  }

  /** Take the code of a person who returns, and find out who it is. */
  async identify({ query, redirectUri, secrets }: Return): Promise<Result<string, string>> {
    const from = query.get("iss");
    // The answer of another issuer (RFC 9207): its code must not be shown to this one.
    if (from !== null && from !== this.#identity.issuer) return err("the answer is of another issuer");
    const code = query.get("code");
    if (query.has("error") || code === null) return err("the issuer let nobody in");
    const metadata = await this.#readMetadata();
    if (!metadata.ok) return metadata;
    if (from === null && metadata.value.namesItself)
      return err("the answer does not say of which issuer it is");
    const token = await this.#redeem(code, { metadata: metadata.value, redirectUri, secrets });
    if (!token.ok) return token;
    const claims = await this.#verify(token.value, metadata.value);
    if (!claims.ok) return claims;
    const { issuer, clientId } = this.#identity;
    const nowMs = this.#configured.ports.clock.now();
    return checkIdClaims(claims.value, { issuer, clientId, nonce: secrets.nonce, nowMs });
  }

  async #redeem(
    code: string,
    {
      metadata,
      redirectUri,
      secrets,
    }: { readonly metadata: Metadata } & Pick<Return, "redirectUri" | "secrets">,
  ): Promise<Result<string, string>> {
    const { clientId, clientSecret } = this.#identity;
    const form = new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: secrets.verifier,
      ...(metadata.takesForm && { client_id: clientId, client_secret: clientSecret }),
    });
    // Each is form-encoded before (RFC 6749, 2.3.1).
    const basic = btoa([clientId, clientSecret].map((one) => encodeURIComponent(one)).join(":"));
    const headers = metadata.takesForm ? {} : { authorization: `Basic ${basic}` };
    const answered = await this.#fetch(metadata.tokenEndpoint, { form, headers });
    if (!answered.ok) return err(`the issuer gave no token: ${answered.error}`);
    const { id_token: token } = answered.value;
    return typeof token === "string" ? ok(token) : err("the issuer gave no ID token");
  }

  /** Verify an ID token. One that no key fits has the keys read again, because the issuer may have changed them, under the same names too. */
  async #verify(token: string, metadata: Metadata): Promise<Result<unknown, string>> {
    const read = () => this.#fetchKeys(metadata);
    const known = await this.#keys.read(read);
    if (!known.ok) return known;
    const verified = await this.#configured.ports.outside(verifyJwt(token, known.value));
    if (verified.ok || ![UNKNOWN_KEY, WRONG_SIGNATURE].includes(verified.error)) return verified;
    const again = await this.#keys.readAgain(read);
    if (!again.ok) return again;
    return again.value === known.value
      ? verified
      : this.#configured.ports.outside(verifyJwt(token, again.value));
  }

  async #fetchKeys({ keysAddress }: Metadata): Promise<Result<readonly unknown[], string>> {
    const read = await this.#fetch(keysAddress);
    if (!read.ok) return err(`the issuer's keys cannot be read: ${read.error}`);
    const { keys } = read.value;
    return Array.isArray(keys) ? ok(keys) : err("the issuer's keys cannot be read: there are none");
  }

  #readMetadata(): Promise<Result<Metadata, string>> {
    const { issuer } = this.#identity;
    return this.#metadata.read(async () => {
      const read = await this.#fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
      return read.ok
        ? toMetadata(read.value, issuer)
        : err(`the issuer's document cannot be read: ${read.error}`);
    });
  }

  async #fetch(address: string, more: Partial<Parameters<typeof fetchJson>[2]> = {}) {
    const fetched = await fetchJson(address, this.#configured, {
      maxBytes: LIMITS.issuerDocumentBytes,
      ...more,
    });
    if (!fetched.ok) return fetched;
    return isJsonObject(fetched.value) ? ok(fetched.value) : err("it is no JSON object");
  }
}

/** The document must be of the issuer that was asked for: one of another would lead to the addresses of that one. */
function toMetadata(document: JsonObject, issuer: string): Result<Metadata, string> {
  const { authorization_endpoint, token_endpoint, jwks_uri } = document;
  if (document["issuer"] !== issuer) return err("the issuer's document is of another issuer");
  const methods = document["token_endpoint_auth_methods_supported"] ?? ["client_secret_basic"];
  const isAddress = (value: unknown): value is string =>
    typeof value === "string" && /^https?:$/.test(URL.parse(value)?.protocol ?? "");
  if (!isAddress(authorization_endpoint) || !isAddress(token_endpoint) || !isAddress(jwks_uri))
    return err("the issuer's document lacks an address");
  return ok({
    authorizationEndpoint: authorization_endpoint,
    tokenEndpoint: token_endpoint,
    keysAddress: jwks_uri,
    takesForm: Array.isArray(methods) && !methods.includes("client_secret_basic"),
    namesItself: document["authorization_response_iss_parameter_supported"] === true,
  });
}
