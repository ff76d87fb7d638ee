import { expect, test } from "vitest";

import { flawOf, SECRET_FLAWS } from "../../../../src/features/flows/hooks/secret-flaw.ts";
import { err, ok } from "../../../../src/core/kit/result.ts";
import { WHSEC } from "./sample-senders.ts";

test("flawOf() says why a secret is not there, whatever it is to verify", () => {
  for (const why of ["unbound", "unset", "lookup-failed"] as const)
    for (const verify of ["standard-webhooks", "github"]) expect(flawOf(verify, err(why))).toBe(why);
});

test("flawOf() finds any text good but for Standard Webhooks, which write their secrets in one way", () => {
  expect(flawOf("github", ok("geheim"))).toBeNull();
  expect(flawOf("standard-webhooks", ok("geheim"))).toBe("malformed");
  expect(flawOf("standard-webhooks", ok(WHSEC))).toBeNull();
});

test("every flaw says what the secret is, what was expected and what the operator does", () => {
  const flaws = Object.values(SECRET_FLAWS);
  expect(flaws).toHaveLength(4);
  for (const { is, expected, hint } of flaws) {
    expect(is).toMatch(/^(is|could) not /);
    expect(expected).toMatch(/secret/);
    expect(hint).toMatch(/operator/);
  }
});
