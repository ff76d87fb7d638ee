import { expect, test } from "vitest";

import { isAllowedOrigin } from "../../src/cloudflare/http/guard-origin.ts";

const NONE = { hosts: new Set<string>(), origins: new Set<string>() };
const LISTED = { hosts: new Set(["volley.example.com"]), origins: new Set(["https://app.example.com"]) };

interface Sent {
  readonly url?: string;
  readonly host: string;
  readonly origin?: string;
}

function isAllowed({ url = "http://127.0.0.1:8787/mcp", host, origin }: Sent, allowed = NONE): boolean {
  return isAllowedOrigin(
    new Request(url, { method: "POST", headers: { host, ...(origin !== undefined && { origin }) } }),
    allowed,
  );
}

test.each(["127.0.0.1", "127.0.0.1:8787", "localhost:1", "LOCALHOST", "[::1]", "[::1]:8787"])(
  "isAllowedOrigin() lets a development server be reached as %s",
  (host) => {
    expect(isAllowed({ host })).toBe(true);
  },
);

test.each([
  "evil.example",
  "localhost.evil.example",
  "evil.example#localhost",
  "evil.example@localhost",
  "localhost/x",
  "localhost?x",
  "localhost#x",
  "127.0.0.2",
  "0.0.0.0",
  "[::ffff:127.0.0.1]",
  "localhost:99999",
  "[::1",
  "a b",
  "",
])("isAllowedOrigin() does not let it be reached as '%s' (DNS rebinding)", (host) => {
  expect(isAllowed({ host })).toBe(false);
});

test("isAllowedOrigin() leaves it to the routes which hosts lead here over https, unless some are listed", () => {
  const there = { url: "https://volley.example.com/mcp", host: "volley.example.com" };
  const elsewhere = { url: "https://other.example.com/mcp", host: "other.example.com" };
  expect([isAllowed(there), isAllowed(elsewhere)]).toEqual([true, true]);
  expect([isAllowed(there, LISTED), isAllowed(elsewhere, LISTED)]).toEqual([true, false]);
});

test.each([
  ["its own host", "https://volley.example.com", true],
  ["a listed one", "https://app.example.com", true],
  ["a listed one's other port", "https://app.example.com:8443", false],
  ["another host", "https://evil.example", false],
  ["one that begins like its own", "https://volley.example.com.evil.example", false],
  ["a page on the visitor's machine", "http://localhost:3000", false],
  ["none that can be named", "null", false],
  ["no origin at all", "volley.example.com", false],
])("isAllowedOrigin() of a page from %s (%s) says %s", (_, origin, allowed) => {
  const sent = { url: "https://volley.example.com/mcp", host: "volley.example.com", origin };
  expect(isAllowed(sent, LISTED)).toBe(allowed);
});

test.each(["http://localhost:3000", "http://127.0.0.1", "http://[::1]:5173"])(
  "isAllowedOrigin() lets a page of %s use a development server",
  (origin) => {
    expect(isAllowed({ host: "localhost:8787", origin })).toBe(true);
  },
);

test("isAllowedOrigin() lets a request with a bearer token come from any page, but not to a loopback name", () => {
  const sent = (url: string, authorization: string) =>
    isAllowedOrigin(
      new Request(url, {
        headers: { host: new URL(url).host, origin: "https://evil.example", authorization },
      }),
      NONE,
    );
  expect(sent("https://volley.example.com/mcp", "Bearer t")).toBe(true);
  expect(sent("https://volley.example.com/mcp", "Basic t")).toBe(false);
  expect(sent("https://volley.example.com/mcp", "Bearer ")).toBe(false);
  expect(sent("http://127.0.0.1:8787/mcp", "Bearer t")).toBe(false);
});
