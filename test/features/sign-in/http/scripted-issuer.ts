import type { Configured } from "../../../../src/cloudflare/configured.ts";
import { toBase64Url } from "../../../../src/core/kit/base64.ts";
import { Issuer } from "../../../../src/features/sign-in/http/issuer.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const ISSUER = "https://id.example.com";
const CLIENT = "volley";
export const HOUR = 3_600_000;
const ALGORITHMS = {
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2_048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
} as const;

interface IssuerKey {
  readonly alg: keyof typeof ALGORITHMS;
  readonly kid?: string | undefined;
  readonly privateKey: CryptoKey;
  readonly jwk: JsonWebKey;
}

/** Make a key of an issuer. */
export async function makeKey(alg: IssuerKey["alg"], kid?: string): Promise<IssuerKey> {
  const pair = await crypto.subtle.generateKey(ALGORITHMS[alg], true, ["sign", "verify"]);
  const { privateKey, publicKey } = pair as CryptoKeyPair;
  const { kty, n, e, crv, x, y } = (await crypto.subtle.exportKey("jwk", publicKey)) as JsonWebKey;
  return { alg, kid, privateKey, jwk: { kty, n, e, crv, x, y } as JsonWebKey };
}

/** An issuer in virtual time at which everybody signs in, and a deployment that trusts it. */
export class ScriptedIssuer {
  readonly clock = new VirtualClock(1_800_000_000_000);
  readonly issuer: Issuer;
  /** Its keys; it signs with the first. */
  keys: readonly IssuerKey[];
  /** The keys that it shows, where these are not its own. */
  publishes: readonly IssuerKey[] | undefined;
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  answers: "as it does" | "not at all" = "as it does";
  /** Paths that answer 503. */
  failing: readonly string[] = [];
  metadata: object = {};
  claims: object = {};
  /** Another text in place of the ID token that it signed. */
  replaces: (token: string) => string = (token) => token;

  constructor(keys: readonly IssuerKey[]) {
    this.keys = keys;
    const ports = {
      outside: <T>(work: Promise<T>) => work,
      clock: this.clock,
      fetch: (address: string, { signal }: RequestInit) => this.#answer(address, signal!),
    };
    const configured = { ports, trustedOrigins: new Set() } as unknown as Configured;
    const identity = { issuer: ISSUER, clientId: CLIENT, clientSecret: "secret", key: "model" };
    this.issuer = new Issuer(identity, configured);
  }

  /** The reading of a path so far. */
  count(path: string): number {
    return this.asked.filter((one) => one === path).length;
  }

  /** A person returns from the issuer. @returns the subject, or the words for the person */
  async signIn(query: Readonly<Record<string, string>> = { iss: ISSUER }): Promise<string> {
    const identified = await this.issuer.identify({
      query: new URLSearchParams({ code: "code", ...query }),
      redirectUri: "https://volley.example.com/back",
      secrets: { verifier: "v", nonce: "n" },
    });
    return identified.ok ? identified.value : identified.error;
  }

  /** A person is sent to the issuer. */
  async begin(): Promise<string> {
    const address = await this.issuer.addressFor(
      { verifier: "v", nonce: "n" },
      { state: "s", redirectUri: "https://volley.example.com/back" },
    );
    return address.ok ? "sent" : address.error;
  }

  async #answer(address: string, signal: AbortSignal): Promise<Response> {
    const { pathname } = new URL(address);
    this.asked.push(pathname);
    if (this.failing.includes(pathname)) return new Response(null, { status: 503 });
    if (this.answers === "not at all")
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    if (pathname === "/keys")
      return Response.json({ keys: (this.publishes ?? this.keys).map(({ jwk, kid }) => ({ ...jwk, kid })) });
    if (pathname === "/token") return Response.json({ id_token: this.replaces(await this.#makeToken()) });
    return Response.json({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/login`,
      token_endpoint: `${ISSUER}/token`,
      jwks_uri: `${ISSUER}/keys`,
      ...this.metadata,
    });
  }

  async #makeToken(): Promise<string> {
    const { alg, kid, privateKey } = this.keys[0]!;
    const now = Math.floor(this.clock.now() / 1_000);
    const head = toPart({ alg, kid });
    const claims = toPart({
      iss: ISSUER,
      sub: "ada",
      aud: CLIENT,
      exp: now + 300,
      iat: now,
      nonce: "n",
      ...this.claims,
    });
    const signed = new TextEncoder().encode(`${head}.${claims}`);
    const signature = await crypto.subtle.sign(ALGORITHMS[alg], privateKey, signed);
    return `${head}.${claims}.${toBase64Url(new Uint8Array(signature))}`;
  }
}

function toPart(value: object): string {
  return toBase64Url(new TextEncoder().encode(JSON.stringify(value)));
}
