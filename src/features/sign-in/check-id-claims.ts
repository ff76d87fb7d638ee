import { isJsonObject } from "../../feature/schema.ts";
import { err, ok, type Result } from "../../feature/refuse.ts";
import { SUBJECT } from "../../feature/caller.ts";
import * as LIMITS from "./limits.ts";

/** The facts that an ID token must agree with. */
export interface Expected {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly nowMs: number;
}

/**
 * Check the claims of an ID token whose signature was checked, and take its subject. The error says which claim is wrong, and no value.
 *
 * Source: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
export function checkIdClaims(claims: unknown, expected: Expected): Result<string, string> {
  if (!isJsonObject(claims)) return err("the ID token has no claims");
  const { iss, sub, aud, azp, exp, nbf, iat, nonce } = claims;
  if (iss !== expected.issuer) return err("the ID token is of another issuer");
  const audience: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audience.includes(expected.clientId)) return err("the ID token is for another client");
  if ((audience.length > 1 || azp !== undefined) && azp !== expected.clientId)
    return err("the ID token was given to another client");
  if (typeof exp !== "number" || 1_000 * exp + LIMITS.issuerSkewMs <= expected.nowMs)
    return err("the ID token has expired");
  const isToCome = (time: unknown): boolean =>
    typeof time !== "number" || 1_000 * time - LIMITS.issuerSkewMs > expected.nowMs;
  // Each token says when it was made.
  if ((nbf !== undefined && isToCome(nbf)) || isToCome(iat)) return err("the ID token is not good yet");
  if (nonce !== expected.nonce) return err("the ID token is of another sign-in");
  if (typeof sub !== "string" || !SUBJECT.test(sub))
    return err("the issuer names the person with characters that a subject may not have");
  return ok(sub);
}
