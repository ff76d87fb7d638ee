import { expect, test } from "vitest";

import { flawOf, SECRET_FLAWS } from "../../../../src/features/flows/hooks/webhook-secret.ts";
import { err, ok } from "../../../../src/core/kit/result.ts";
import { formsOfSent } from "../../../../src/features/flows/declaration/check-hook.ts";
import { WHSEC } from "./sample-senders.ts";

const standard = formsOfSent({ verify: "standard-webhooks", secret: "S" });
const github = formsOfSent({ verify: "github", secret: "S" });

test("flawOf() says why a secret is not there, whatever it is to verify", () => {
  for (const why of ["unbound", "unset", "lookup-failed"] as const)
    for (const forms of [standard, github, []]) expect(flawOf(forms, err(why))).toBe(why);
});

test("flawOf() finds any text good but for Standard Webhooks, which write their secrets in one way", () => {
  expect(flawOf(github, ok("geheim"))).toBeNull();
  expect(flawOf(standard, ok("geheim"))).toBe("malformed");
  expect(flawOf(standard, ok(WHSEC))).toBeNull();
  expect(flawOf(standard, ok(WHSEC.slice("whsec_".length)))).toBeNull();
  expect(flawOf(formsOfSent({ verify: "gitlab", secret: "S" }), ok("geheim")), "a token").toBeNull();
});

test("flawOf() finds a key that is not written as its form says", () => {
  const hex = formsOfSent({ verify: "hmac", secret: "S", header: "x-mac", key: "hex" });
  expect(flawOf(hex, ok("geheim"))).toBe("undecodable");
  expect(flawOf(hex, ok("00ff"))).toBeNull();
  const ed25519 = formsOfSent({ verify: "ed25519", secret: "S", header: "x-sig" });
  expect(flawOf(ed25519, ok("00ff"))).toBe("undecodable");
  expect(flawOf(ed25519, ok("00".repeat(32)))).toBeNull();
});

test("every flaw says what the secret is, what was expected and what the operator does", () => {
  const flaws = Object.values(SECRET_FLAWS);
  expect(flaws).toHaveLength(5);
  for (const { is, expected, hint } of flaws) {
    expect(is).toMatch(/^(is|could) not /);
    expect(expected).toMatch(/secret/);
    expect(hint).toMatch(/operator/);
  }
});
