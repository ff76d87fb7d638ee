import { expect, test } from "vitest";

import { findLines } from "../../src/packs/search.ts";
import { errorOf, valueOf } from "../support/unwrap.ts";

const BOUNDS = { matches: 200, lineCharacters: 300 };
const filesOf = (files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) }));
const find = (pattern: string, text: string) =>
  valueOf(findLines(pattern, filesOf({ a: text }), BOUNDS)).matches.map(({ line }) => line);

test.each([
  ["TODO", "x\nTODO\n", [2]],
  ["^$", "a\n\nb", [2]],
  ["a.c", "abc\r\na\nc", [1]],
  ["a-b", "a-b\naxb", [1]],
  ["foo/bar.ts", "foo/bar.ts\nfoo/barxts", [1, 2]],
  ["\\d{3}", "12\n123", [2]],
  ["(?i)ü", "Ü\nu", [1]],
  ["日本", "日本語", [1]],
  ["[^a]", "a\nb", [2]],
])("%j is found in %j at %j", (pattern, text, lines) => {
  expect(find(pattern, text)).toEqual(lines);
});

test.each(["(", "[", "*", "(?=a)", "(a)\\1", "a{5000}", "\\"])("%j is no pattern", (pattern) => {
  expect(errorOf(findLines(pattern, filesOf({ a: "a" }), BOUNDS))).toContain("RE2");
});

test.each([
  "(a+)+$",
  "(a|aa)+$",
  "(a?){50}a{50}",
  "(.*)*x",
  "([a-z]+)*\\d",
  ".*".repeat(200),
  "(((a{30}){30}){1})b",
])("%j over a megabyte of its own ends", (pattern) => {
  const files = filesOf({ a: `${"a".repeat(1024)}b\n`.repeat(1024) });
  expect(findLines(pattern, files, BOUNDS)).toHaveProperty("ok");
});

test("a search ends with what it has found where that would take too long, and says so", () => {
  const files = filesOf({
    a: `find me\n${"a".repeat(99)}\n`.repeat(1),
    b: `${"b".repeat(99)}\n`.repeat(20_000),
  });
  const found = valueOf(findLines("find me|(b?){40}c{40}", files, BOUNDS));
  expect(found).toEqual({ matches: [{ path: "a", line: 1, text: "find me" }], isCut: true });
});
