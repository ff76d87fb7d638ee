import { createHmac } from "node:crypto";

import { expect, test } from "vitest";

import { makeKey, ScriptedIssuer } from "./scripted-issuer.ts";

// Source: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation, whose points are named.

const key = await makeKey("RS256", "key");
const other = await makeKey("RS256", "key");
const hour = 3_600;

/** How an issuer's answer differs from one that signs ada in. */
type Changes = Partial<Pick<ScriptedIssuer, "keys" | "publishes" | "replaces">> & {
  readonly claims?: (nowS: number) => object;
};

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const claimsOf = (token: string): string => token.split(".")[1]!;
const withClaim = (name: string, value: unknown): Changes => ({ claims: () => ({ [name]: value }) });

const signedWith = (secret: string) => (token: string) => {
  const signed = `${part({ alg: "HS256", kid: "key" })}.${claimsOf(token)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
};

const CASES: readonly (readonly [point: number, title: string, changes: Changes, said: string])[] = [
  [1, "is encrypted, which nobody agreed on", { replaces: (token) => `${token}.x.y` }, "not the form"],
  [2, "names another issuer", withClaim("iss", "https://id.example.org"), "another issuer"],
  [2, "names the issuer in other letters", withClaim("iss", "https://id.example.com/"), "another issuer"],
  [2, "names no issuer", withClaim("iss", undefined), "another issuer"],
  [3, "is for another client", withClaim("aud", "other"), "another client"],
  [3, "is for no client", withClaim("aud", undefined), "another client"],
  [
    3,
    "is for others too, and does not say to whom it was given",
    withClaim("aud", ["volley", "other"]),
    "another client",
  ],
  [5, "was given to another client", withClaim("azp", "other"), "another client"],
  [
    6,
    "was changed after it was signed",
    {
      replaces: (token) => token.replace(claimsOf(token), part({ sub: "mallory" })),
    },
    "signature",
  ],
  [6, "is signed by another key of the same name", { keys: [other], publishes: [key] }, "signature"],
  [
    7,
    "is not signed",
    { replaces: (token) => `${part({ alg: "none" })}.${claimsOf(token)}.` },
    "not known here",
  ],
  [8, "is signed with the client's secret", { replaces: signedWith("secret") }, "not known here"],
  [
    8,
    "is signed with the public key as a secret",
    { replaces: signedWith(JSON.stringify(key.jwk)) },
    "not known here",
  ],
  [9, "has ended", { claims: (nowS) => ({ exp: nowS - hour }) }, "expired"],
  [10, "does not say when it was made", withClaim("iat", undefined), "not good yet"],
  [11, "has the nonce of another sign-in", withClaim("nonce", "other"), "another sign-in"],
];

async function signIn({ claims, ...changes }: Changes): Promise<string> {
  const issuer = Object.assign(new ScriptedIssuer([key]), changes);
  issuer.claims = claims?.(issuer.clock.now() / 1_000) ?? {};
  return issuer.signIn();
}

test("An ID token of which every point holds signs its person in", async () => {
  expect(CASES).toHaveLength(16);
  expect(await signIn({})).toBe("ada");
});

test.each(CASES)("T51 By point %i an ID token that %s signs nobody in", async (_, __, changes, said) => {
  expect(await signIn(changes)).toContain(said);
});
