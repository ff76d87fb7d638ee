import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createPieceRedactor, createRedactor } from "../../../src/core/egress/redact.ts";
import { countLooks } from "../../support/count-looks.ts";
import { encodingsOf } from "../../support/secret-encodings.ts";
import { trial } from "../../support/trial.ts";

const SECRET = 'sk/live+4f9=Q?&"\\é ü';

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function percentLower(text: string): string {
  return encodeURIComponent(text).replaceAll(/%../g, (escape) => escape.toLowerCase());
}

const hex = (text: string, between = ""): string =>
  Array.from(Buffer.from(text), (byte) => byte.toString(16).padStart(2, "0")).join(between);
const percentAll = (text: string): string => `%${hex(text, "%")}`;
const entities = (text: string, write: (code: number) => string): string =>
  Array.from(text, (character) => write(character.codePointAt(0)!)).join("");
const escapeHtml = (text: string): string =>
  text.replaceAll(
    /[&<>"']/g,
    (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[one]!,
  );
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const units = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, "0"))
    .map((unit) => `\\u${unit}`)
    .join("");
const twice =
  (encode: (text: string) => string) =>
  (text: string): string =>
    encode(encode(text));

/** Ways in which an upstream may repeat a secret. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  "hex digits": (text) => hex(text),
  "hex digits in capitals": (text) => hex(text).toUpperCase(),
  "hex digits with colons": (text) => hex(text, ":"),
  "hex digits with spaces": (text) => hex(text, " "),
  "hex digits with dashes in capitals": (text) => hex(text, "-").toUpperCase(),
  "hex digits in lines": (text) => hex(text, "\n  "),
  "hex numbers": (text) => hex(text, ", 0x"),
  "escaped bytes": (text) => `\\x${hex(text, "\\x")}`,
  "percent signs throughout": percentAll,
  "percent signs throughout in capitals": (text) => percentAll(text).toUpperCase(),
  "percent-encoded twice": twice(encodeURIComponent),
  "percent signs throughout, twice": twice(percentAll),
  "percent-encoded three times": (text) => encodeURIComponent(twice(encodeURIComponent)(text)),
  "decimal entities": (text) => entities(text, (code) => `&#${code};`),
  "decimal entities with zeros": (text) => entities(text, (code) => `&#${String(code).padStart(7, "0")};`),
  "hex entities": (text) => entities(text, (code) => `&#x${code.toString(16)};`),
  "hex entities in capitals": (text) => entities(text, (code) => `&#X${code.toString(16).toUpperCase()};`),
  "named entities": escapeHtml,
  "named entities twice": twice(escapeHtml),
  "entities of entities": (text) => escapeHtml(entities(text, (code) => `&#${code};`)),
  "JSON twice": twice(json),
  "JSON three times": (text) => json(json(json(text))),
  "JSON with every character escaped": units,
  "JSON with every character escaped, twice": (text) => json(units(text)),
  "JSON with code points": (text) => entities(text, (code) => `\\u{${code.toString(16)}}`),
  "JSON with escaped slashes, twice": (text) => json(json(text).replaceAll("/", "\\/")),
  "JSON with entities": (text) => json(escapeHtml(text)).replaceAll("&", "\\u0026"),
  "base64 that is percent-encoded": (text) => percentAll(base64(text).replaceAll(/.?=+$/g, "")),
};

describe("createRedactor()", () => {
  trial.each([
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

  it.each(Object.entries(ENCODINGS))("finds a secret written as %s", (_, encode) => {
    for (const secret of [
      SECRET,
      "sandbox-probe-secret",
      "Zm9v+/9=\\\\x%25y",
      "p\u00e4ss\u{1f511}w\u00f6rd",
    ]) {
      for (const text of [encode(secret), `Bearer ${encode(secret)}.`, `\\\\%&${encode(secret)}`]) {
        const redacted = JSON.parse(createRedactor([secret])(JSON.stringify({ text }))).text as string;
        expect([secret, redacted]).toEqual([secret, text.replace(encode(secret), "[redacted]")]);
      }
    }
  });

  trial.each([64, 76, 1])(
    "finds base64 of a secret among other bytes, broken every %i characters",
    (width) => {
      for (const ending of ["\n", "\r\n", "\n    ", "\\n", "\\r\\n", "%0D%0A", "&#10;", " "]) {
        for (const before of [0, 1, 2, 40, 43, 44, 45]) {
          const text = base64(`${"a".repeat(before)}${SECRET}${"b".repeat(80)}`);
          for (const digits of [text, text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")]) {
            const wrapped = digits.match(new RegExp(`.{1,${width}}`, "g"))!.join(ending);
            const [redacted] = JSON.parse(createRedactor([SECRET])(JSON.stringify([wrapped])));
            expect(redacted).toContain("[redacted]");
            const left = (redacted as string).replaceAll(/\\[rn]|%0D|%0A|&#10;|\s/g, "");
            expect(Buffer.from(left.replace("[redacted]", ""), "base64").toString()).not.toContain("4f9");
          }
        }
      }
    },
  );

  it("leaves what only begins like a secret, and what is half of an escape", () => {
    const redact = createRedactor(["s3cr3t-key"]);
    for (const text of [
      "s3cr3t-ke",
      "s3cr3t%2dkez",
      "%",
      "&",
      "\\",
      "&#",
      "&#x",
      "\\u12",
      "\\u{",
      "%2",
      "&amp",
      "7333637233742d6b65",
    ])
      expect(JSON.parse(redact(JSON.stringify({ text })))).toEqual({ text });
  });

  it("takes what overlaps for one", () => {
    expect(createRedactor(["abcdef", "defgh123"])('"-abcdefgh123-"')).toBe('"-[redacted]-"');
    expect(createRedactor(["ababab"])('"ababababababab"')).toBe('"[redacted]"');
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

  it("finds a character whose UTF-8 begins with its own code", () => {
    const secret = "Ã     ¡";
    const redact = createRedactor([secret]);
    expect(redact(JSON.stringify(encodeURIComponent(secret)))).toBe('"[redacted]"');
    // As Latin-1, too.
    expect(redact('"%C3     %A1"')).toBe('"[redacted]"');
  });

  trial("P7: T16 lets no encoding of any secret through and keeps the JSON valid", () => {
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

  it("P7: T16 finds a secret of which each character is written in a way of its own", () => {
    const ways = [(text: string) => text, percentAll, twice(percentAll), units].concat(
      (text) => json(units(text)),
      (text) => entities(text, (code) => `&#${code};`),
      (text) => entities(text, (code) => `&amp;#x${code.toString(16)};`),
    );
    const written = fc.array(
      fc.tuple(fc.constantFrom(...Array.from("aZ09-_.~!/+= \u00e9\u20ac\u{1f511}")), fc.nat(6)),
      {
        minLength: 8,
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(written, fc.string(), fc.string(), (characters, before, after) => {
        const secret = characters.map(([character]) => character).join("");
        fc.pre(secret.trim() === secret);
        const text = characters.map(([character, way]) => ways[way]!(character)).join("");
        const redacted = JSON.parse(createRedactor([secret])(JSON.stringify([before + text + after])));
        expect(redacted[0]).toContain("[redacted]");
        expect(redacted[0]).not.toContain(text);
      }),
    );
  });

  trial.each([
    "\\",
    "%",
    "%25",
    "25",
    "&",
    "&amp;",
    "&#",
    "&#0",
    "\\u0073",
    "s",
    "sandbox-probe-secre",
    "%73",
    "7",
    "c2F\n",
    "\n",
    '"',
    "z".repeat(99),
  ])(
    "looks at no character more than nine times in the mean, when an upstream that knows the secret writes %j",
    (piece) => {
      const secret = "sandbox-probe-secret";
      const redact = createRedactor([secret]);
      const text = piece.repeat(4_096 / piece.length);
      for (const json of [JSON.stringify({ text }), JSON.stringify({ text, secret })])
        expect(countLooks(() => redact(json))).toBeLessThanOrEqual(9 * json.length);
    },
  );

  trial("keeps any JSON valid, whatever the secret", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.integer({ min: 6, max: 12 }), (text, start, length) => {
        const json = JSON.stringify(JSON.parse(text));
        const secret = json.slice(start % json.length).slice(0, length);

        expect(() => JSON.parse(createRedactor([secret])(json))).not.toThrow();
      }),
    );
  });
});

describe("createPieceRedactor()", () => {
  const inPieces = (secret: string, text: string, sizes: readonly number[]): string => {
    const redact = createPieceRedactor([secret]);
    const said: string[] = [];
    let held = "";
    for (let from = 0, n = 0; from < text.length; n += 1) {
      const to = from + sizes[n % sizes.length]!;
      const taken = redact(held + text.slice(from, to), to >= text.length);
      said.push(taken.clean);
      ({ held } = taken);
      from = to;
    }
    return said.join("") + held;
  };

  trial("finds in pieces what is found in the whole, wherever it is cut", () => {
    const text = fc.array(
      fc.oneof(
        fc.constantFrom(
          ...encodingsOf("sk-live/ab+cd\\12"),
          "sk-live",
          "sk-",
          "c2stb",
          "%73",
          "\\",
          "&#1",
          "s",
        ),
        fc.string({ maxLength: 5 }),
      ),
      { maxLength: 8 },
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    const secret = "sk-live/ab+cd\\12";
    fc.assert(
      fc.property(text, sizes, (parts, cuts) => {
        const all = parts.join("");
        const whole = JSON.parse(createRedactor([secret])(JSON.stringify(all))) as string;
        expect(inPieces(secret, all, cuts)).toBe(whole);
      }),
    );
  });

  it("holds nothing of what begins no secret, nothing behind the last piece, and never more than a secret may take", () => {
    const redact = createPieceRedactor(["s3cr3t-key"]);
    expect(redact("It is Monday", false)).toEqual({ clean: "It is Monday", held: "" });
    expect(redact("It is s3cr", false)).toEqual({ clean: "It is ", held: "s3cr" });
    expect(redact("It is s3cr", true)).toEqual({ clean: "It is s3cr", held: "" });
    expect(redact("\\".repeat(100_000), false).held.length).toBeLessThan(1_000);
  });
});
