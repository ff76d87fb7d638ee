import { describe, expect, test } from "vitest";

import { type Caller } from "../../../src/core/contract/gate/caller.ts";
import {
  hasTokenForm,
  keyPrefix,
  ownerOf,
  signInOf,
  tenantPrefix,
  toCaller,
} from "../../../src/features/sign-in/sign-in.ts";
import { SHIPPED_FLAGS } from "../../../src/shipped.ts";

const KEY_FLAGS = Object.keys(SHIPPED_FLAGS);

const KEY: Caller = {
  name: "laptop",
  tenant: "acme",
  tools: ["*"],
  quota: { limit: 10, windowS: 60 },
  makers: [{ name: "admin", quota: { limit: 20, windowS: 60 } }],
  flags: KEY_FLAGS,
  endsAtMs: 5,
  jurisdiction: "eu",
  webhookSecret: "SECRET",
};

describe("The caller of a token", () => {
  test("T51 is the key, narrowed, with its quota, its makers and its end, and no right besides calling tools", () => {
    expect(toCaller(KEY, ["tools:read"], "person-1")).toEqual({
      name: "laptop",
      tenant: "acme",
      tools: ["tools:read *"],
      quota: KEY.quota,
      makers: KEY.makers,
      flags: [],
      namesNoSubject: true,
      endsAtMs: 5,
      jurisdiction: "eu",
      webhookSecret: "SECRET",
      subject: "person-1",
    });
  });

  test("acts for the person of its key, where the key is one person's", () => {
    expect(toCaller({ ...KEY, subject: "of-the-key" }, ["tools"], undefined).subject).toBe("of-the-key");
    expect(toCaller(KEY, ["tools"], undefined)).not.toHaveProperty("subject");
  });
});

describe("The owner of a sign-in", () => {
  const owner = ownerOf({ tenant: "acme", key: "laptop" });

  test("begins as its tenant's and its key's do, and is another for each person", () => {
    expect(owner.startsWith(tenantPrefix("acme"))).toBe(true);
    expect(owner.startsWith(keyPrefix({ tenant: "acme", key: "laptop" }))).toBe(true);
    const others = [
      { tenant: "acme", key: "other" },
      { tenant: "other", key: "laptop" },
      { tenant: "acme", key: "laptop", subject: "person-1" },
      { tenant: "acme/laptop", key: "" },
    ].map(ownerOf);
    expect(new Set([owner, ...others]).size).toBe(5);
  });

  test("stands in its tokens, which have a form of their own and tell nothing of the key's name", () => {
    const token = `${owner}:AAAAAAAAAAAAAAAA:${"b".repeat(32)}`;
    expect(hasTokenForm(token)).toBe(true);
    expect(signInOf(token)).toBe(`${owner}:AAAAAAAAAAAAAAAA`);
    expect(token).not.toMatch(/acme|laptop/);
    for (const text of [
      "",
      "a:b:c",
      token.slice(1),
      `${token}b`,
      `vk_${"A".repeat(43)}_00000000`,
      ` ${token}`,
    ])
      expect(hasTokenForm(text), text).toBe(false);
  });
});
