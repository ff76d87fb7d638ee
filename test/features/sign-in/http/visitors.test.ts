import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { VisitorRates } from "../../../../src/cloudflare/http/visitor-rates.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { connections } from "../../../../src/features/connections/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { mcp } from "../../../../src/features/mcp/index.ts";
import { signIn } from "../../../../src/features/sign-in/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { trial } from "../../../support/trial.ts";

const from = (address?: string) => ({
  headers: new Headers(address === undefined ? {} : { "cf-connecting-ip": address }),
});

describe("The requests of visitors, who have no key", () => {
  const rates = () =>
    new VisitorRates({ each: { limit: 3, windowS: 3 }, all: { limit: 10, windowS: 10 }, visitors: 2 });

  test("T20 are counted by where they come from: a flood of one takes nothing of another's", () => {
    const visitors = rates();
    const draws = [1, 2, 3, 4].map(() => visitors.draw(from("192.0.2.1"), 0));
    expect(draws).toEqual([0, 0, 0, 1_000]);
    expect(visitors.draw(from("192.0.2.2"), 0)).toBe(0);
    expect(visitors.draw(from("192.0.2.1"), 1_000)).toBe(0);
  });

  test("T20 are those of one visitor from anywhere in a /64, of which its owner has every address", () => {
    const visitors = rates();
    for (const end of ["::1", ":a:b:c:d", "::"]) visitors.draw(from(`2001:db8:1:2${end}`), 0);
    expect(visitors.draw(from("2001:DB8:1:2::ffff"), 0)).toBe(1_000);
    expect(visitors.draw(from("2001:db8:1:3::1"), 0)).toBe(0);
    expect(visitors.draw(from("2001:db8::1"), 0)).toBe(0);
  });

  test("T20 are bounded together, also of those of whom nothing says where they are", () => {
    const visitors = rates();
    const draws = Array.from({ length: 11 }, () => visitors.draw(from(), 0));
    expect(draws.slice(0, 10).every((wait) => wait === 0)).toBe(true);
    expect(draws[10]).toBe(1_000);
    expect(visitors.draw(from("192.0.2.1"), 0)).toBe(1_000);
  });

  test("are not told apart on the machine of a development server", () => {
    const visitors = rates();
    const draws = Array.from({ length: 10 }, (_, n) =>
      visitors.draw(from(n % 2 === 0 ? "127.0.0.1" : "::1"), 0),
    );
    expect(draws.every((wait) => wait === 0)).toBe(true);
  });

  test("T20 are remembered of so many addresses only; the one that came last stays", () => {
    const visitors = rates();
    for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3"])
      visitors.draw(from(address), 0);
    // Forgotten, because two others came since.
    expect(visitors.draw(from("192.0.2.1"), 0)).toBe(0);
  });
});

describe("A flood of visitors", () => {
  trial.each([
    ["GET", "/authorize", "text/html"],
    ["POST", "/authorize", "text/html"],
    ["POST", "/authorize/choice", "text/html"],
    ["GET", "/authorize/callback", "text/html"],
    ["POST", "/oauth/token", "application/json"],
    ["POST", "/oauth/register", "application/json"],
    ["GET", "/connect/test/cn_0000000000000000000000000/x", "text/html"],
    ["GET", "/v1/connections/callback?state=x", "text/html"],
    ["GET", "/approvals/test/x", "text/html"],
    ["POST", "/approvals/test/x", "text/html"],
  ])("T20 T51 is told at %s %s when to come back, and no object is asked", async (method, path, type) => {
    const volley = await createTestVolley({
      tools: [],
      features: [discovery(), confirmations(), mcp(), connections(), signIn()],
    });
    const headers = { "cf-connecting-ip": "192.0.2.1", host: "volley.test" };
    for (let sent = 0; sent < LIMITS.visitorRequests; sent += 1)
      expect((await volley.fetch("/connect/test/x/y", { headers })).status).toBe(404);
    const refused = await volley.fetch(path, { method, headers });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("content-type")).toContain(type);
    expect(refused.headers.get("retry-after")).toBe("1");
    const other = await volley.fetch("/connect/test/x/y", { headers: { "cf-connecting-ip": "192.0.2.2" } });
    expect(other.status).toBe(404);
  });
});

trial(
  "No time passes while the page of consent is made: what seals its cookies is outside of virtual time",
  async () => {
    const volley = await createTestVolley({ tools: [], features: [discovery(), mcp(), signIn()] });
    const redirect = "https://app.example.com/callback";
    const headers = { "content-type": "application/json", host: "volley.test" };
    const body = JSON.stringify({ redirect_uris: [redirect], token_endpoint_auth_method: "none" });
    const made = await volley.fetch("/oauth/register", { method: "POST", headers, body });
    const { client_id } = (await made.json()) as { readonly client_id: string };
    const asked = new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri: redirect,
      code_challenge: "a".repeat(43),
      code_challenge_method: "S256",
    });
    const before = volley.now();
    for (let visit = 0; visit < 3; visit += 1)
      expect((await volley.fetch(`/authorize?${asked.toString()}`, { headers })).status).toBe(200);
    expect(volley.now()).toBe(before);
  },
);
