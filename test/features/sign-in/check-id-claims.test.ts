import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { checkIdClaims } from "../../../src/features/sign-in/check-id-claims.ts";

const NOW_S = 1_800_000_000;
const EXPECTED = { issuer: "https://id.example", clientId: "volley", nonce: "n", nowMs: 1_000 * NOW_S };
const CLAIMS = {
  iss: "https://id.example",
  sub: "person",
  aud: "volley",
  exp: NOW_S + 60,
  iat: NOW_S,
  nonce: "n",
};

describe("The claims of an ID token", () => {
  test("name the person where all of them agree", () => {
    expect(checkIdClaims(CLAIMS, EXPECTED)).toEqual({ ok: true, value: "person" });
    expect(checkIdClaims({ ...CLAIMS, aud: ["x", "volley"], azp: "volley" }, EXPECTED).ok).toBe(true);
  });

  test("may be a minute late or early, and no more", () => {
    const at = (changes: object) => checkIdClaims({ ...CLAIMS, ...changes }, EXPECTED).ok;
    expect([at({ exp: NOW_S - 59 }), at({ exp: NOW_S - 60 })]).toEqual([true, false]);
    expect([at({ nbf: NOW_S + 60 }), at({ nbf: NOW_S + 61 })]).toEqual([true, false]);
  });

  test("T51 name no person where one of them is anything else", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("iss", "aud", "exp", "nonce", "sub", "azp", "nbf", "iat"),
        fc.jsonValue(),
        (name, value) => {
          const isSame = (CLAIMS as Record<string, unknown>)[name] === value;
          const fits =
            (name === "sub" && typeof value === "string" && /^[!-~]([ -~]{0,253}[!-~])?$/.test(value)) ||
            (name === "exp" && typeof value === "number" && value > NOW_S) ||
            ((name === "nbf" || name === "iat") && typeof value === "number" && value <= NOW_S + 60);
          fc.pre(!isSame && !fits);
          expect(checkIdClaims({ ...CLAIMS, [name]: value }, EXPECTED).ok).toBe(false);
        },
      ),
    );
    for (const claims of [null, [], "x", 1]) expect(checkIdClaims(claims, EXPECTED).ok).toBe(false);
  });
});
