import { expect, test } from "vitest";

import { guardCallback } from "../../src/egress/guard-callback.ts";

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
])("guardCallback() refuses %s", (url, why) => {
  const guarded = guardCallback(url, NONE);
  expect(guarded).toMatchObject({ ok: false, error: { code: "EGRESS_DENIED" } });
  expect(JSON.stringify(guarded)).toContain(why);
  expect(JSON.stringify(guarded)).not.toContain("geheim");
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
