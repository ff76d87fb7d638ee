import * as fc from "fast-check";
import { expect, test } from "vitest";

import { matchGlob } from "../../../src/tools/workspace/match-glob.ts";
import { valueOf } from "../../support/unwrap.ts";
import { trial } from "../../support/trial.ts";

const fits = (pattern: string, path: string): boolean => valueOf(matchGlob(pattern, [path])).length === 1;

test.each([
  ["*.md", "a.md", true],
  ["*.md", "b/a.md", false],
  ["*.md", ".md", true],
  ["**/*.md", "a.md", true],
  ["**/*.md", "b/c/a.md", true],
  ["**", "b/c/a.md", true],
  ["src/**", "src/a/b.ts", true],
  ["src/**", "src", true],
  ["src/**/test/*.ts", "src/test/a.ts", true],
  ["src/**/test/*.ts", "src/x/y/test/a.ts", true],
  ["src/**/test/*.ts", "src/x/y/a.ts", false],
  ["/src/*.ts", "src/a.ts", true],
  ["./src/*.ts", "src/a.ts", true],
  ["a?c", "abc", true],
  ["a?c", "a😀c", true],
  ["a?c", "ac", false],
  ["[a-c]x", "bx", true],
  ["[!a-c]x", "bx", false],
  ["[^a-c]x", "dx", true],
  ["[]]x", "]x", true],
  ["*.{ts,js}", "a.js", true],
  ["{a,b}/{c,{d,e}}.ts", "b/e.ts", true],
  ["{a}", "{a}", true],
  ["a{b", "a{b", true],
  ["a[b", "a[b", true],
  ["*a*b*c", "xaxbxc", true],
  ["*a*b*c", "xaxcxb", false],
  ["A.md", "a.md", false],
  ["a.b", "axb", false],
])("%s on %s: %s", (pattern, path, expected) => {
  expect(fits(pattern, path)).toBe(expected);
});

test("a path fits itself, and what has a star in place of any part of it", () => {
  const name = fc.stringMatching(/^[a-z][a-z.]{0,5}$/);
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.nat(), (parts, at) => {
      const path = parts.join("/");
      expect(fits(path, path)).toBe(true);
      const starred = parts.with(at % parts.length, "*").join("/");
      expect(fits(starred, path)).toBe(true);
      expect(fits(`**/${parts.at(-1)}`, path)).toBe(true);
    }),
  );
});

test("too many alternatives are refused", () => {
  expect(matchGlob("{a,b}".repeat(7), [])).toMatchObject({ ok: false });
  expect(matchGlob("{a,b}".repeat(100), [])).toMatchObject({ ok: false });
});

trial("what takes too long is refused", () => {
  const paths = Array.from({ length: 10_000 }, (_, n) => `${"a".repeat(500)}${n}`);
  expect(matchGlob(`*${"a".repeat(250)}b`, paths)).toMatchObject({
    ok: false,
    error: expect.stringContaining("too long"),
  });
});
