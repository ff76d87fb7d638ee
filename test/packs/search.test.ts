import { expect, test } from "vitest";

import { findLines } from "../../src/packs/search.ts";
import { errorOf, valueOf } from "../support/unwrap.ts";
import { trial } from "../support/trial.ts";

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

trial.each([
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

test("a long line is shown around its match, and says where it is cut, never between the halves of a pair", () => {
  const textOf = (line: string, lineCharacters: number) =>
    valueOf(findLines("here", filesOf({ a: line }), { matches: 9, lineCharacters })).matches[0]!.text;
  expect(textOf("0123456789here", 14)).toBe("0123456789here");
  expect(textOf("0123456789here0123456789", 12)).toBe("…789here01234…");
  expect(textOf("here0123456789", 8)).toBe("here0123…");
  expect(textOf("0123456789here", 8)).toBe("…6789here");
  expect(textOf("😀😀😀😀here😀😀😀😀", 12)).toBe("…😀here😀😀…");
});

test("so many matches are given and no more, and where there are more it says so", () => {
  const most = (lines: number, matches: number) =>
    valueOf(findLines("x", filesOf({ a: "x\n".repeat(lines) }), { matches, lineCharacters: 9 }));
  expect(most(3, 3)).toMatchObject({ matches: [{ line: 1 }, { line: 2 }, { line: 3 }], isCut: false });
  expect(most(4, 3)).toMatchObject({ matches: [{ line: 1 }, { line: 2 }, { line: 3 }], isCut: true });
  expect(most(3, 3).matches).toHaveLength(3);
});

test("files are looked at in their order, each line by its number; what is no text has none", () => {
  const bytes = (...all: number[]) => ({ path: "bytes", content: new Uint8Array(all) });
  const files = [
    ...filesOf({ b: "no\nx", a: "x\r\nx" }),
    bytes(0x78, 0),
    bytes(0x78, 0xff),
    bytes(0xef, 0xbb, 0xbf, 0x78),
  ];
  const { matches } = valueOf(findLines("^x$", files, BOUNDS));
  expect(matches).toEqual([
    { path: "b", line: 2, text: "x" },
    { path: "a", line: 1, text: "x" },
    { path: "a", line: 2, text: "x" },
    { path: "bytes", line: 1, text: "x" },
  ]);
});

trial("a plain text is looked for as it is, in thirty million characters at most", () => {
  const files = filesOf({
    a: `${"a".repeat(9_999_999)}\n${"b".repeat(9_999_999)}\n`,
    b: `${"c".repeat(9_999_999)}x`,
    c: "xx",
  });
  expect(valueOf(findLines("x", files, BOUNDS))).toMatchObject({
    matches: [{ path: "b" }, { path: "c" }],
    isCut: false,
  });
  const more = [...files, ...filesOf({ d: "x", e: "x" })];
  expect(valueOf(findLines("x", more, BOUNDS)).isCut).toBe(true);
});
