import { expect, test } from "vitest";

import { isBound, parseToolSecrets } from "../../../../src/features/added-tools/declared/secret-bindings.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";

const parse = (value: unknown): ReturnType<typeof parseToolSecrets> =>
  parseToolSecrets(JSON.stringify(value));

test("a secret is bound to every tenant and host that is named with it, and to nothing else", () => {
  const secrets = valueOf(
    parse({ CRM: { tenants: ["acme", "beta"], hosts: ["api.example.com", "http://127.0.0.1:9000"] } }),
  );
  const origin = "https://api.example.com";

  expect(isBound("CRM", { tenant: "acme", origin }, secrets)).toBe(true);
  expect(isBound("CRM", { tenant: "beta", origin: "http://127.0.0.1:9000" }, secrets)).toBe(true);
  expect(isBound("CRM", { tenant: "other", origin }, secrets)).toBe(false);
  expect(isBound("CRM", { tenant: "acme", origin: "http://api.example.com" }, secrets)).toBe(false);
  expect(isBound("CRM", { tenant: "acme", origin: "https://api.example.com:8443" }, secrets)).toBe(false);
  expect(isBound("CRM", { tenant: "acme", origin: "https://evil.api.example.com" }, secrets)).toBe(false);
  expect(isBound("toString", { tenant: "acme", origin }, secrets)).toBe(false);
});

test("a secret that only webhooks are signed with is a tenant's, and is carried to no host", () => {
  const secrets = valueOf(parse({ HOOK: { tenants: ["acme"], hosts: [] } }));
  expect(secrets.get("HOOK")?.tenants.has("acme")).toBe(true);
  expect(isBound("HOOK", { tenant: "acme", origin: "https://api.example.com" }, secrets)).toBe(false);
});

test.each([undefined, "", "  ", "{}"])("nothing is bound by %j", (text) => {
  expect(valueOf(parseToolSecrets(text)).size).toBe(0);
});

test.each<[unknown, RegExp]>([
  [[], /object of secrets/],
  [{ CRM: [] }, /'CRM' must be/],
  [{ CRM: { hosts: ["a.example.com"] } }, /'CRM' needs 'tenants'/],
  [{ CRM: { tenants: [], hosts: ["a.example.com"] } }, /'CRM' needs 'tenants'/],
  [{ CRM: { tenants: ["acme"] } }, /'CRM' needs 'hosts'/],
  [{ CRM: { tenants: ["acme"], hosts: [""] } }, /'CRM' needs 'hosts'/],
  [{ CRM: { tenants: ["acme"], hosts: ["a.example.com"], host: "b" } }, /'CRM' has a field 'host'/],
  [
    { CRM: { tenants: ["acme"], hosts: ["https://a.example.com/path"] } },
    /neither a host name nor an origin/,
  ],
  [{ CRM: { tenants: ["acme"], hosts: ["*.example.com"] } }, /neither a host name nor an origin/],
])("%j is refused, naming the secret", (value, reason) => {
  expect(errorOf(parse(value))).toMatch(reason);
});

test("text that is no JSON is refused without showing it", () => {
  expect(errorOf(parseToolSecrets("{secret"))).toBe("it must be JSON");
});
