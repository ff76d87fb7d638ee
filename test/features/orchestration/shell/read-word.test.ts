import { expect, test } from "vitest";

import { readWord } from "../../../../src/features/orchestration/shell/tokenize.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";

test.each([
  ["abc def", "abc", 3],
  ["a;b", "a", 1],
  ["a'b c'd", "ab cd", 7],
  ["'a\\n$x`'", "a\\n$x`", 8],
  ['"a \\$x \\" \\\\ \\n"', 'a $x " \\ \\n', 16],
  ['"a\\\nb"', "ab", 6],
  ["a\\ b\\;c", "a b;c", 7],
  ["a#b", "a#b", 3],
  ["$", "$", 1],
  ["a$ b", "a$", 2],
  ["5%$", "5%$", 3],
  ["\"$\"'x'", "$x", 6],
  ["!", "!", 1],
  ["!=x", "!=x", 3],
  ["'!x'", "!x", 4],
  ['"x!"', "x!", 4],
])("readWord() reads %j as %j up to %i", (text, value, end) => {
  const read = valueOf(readWord(text, 0));
  expect(read.word.text).toBe(value);
  expect(read.word.raw).toBe(text.slice(0, end));
  expect(read.end).toBe(end);
});

test("readWord() starts where it is told to", () => {
  expect(valueOf(readWord("ab cd", 3))).toMatchObject({ word: { text: "cd", raw: "cd" }, end: 5 });
});

test.each([
  ["'a b'", ""],
  ["~/a", ""],
  ["{}", ""],
  ["{a}", ""],
  ["HEAD@{1}", ""],
  ["\\*\\?\\[\\$x", ""],
  ["'{a,b}$x*'", ""],
  ["\\{a,b}", ""],
  ["{a','b}", ""],
  ['"a$x"', "expands"],
  ['"$x"', "expands wild"],
  ['""$x', "expands many wild"],
  ['-"$x"', "expands wild"],
  ["a$x", "expands many wild"],
  ["${x}", "expands many wild"],
  ['"a$@"', "expands many wild"],
  ["a*", "expands many"],
  ["a?", "expands many"],
  ["a[bc]", "expands many"],
  ["*", "expands many wild"],
  ["-*", "expands many wild"],
  ["?o", "expands many wild"],
  ["[-]o", "expands many wild"],
  ["a{b,c}", "expands many"],
  ["a{1..3}", "expands many"],
  ["{a,-o}", "expands many wild"],
  ["-{o,x}", "expands many wild"],
])("readWord() knows what %j could become: %s", (text, traits) => {
  const { word } = valueOf(readWord(text, 0));
  const found = [word.expands && "expands", word.many && "many", word.wild && "wild"];
  expect(found.filter((trait) => trait !== false).join(" ")).toBe(traits);
});

test.each([
  ["$(a)", "'$(' runs a command or evaluates an expression"],
  ["$((1))", "'$(' runs a command or evaluates an expression"],
  ["$[1]", "'$[' evaluates an expression"],
  ["`a`", "a backtick runs a command"],
  ['"`a`"', "a backtick runs a command"],
  ["${x:-y}", "'${' with more than a name in it may assign or run something"],
  ["${#x}", "'${' with more than a name in it may assign or run something"],
  ["$x[1]", "a subscript is evaluated as an expression"],
  ["$'a'", "shells read '$'' differently"],
  ['$"a"', "shells read '$\"' differently"],
  ["$=x", "zsh expands a variable after '$='"],
  ['"$~x"', "zsh expands a variable after '$~'"],
  ["'a", "a quote is not closed"],
  ['"a', "a quote is not closed"],
  ['"a\\"', "a quote is not closed"],
  ["a\\", "the text ends in a backslash"],
  ["!x", "an interactive shell replaces '!' by an earlier command"],
  ['"!x"', "an interactive shell replaces '!' by an earlier command"],
])("readWord() refuses %j: %s", (text, reason) => {
  expect(errorOf(readWord(text, 0))).toBe(reason);
});
