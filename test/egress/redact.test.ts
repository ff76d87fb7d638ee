import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createRedactor } from "../../src/egress/redact.ts";

const SECRET = 'sk/live+4f9=Q?&"\\é ü';

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function percentLower(text: string): string {
  return encodeURIComponent(text).replaceAll(/%../g, (escape) => escape.toLowerCase());
}

describe("createRedactor()", () => {
  it.each([
    ["raw", SECRET],
    ["inside other text", `Bearer ${SECRET}.`],
    ["JSON in a string", JSON.stringify({ echo: SECRET })],
    ["JSON with escaped slashes in a string", JSON.stringify({ echo: SECRET }).replaceAll("/", "\\/")],
    ["percent-encoded", encodeURIComponent(SECRET)],
    ["percent-encoded in lower case", percentLower(SECRET)],
    ["percent-encoded by encodeURI", encodeURI(SECRET)],
    ["a form", new URLSearchParams({ key: SECRET }).toString()],
  ])("finds a secret written as %s", (_, text) => {
    const redacted = createRedactor([SECRET])(JSON.stringify({ text }));

    expect(JSON.parse(redacted).text).toContain("[redacted]");
    expect(redacted).not.toContain("4f9");
  });

  it.each(["", "u", "us", "Bearer ", "user:"])("finds base64 of %j and the secret", (prefix) => {
    for (const suffix of ["", "x", "xy"]) {
      const text = base64(prefix + SECRET + suffix);
      const redacted = createRedactor([SECRET])(
        JSON.stringify([text, text.replaceAll("+", "-").replaceAll("/", "_")]),
      );

      for (const part of JSON.parse(redacted)) expect(part).toContain("[redacted]");
    }
  });

  it("replaces every occurrence, in keys as well, and nothing else", () => {
    const redact = createRedactor(["s3cr3t-key", "0ther-key"]);

    expect(redact('{"s3cr3t-key":["a","0ther-key s3cr3t-key"],"b":1.50}')).toBe(
      '{"[redacted]":["a","[redacted] [redacted]"],"b":1.50}',
    );
  });

  it("replaces the longer of two secrets of which one begins with the other", () => {
    expect(createRedactor(["abcdef", "abcdef-123"])('"abcdef-123"')).toBe('"[redacted]"');
  });

  it("returns the very same text when nothing matches or there is nothing to find", () => {
    const json = '{"a":"b"}';

    expect(createRedactor(["s3cr3t-key"])(json)).toBe(json);
    expect(createRedactor([])(json)).toBe(json);
  });

  it("ignores secrets that are too short to tell from ordinary text", () => {
    expect(createRedactor(["", "token"])('{"token":"token"}')).toBe('{"token":"token"}');
  });

  it("ignores the line break that a pasted secret ends with", () => {
    expect(createRedactor(["s3cr3t-key\n"])('"s3cr3t-key"')).toBe('"[redacted]"');
  });

  it.each([
    ["an escape's letter", "nabcdef", "\nabcdef", false],
    ["a code point's digits", "0001ab", "\u0001ab", false],
    ["an escape before the secret", "nabcdef", "\nnabcdef", true],
    ["a backslash before the secret", "nabcdef", "\\nabcdef", true],
  ])("tells %s from a secret", (_, secret, text, found) => {
    const redacted = JSON.parse(createRedactor([secret])(JSON.stringify({ text }))).text as string;

    expect(redacted.includes("[redacted]")).toBe(found);
  });

  it("turns a number that contains a secret into a string", () => {
    expect(createRedactor(["123456"])('{"pin":9123456,"n":12345,"x":[-123456]}')).toBe(
      '{"pin":"[redacted]","n":12345,"x":["[redacted]"]}',
    );
  });

  it("does not take JSON's own structure for a secret", () => {
    const json = '{"a":[1],"b":[2]}';

    expect(createRedactor(['],"b":['])(json)).toBe(json);
  });

  it("takes a secret of several kilobytes", () => {
    const key = `-----BEGIN-----\n${base64("x".repeat(12_000))}\n-----END-----`;

    expect(createRedactor([key])(JSON.stringify({ key }))).toBe('{"key":"[redacted]"}');
  });

  it("P7: lets no encoding of any secret through and keeps the JSON valid", () => {
    const secrets = fc.string({ minLength: 6, maxLength: 40, unit: "grapheme" }).filter((text) => {
      const trimmed = text.trim();
      return trimmed === text && text.length >= 6 && !"[redacted]".includes(text);
    });
    const encoders = [
      (text: string) => text,
      (text: string) => JSON.stringify(text).slice(1, -1),
      encodeURIComponent,
      percentLower,
    ];
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), fc.nat(3), (secret, before, after, which) => {
        const encoded = encoders[which]!(secret);
        const redacted = JSON.parse(
          createRedactor([secret])(JSON.stringify({ a: [before + encoded + after] })),
        );

        expect(redacted.a[0]).toContain("[redacted]");
        expect(redacted.a[0].replaceAll("[redacted]", "\0")).not.toContain(encoded);
      }),
    );
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), fc.boolean(), (secret, before, after, urlSafe) => {
        const text = Buffer.from(before + secret + after).toString(urlSafe ? "base64url" : "base64");
        const redacted = JSON.parse(createRedactor([secret])(JSON.stringify([text])));

        expect(redacted[0]).toContain("[redacted]");
        expect(Buffer.from(redacted[0], "base64").toString()).not.toContain(secret);
      }),
    );
  });

  it("keeps any JSON valid, whatever the secret", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.integer({ min: 6, max: 12 }), (text, start, length) => {
        const json = JSON.stringify(JSON.parse(text));
        const secret = json.slice(start % json.length).slice(0, length);

        expect(() => JSON.parse(createRedactor([secret])(json))).not.toThrow();
      }),
    );
  });
});
