import { describe, expect, it } from "vitest";

import { createUrlGuard, guardPublicUrl, guardUrl } from "../../../src/core/egress/guard-url.ts";

const DECLARED = new Set([
  "https://api.example.com",
  "https://api.example.com:8443",
  "https://xn--bcher-kva.example",
]);
const NONE = new Set<string>();

/** Hosts that must be refused even when a tool declares exactly them. */
const PRIVATE = [
  "https://127.0.0.1/",
  "https://127.1/",
  "https://127.0.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0x7f.1/",
  "https://0x7F.0x0.0x0.0x1/",
  "https://017700000001/",
  "https://0177.0.0.01/",
  "https://0/",
  "https://0.0.0.0/",
  "https://10.0.0.1/",
  "https://172.16.0.1/",
  "https://192.168.1.1/",
  "https://100.64.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://0xa9fea9fe/",
  "https://2852039166/",
  "https://8.8.8.8/",
  "https://127.0.0.1./",
  "https://１２７.０.０.１/",
  "https://①②⑦.⓪.⓪.①/",
  "https://127。0。0。1/",
  "https://%31%32%37.0.0.1/",
  "https://[::1]/",
  "https://[::]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::ffff:a9fe:a9fe]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[fe80::1]/",
  "https://[fd00:ec2::254]/",
  "https://[2001:db8::1]/",
  "https://localhost/",
  "https://LOCALHOST/",
  "https://localhost./",
  "https://localhost:8443/",
  "https://ｌｏｃａｌｈｏｓｔ/",
  "https://loc%61lhost/",
  "https://app.localhost/",
  "https://printer.local/",
  "https://db.internal/",
  "https://metadata.google.internal/computeMetadata/v1/",
  "https://metadata.goog/",
  "https://metadata/",
  "https://intranet/",
  "https://router.lan/",
  "https://router.home.arpa/",
  "https://web.default.svc/",
  "https://web.service.consul/",
  "https://abcdefghij.onion/",
  "https://box.tail1234.ts.net/",
  "https://router.home/",
  "https://instance-data.ec2.internal/",
  "https://metadata.azure.com/",
  "https://a.metadata.goog/",
  "https://127.0.0.1.nip.io:8443/",
  "https://api.example.com./",
];

/** Addresses that are wrong for a tool that declares `api.example.com`, and 8443 on it. */
const UNDECLARED = [
  "https://example.com/",
  "https://evil.com/",
  "https://api.example.com.evil.com/",
  "https://api.example.com\n.evil.com/",
  "https://api-example.com/",
  "https://apiexample.com/",
  "https://evil.com/https://api.example.com/",
  "https://evil.com?api.example.com",
  "https://evil.com#@api.example.com",
  "https://evil.com\\@api.example.com/",
  "https://api.example.com:22/",
  "https://api.example.com:80/",
  "https://api.example.com:8444/",
  "https://аpi.example.com/",
  "https://api.exampłe.com/",
  "https://sub.api.example.com/",
  "https://127.0.0.1.nip.io/",
  "http://api.example.com/",
  "http://api.example.com:443/",
  "https://user@api.example.com/",
  "https://user:pass@api.example.com/",
  "https://:pass@api.example.com/",
  "https://api.example.com@evil.com/",
  "data:application/json,{}",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "ftp://api.example.com/",
  "ws://api.example.com/",
  "wss://api.example.com/",
  "gopher://api.example.com/",
  "blob:https://api.example.com/9b1d",
  "about:blank",
  "//api.example.com/",
  "/relative",
  "api.example.com",
  "https://",
  "https://[::1",
  "https://[fe80::1%25eth0]/",
  "https://256.256.256.256/",
  "https://1.2.3.4.5/",
  "https://api.example.com:99999/",
  "",
];

describe("P8: guardUrl()", () => {
  it.each(PRIVATE)("T09 refuses %j even when the tool declares it", (url) => {
    const declared = new Set([new URL(url).origin]);

    const result = guardUrl(url, declared, NONE);

    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.error).toMatchObject({ code: "EGRESS_DENIED", retryable: false });
  });

  it.each(UNDECLARED)("T09 refuses %j, which is not what the tool declares", (url) => {
    const result = guardUrl(url, DECLARED, NONE);

    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.error.code).toBe("EGRESS_DENIED");
  });

  it.each([
    ["https://api.example.com/v1?q=1", "https://api.example.com/v1?q=1"],
    ["HTTPS://API.EXAMPLE.COM:443/v1", "https://api.example.com/v1"],
    ["https://api.example.com:8443/", "https://api.example.com:8443/"],
    ["https://api.example.com/a/../../etc/passwd", "https://api.example.com/etc/passwd"],
    ["https://api.example.com/%2e%2e/x", "https://api.example.com/x"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ])("admits %j as %j", (url, href) => {
    const result = guardUrl(url, DECLARED, NONE);

    expect(result.ok && result.value.href).toBe(href);
  });

  it("checks a URL object as it checks text", () => {
    expect(guardUrl(new URL("https://api.example.com/"), DECLARED, NONE).ok).toBe(true);
    expect(guardUrl(new URL("https://evil.com/"), DECLARED, NONE).ok).toBe(false);
  });

  it.each([
    ["http://127.0.0.1:3000/hooks", true],
    ["http://localhost:3000/", true],
    ["http://app.localhost/", true],
    ["http://[::1]:3000/", true],
    ["https://10.0.0.1/", false],
    ["https://printer.local/", false],
  ])("refuses %s, and where it is this machine says how a development server lets it in", (url, isOwn) => {
    const guarded = guardPublicUrl(url, NONE);
    const hint = guarded.ok ? "" : (guarded.error.hint ?? "");

    expect(hint).toContain("only public host names may be called");
    expect(hint.includes("VOLLEY_DEV_ORIGINS")).toBe(isOwn);
  });

  it("lets a trusted origin be plain http and private, on its exact port", () => {
    const trusted = new Set(["http://127.0.0.1:9911"]);
    const declared = new Set(["http://127.0.0.1:9911", "http://127.0.0.1:9912"]);

    expect(guardUrl("http://127.0.0.1:9911/echo", declared, trusted).ok).toBe(true);
    expect(guardUrl("http://127.0.0.1:9912/echo", declared, trusted).ok).toBe(false);
  });

  it("does not take trust for a declaration", () => {
    expect(guardUrl("http://127.0.0.1:9911/", DECLARED, new Set(["http://127.0.0.1:9911"])).ok).toBe(false);
  });

  it("names the host and the rule, never path, query or user", () => {
    const result = guardUrl(
      "https://u53r:pa55@evil.com/s3cret-path?key=s3cret-query#s3cret-hash",
      DECLARED,
      NONE,
    );
    const undeclared = guardUrl("https://evil.com/s3cret-path?key=s3cret-query", DECLARED, NONE);

    const hints = [result, undeclared].map((refusal) => (refusal.ok ? "" : refusal.error.hint));
    expect(hints).toEqual([
      "The URL for 'evil.com' has a user name or password in it.",
      "'evil.com', on the port asked for, is not among the hosts that the tool declares.",
    ]);
  });
});

describe("createUrlGuard()", () => {
  it.each([...PRIVATE, ...UNDECLARED])("refuses %j for the same reason as guardUrl()", (url) => {
    const declared = new Set([...DECLARED, ...PRIVATE.map((host) => URL.parse(host)?.origin ?? "")]);
    expect(createUrlGuard(declared, NONE)(url)).toEqual(guardUrl(url, declared, NONE));
    expect(createUrlGuard(declared, NONE)(url).ok).toBe(guardUrl(url, declared, NONE).ok);
  });

  it.each([
    "https://user@api.example.com/",
    "https://:pw@api.example.com/",
    "blob:https://api.example.com/1",
  ])("takes %s for no address of its origin", (url) => {
    expect(createUrlGuard(DECLARED, NONE)(url).ok).toBe(false);
    expect(createUrlGuard(DECLARED, NONE)(new URL(url)).ok).toBe(false);
  });

  it("passes a declared origin with any path, and a trusted one over http", () => {
    expect(createUrlGuard(DECLARED, NONE)("https://api.example.com/v1?q=@x").ok).toBe(true);
    const local = new Set(["http://127.0.0.1:9911"]);
    expect(createUrlGuard(local, local)("http://127.0.0.1:9911/echo").ok).toBe(true);
    expect(createUrlGuard(local, NONE)("http://127.0.0.1:9911/echo").ok).toBe(false);
  });
});
