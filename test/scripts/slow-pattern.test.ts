import { expect, test } from "vitest";

import { firstCharacter, fromRunStart, isSlowPattern } from "../../scripts/slow-pattern.ts";

const LINEAR = [
  /a|b/,
  /\s+/g,
  /\$([a-z]\w*)/g,
  /^(\d+)$/,
  /^\s*#\w+=(.*)$/,
  /^[a-z]\w*\[[^\]]+\]$/,
  /<<(-?)\s*(['"]?)(\w{1,9})/,
  /(?:\/(?:Users|home))\b[^\s]*/,
  /\s+$/,
  /\$(?:[a-z]\w*|\{(?:[a-z]\w*|\d+)\}|\d)/y,
];
const SLOW = [
  /\d+x/,
  /^\d+\.?\d*(s|m)?$/,
  /^a*a*$/m,
  /(a|b)+$/,
  /(a+)+b/,
  /\[.*\]/,
  /\n\s+at\s.*/,
  /(?!x)a+b/,
  /^ *(.+)$/m,
  /^a+(?:\w)+$/,
  /a{2,}b/,
  /^a+|b+$/,
  /(?:a*|b)a*/y,
  /a*(?:c|a*)/y,
];

test.each(LINEAR)("%s takes time in proportion to the text", ({ source, flags }) => {
  expect(isSlowPattern(source, flags)).toBe(false);
});

test.each(SLOW)("%s may take longer", ({ source, flags }) => {
  expect(isSlowPattern(source, flags)).toBe(true);
});

test.each([
  [/\[.*\]/, "["],
  [/\n\s+at/, "\n"],
  [/(?:\/(?:a|b))c*/, "/"],
  [/\d+x/, undefined],
  [/a*b/, undefined],
  [/ab*|c/, undefined],
  [/%\d*\.?\d*(s|m)/, undefined],
])("each match of %s begins with %j", ({ source }, first) => {
  expect(firstCharacter(source)).toBe(first);
});

test.each([
  [/\s+$/, " a  b  ", 5],
  [/\n+$/, "\n\na\n\n", 3],
  [/[xy]+$/, "xyaxy", 3],
])("%s is tried from the start of a run, and finds the same", ({ source }, text, at) => {
  expect(fromRunStart(source)).toMatch(/^\(\?<!/);
  expect(new RegExp(fromRunStart(source)).exec(text)?.index).toBe(at);
  expect(new RegExp(source).exec(text)?.index).toBe(at);
});
