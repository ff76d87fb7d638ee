import { expect, test } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { guardCallback } from "../../../src/core/egress/guard-callback.ts";

const NONE: ReadonlySet<string> = new Set();

test("guardCallback() lets public https addresses through, and trusted ones", () => {
  const url = "https://hooks.example.com/jobs?token=abc";
  expect(guardCallback(url, NONE)).toMatchObject({ ok: true, value: { href: url } });
  expect(guardCallback("https://hooks.example.com:443/x", NONE).ok).toBe(true);
  const local = new Set(["http://127.0.0.1:9911"]);
  expect(guardCallback("http://127.0.0.1:9911/hook", local).ok).toBe(true);
});

test.each([
  ["http://hooks.example.com/x", "over https only"],
  ["https://127.0.0.1/x", "an IP address"],
  ["https://2130706433/x", "an IP address"],
  ["https://[::1]/x", "an IP address"],
  ["https://localhost/x", "a local name"],
  ["https://metadata.google.internal/x", "a private name"],
  ["https://hooks.example.com./x", "trailing dot"],
  ["https://hooks.example.com:22/x", "port 443 only"],
  ["https://hooks.example.com:8443/x", "port 443 only"],
  ["ftp://hooks.example.com/x", "Only https"],
  ["data:text/plain,x", "Only https"],
  ["https://user:geheim@hooks.example.com/x?token=geheim", "a user name or password"],
])("T09 guardCallback() refuses %s", (url, why) => {
  const guarded = guardCallback(url, NONE);
  expect(guarded).toMatchObject({ ok: false, error: { code: "EGRESS_DENIED" } });
  expect(JSON.stringify(guarded)).toContain(why);
  expect(JSON.stringify(guarded)).not.toContain("geheim");
});

/** Names that no public resolver knows, or that lead to an instance's credentials. */
const NOT_PUBLIC = [
  "web.default.svc",
  "web.default.svc.cluster.local",
  "kubernetes.default",
  "web.service.consul",
  "abcdefghij.onion",
  "hooks.test",
  "probe.sandbox.test",
  "box.tail1234.ts.net",
  "ts.net",
  "router.home",
  "router.lan",
  "printer.local",
  "app.localhost",
  "db.corp",
  "wiki.intranet",
  "vault.private",
  "router.home.arpa",
  "1.0.0.127.in-addr.arpa",
  "hooks.example",
  "hooks.invalid",
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
  "metadata.azure.com",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "metadata.packet.net",
  "metadata.platformequinix.com",
  "metadata.oraclecloud.com",
  "169.254.169.254",
  "169.254.43518",
  "0xa9.0xfe.0xa9.0xfe",
  "0xa9fea9fe",
  "2852039166",
  "0251.0376.0251.0376",
  "100.100.100.200",
  "[fd00:ec2::254]",
  "[::ffff:169.254.169.254]",
  "127.0.0.1.nip.io",
  "10-0-0-1.sslip.io",
  "localtest.me",
  "redis",
];

/** The same name as callers may write it. */
const WRITINGS: Readonly<Record<string, (host: string) => string>> = {
  "as it is": (host) => host,
  "in capitals": (host) => host.toUpperCase(),
  "with a trailing dot": (host) => `${host}.`,
  "in full-width letters": (host) =>
    host.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
  "with ideographic dots": (host) => host.replaceAll(".", "\u3002"),
  "percent-encoded": (host) =>
    host.replaceAll(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`),
  "with a soft hyphen": (host) => `${host.slice(0, 1)}\u00ad${host.slice(1)}`,
};

test.each(Object.entries(WRITINGS))(
  "guardCallback() lets no name of a private network through %s",
  (_, write) => {
    for (const host of NOT_PUBLIC) {
      const guarded = guardCallback(`https://${write(host)}/hook`, NONE);
      expect([host, guarded.ok]).toEqual([host, false]);
    }
  },
);

test("guardCallback() takes a name for public that only looks like a private one", () => {
  for (const host of [
    "lan.example.com",
    "test.com",
    "svc.io",
    "myts.net",
    "example.org",
    "a.metadata.com",
    "home.pl",
  ])
    expect([host, guardCallback(`https://${host}/hook`, NONE).ok]).toEqual([host, true]);
  expect(guardCallback("https://probe.sandbox.test/x", new Set(["https://probe.sandbox.test"])).ok).toBe(
    true,
  );
});

test("guardCallback() takes an address of 2,000 characters and none of one more", () => {
  const address = (length: number): string => "https://hooks.example.com/".padEnd(length, "x");
  expect(guardCallback(address(LIMITS.callbackUrlLength), NONE).ok).toBe(true);
  expect(guardCallback(address(LIMITS.callbackUrlLength + 1), NONE).ok).toBe(false);
});

test.each([
  "",
  "/hook?token=geheim",
  "hooks.example.com",
  `https://example.com/?geheim=${"x".repeat(2_000)}`,
])("guardCallback() says of what is no address only how long it is", (text) => {
  const guarded = guardCallback(text, NONE);
  expect(guarded).toMatchObject({
    ok: false,
    error: { code: "INVALID_ACTION", issues: [{ path: "/callback_url" }] },
  });
  expect(JSON.stringify(guarded)).not.toContain("geheim");
});
