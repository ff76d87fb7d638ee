import fc from "fast-check";
import ipaddr from "ipaddr.js";

import { createUrlGuard, guardPublicUrl, guardUrl } from "../../src/core/egress/guard-url.ts";
import { type Fuzz, lookAt } from "./fuzz.ts";

/** The declarations of a tool; some should not have been made, and declaring is no way in. */
const DECLARED = new Set([
  "https://api.example.com",
  "https://api.example.com:8443",
  "https://xn--bcher-kva.example",
  "http://api.example.com",
  "https://127.0.0.1",
  "https://[::1]",
  "https://169.254.169.254",
  "https://localhost",
  "https://metadata.google.internal",
  "https://db.internal",
]);

const numbers = fc.oneof(fc.nat(255), fc.constantFrom(0, 10, 127, 169, 172, 192, 254, 255));
/** One address in every spelling that readers of addresses take. */
const ipv4 = fc.tuple(numbers, numbers, numbers, numbers, fc.nat(8)).map(([a, b, c, d, how]) => {
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const octal = (n: number): string => `0${n.toString(8)}`;
  const hex = (n: number): string => `0x${n.toString(16)}`;
  return [
    `${a}.${b}.${c}.${d}`,
    String(whole),
    hex(whole),
    octal(whole),
    `${a}.${(b << 16) | (c << 8) | d}`,
    [a, b, c, d].map(octal).join("."),
    [a, b, c, d].map(hex).join("."),
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `${a}.${b}.${c}.${d}.`,
  ][how]!;
});
const ipv6 = fc.ipV6().map((address) => `[${address}]`);
const names = fc.constantFrom(
  "api.example.com",
  "API.EXAMPLE.COM",
  "api.example.com.",
  "xn--bcher-kva.example",
  "bücher.example",
  "api.example.com.evil.test",
  "evilapi.example.com",
  "localhost",
  "a.localhost",
  "db.internal",
  "metadata",
  "metadata.google.internal",
  "printer.local",
  "127.0.0.1.nip.io",
  "router.home.arpa",
  "ｌocalhost",
  "api。example。com",
  "аpi.example.com",
  "api%2eexample%2ecom",
  "%6cocalhost",
  "①②⑦.0.0.1",
);
const hosts = fc.oneof(
  ipv4,
  ipv6,
  names,
  fc.domain(),
  // The same with one character somewhere changed for another that may be read otherwise.
  fc
    .tuple(
      fc.oneof(ipv4, names),
      fc.nat(),
      fc.constantFrom("%2e", "。", "\t", "\u00ad", "\u200b", "@", "\\", "/", "#", "?", ":"),
    )
    .map(
      ([host, at, other]) =>
        host.slice(0, at % (host.length + 1)) + other + host.slice(at % (host.length + 1)),
    ),
);
const urls = fc
  .tuple(
    fc.constantFrom(
      "https://",
      "https://",
      "https://",
      "http://",
      "HTTPS://",
      "https:/",
      "https:",
      "//",
      "ftp://",
      "data:",
      "blob:https://",
      "javascript:",
      " https://",
      "https:\\\\",
    ),
    fc.constantFrom("", "", "", "user@", "user:secret@", "@", "api.example.com@", "%40"),
    hosts,
    fc.constantFrom("", "", "", ":443", ":8443", ":80", ":0", ":99999", ":"),
    fc.constantFrom(
      "",
      "/",
      "/v1/items?q=1",
      "/../..",
      "\\..\\",
      "?q",
      "#f",
      "/%2e%2e/",
      "//other.example.com/",
      "/\n",
    ),
  )
  .map((parts) => parts.join(""));

/** The address that the platform would connect to, judged by another reader of addresses. */
function judge(url: string): { readonly isSafe: boolean; readonly origin: string } | null {
  if (!URL.canParse(url)) return null;
  const { protocol, username, password, hostname, origin } = new URL(url);
  const bare = hostname.replace(/^\[|\]$/g, "");
  const labels = bare.split(".");
  const isAddress = ipaddr.isValid(bare) || /^(?:\d+|0x[\da-f]*)$/i.test(labels.at(-1)!);
  const isLocal = labels.length < 2 || /(?:^|\.)(?:localhost|local|internal|home\.arpa|)$/.test(bare);
  return {
    isSafe: protocol === "https:" && `${username}${password}` === "" && !isAddress && !isLocal,
    origin,
  };
}

/** The guard of addresses, against the platform's own reading and a library's. */
export const URLS: Fuzz = {
  title: "urls",
  runs: 300_000,
  look: (how) =>
    lookAt(
      fc.property(urls, (url) => {
        const judged = judge(url);
        const guard = createUrlGuard(DECLARED, new Set());
        for (const guarded of [
          guardUrl(url, DECLARED, new Set()),
          guard(url),
          guardPublicUrl(url, new Set()),
        ]) {
          if (!guarded.ok) continue;
          if (judged === null || !judged.isSafe)
            throw new Error(`'${url}' was let out to ${guarded.value.href}`);
          if (guarded.value.href !== new URL(url).href)
            throw new Error(`'${url}' became ${guarded.value.href}`);
        }
        const atOnce = guard.originOf(url);
        if (atOnce !== null && (judged === null || !judged.isSafe || judged.origin !== atOnce))
          throw new Error(`'${url}' passed at a glance as ${atOnce}`);
        const isDeclared = judged !== null && judged.isSafe && judged.origin === "https://api.example.com";
        if (isDeclared && !guard(url).ok) throw new Error(`'${url}' is declared and was refused`);
        if (guard(url).ok && !DECLARED.has(judged!.origin)) throw new Error(`'${url}' is not declared`);
      }),
      how,
    ),
};
