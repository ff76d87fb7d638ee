import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/features/imports/limits.ts";
import { readDocument } from "../../../../src/features/imports/openapi/read-document.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";
import { trial } from "../../../support/trial.ts";

const read = async (text: string): Promise<unknown> => valueOf(await readDocument(text));
const refusal = async (text: string): Promise<string> => errorOf(await readDocument(text))[0]!.hint;

describe("readDocument() reads", () => {
  const rows: [sentence: string, text: string, value: unknown][] = [
    ["JSON", '{"openapi": "3.1.0"}', { openapi: "3.1.0" }],
    ["JSON behind a byte order mark", '\ufeff {"a": 1}', { a: 1 }],
    [
      "YAML",
      "openapi: 3.1.0\npaths:\n  /a:\n    get: {}\n",
      { openapi: "3.1.0", paths: { "/a": { get: {} } } },
    ],
    ["YAML behind a comment and a marker", "# own\n---\na: 1\n", { a: 1 }],
    ["a long list of nothing", "-\n".repeat(200_000), Array.from({ length: 200_000 }, () => null)],
    ["YAML in braces", "{a: 1, b: [x]}", { a: 1, b: ["x"] }],
    [
      "words that YAML 1.1 took for flags as text",
      "a: [on, yes, no]\nb: true\n",
      { a: ["on", "yes", "no"], b: true },
    ],
    ["keys that are numbers as text", "responses:\n  200: {}\n", { responses: { "200": {} } }],
    ["aliases", "a: &x {b: 1}\nc: *x\n", { a: { b: 1 }, c: { b: 1 } }],
    ["merged keys", "a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n", { a: { b: 1 }, c: { b: 1, d: 2 } }],
    [
      "a key that reaches a prototype as a key",
      "a:\n  __proto__: {b: 1}\n",
      JSON.parse('{"a": {"__proto__": {"b": 1}}}'),
    ],
  ];
  test.each(rows)("%s", async (_, text, value) => {
    expect(await read(text)).toEqual(value);
  });
});

describe("readDocument() refuses", () => {
  const bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
  for (let n = 1; n < 12; n += 1) bomb.push(`a${n}: &a${n} [${`*a${n - 1},`.repeat(9)}]`);
  const rows: [sentence: string, text: string, hint: RegExp][] = [
    ["broken JSON", '{"a": 1, "b" 2}', /JSON goes wrong at line 1, column \d/],
    ["broken YAML", "a: 1\n b: 2\n", /YAML goes wrong at line \d+, column \d+/],
    ["a key twice", "a: 1\na: 2\n", /line 2, column 1: duplicated mapping key/],
    ["an alias to nothing", "a: *missing\n", /YAML/],
    ["a laugh of a billion aliases", bomb.join("\n"), /aliases repeat too much/],
    ["a list that contains itself", "a: &a [*a]\n", /aliases repeat too much/],
    ["JSON that nests too deep", `${"[".repeat(200)}${"]".repeat(200)}`, /nests deeper than 100/],
    ["YAML that nests too deep", `a: ${"[".repeat(200)}${"]".repeat(200)}`, /nests deeper than 100/],
    ["YAML that nests as deep as it is long", `a: ${"[".repeat(400_000)}`, /nests deeper than 100|YAML/],
    ["too much", `{"a": "${"x".repeat(LIMITS.openApiBytes)}"}`, /at most 4194304 are read/],
    ["too much YAML", `a: "${"x".repeat(LIMITS.openApiYamlBytes)}"`, /of YAML.*send it as JSON/],
    [
      "keys that are merged too often",
      `a: &a {b: 1, c: 2}\n${Array.from({ length: 6_000 }, (_, n) => `k${n}: {<<: *a}`).join("\n")}`,
      /merged keys/,
    ],
    [
      "aliases inside aliases that together nest too deep",
      `a: &a ${"[".repeat(60)}${"]".repeat(60)}\nb: ${"[".repeat(60)}*a${"]".repeat(60)}`,
      /nests deeper than 100/,
    ],
    [
      "a long text that aliases repeat",
      `a: &a "${"x".repeat(100_000)}"\n${Array.from({ length: 50 }, (_, n) => `k${n}: *a`).join("\n")}`,
      /aliases repeat too much/,
    ],
    [
      "a key twice far apart",
      `${Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`).join("\n")}\nk7: 2\n`,
      /duplicated mapping key/,
    ],
    [
      "too many aliases",
      `a: &a 1\n${Array.from({ length: 20_000 }, (_, n) => `k${n}: *a`).join("\n")}`,
      /too many aliases/,
    ],
    ["several documents", "a: 1\n---\nb: 2\n", /YAML/],
  ];
  trial.each(rows)("%s", async (_, text, hint) => {
    expect(await refusal(text)).toMatch(hint);
  });
});
