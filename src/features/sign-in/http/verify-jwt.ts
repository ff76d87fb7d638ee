import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { attempt, attemptNow, err, ok, type Result } from "../../../feature/refuse.ts";

/** The algorithms that are checked, as WebCrypto names them. None is symmetric, and there is no `none`. */
const ALGORITHMS: Readonly<
  Record<
    string,
    { readonly kty: string; readonly crv?: string; readonly key: object; readonly check: object }
  >
> = {
  RS256: rsa("RSASSA-PKCS1-v1_5", "SHA-256"),
  RS384: rsa("RSASSA-PKCS1-v1_5", "SHA-384"),
  RS512: rsa("RSASSA-PKCS1-v1_5", "SHA-512"),
  PS256: rsa("RSA-PSS", "SHA-256", 32),
  ES256: ec("P-256", "SHA-256"),
  ES384: ec("P-384", "SHA-384"),
  EdDSA: { kty: "OKP", crv: "Ed25519", key: { name: "Ed25519" }, check: { name: "Ed25519" } },
};

function rsa(name: string, hash: string, saltLength?: number) {
  return {
    kty: "RSA",
    key: { name, hash },
    check: { name, ...(saltLength !== undefined && { saltLength }) },
  };
}

function ec(namedCurve: string, hash: string) {
  return { kty: "EC", crv: namedCurve, key: { name: "ECDSA", namedCurve }, check: { name: "ECDSA", hash } };
}

export const UNKNOWN_KEY = "the ID token is signed by an unknown key";
export const WRONG_SIGNATURE = "the ID token's signature is wrong";

/**
 * Verify a signed token with an issuer's keys, and read its claims; `UNKNOWN_KEY` where none of them may have signed it. The algorithm is
 * the token's only as far as the key is of that kind and curve.
 */
export async function verifyJwt(token: string, keys: readonly unknown[]): Promise<Result<unknown, string>> {
  const [header, payload, signature, ...more] = token.split(".");
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0)
    return err("the ID token has not the form of one");
  const read = attemptNow(() => readPart(header));
  if (!read.ok || !isJsonObject(read.value)) return err("the ID token has not the form of one");
  const { alg, kid, crit } = read.value;
  const algorithm = typeof alg === "string" && Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined;
  if (algorithm === undefined || crit !== undefined)
    return err("the ID token is signed in a way that is not known here");
  const able = keys.filter(
    (key): key is JsonObject =>
      isJsonObject(key) &&
      key["kty"] === algorithm.kty &&
      (algorithm.crv === undefined || key["crv"] === algorithm.crv) &&
      (key["use"] === undefined || key["use"] === "sig") &&
      (key["alg"] === undefined || key["alg"] === alg) &&
      (kid === undefined || key["kid"] === kid),
  );
  // Without a name of the key there must be no choice.
  if (able.length !== 1) return err(UNKNOWN_KEY);
  const { kty, n, e, crv, x, y } = able[0]!;
  const verified = await attempt(async () => {
    const key = await crypto.subtle.importKey(
      "jwk",
      JSON.parse(JSON.stringify({ kty, n, e, crv, x, y })) as JsonWebKey,
      algorithm.key as SubtleCryptoImportKeyAlgorithm,
      false,
      ["verify"],
    );
    const signed = new TextEncoder().encode(`${header}.${payload}`);
    return crypto.subtle.verify(
      algorithm.check as SubtleCryptoSignAlgorithm,
      key,
      fromBase64Url(signature),
      signed,
    );
  });
  if (!verified.ok || !verified.value) return err(WRONG_SIGNATURE);
  const claims = attemptNow(() => readPart(payload));
  return claims.ok ? ok(claims.value) : err("the ID token has no claims");
}

function readPart(text: string): unknown {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fromBase64Url(text)));
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]*$/.test(text)) throw new Error("Cannot read base64url: it has another character");
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
}
