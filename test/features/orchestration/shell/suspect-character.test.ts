import { expect, test } from "vitest";

import { findSuspectCharacter } from "../../../../src/features/orchestration/shell/classify-shell.ts";

test.each([
  "",
  "ls -la\n\tpwd",
  "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
  "résumé naïve",
  "日本語 кириллица",
  "🙂 → ✓",
])("findSuspectCharacter() finds nothing in %j", (text) => {
  expect(findSuspectCharacter(text)).toBeNull();
});

test.each([
  ["NUL", "\0"],
  ["a carriage return", "\r"],
  ["a form feed", "\f"],
  ["escape", "\u001b"],
  ["delete", "\u007f"],
  ["a C1 control", "\u0085"],
  ["a no-break space", "\u00a0"],
  ["an ideographic space", "\u3000"],
  ["a line separator", "\u2028"],
  ["a zero-width space", "\u200b"],
  ["a right-to-left override", "\u202e"],
  ["a byte order mark", "\ufeff"],
  ["an en dash", "\u2013"],
  ["a curly quote", "\u2019"],
  ["a full-width semicolon", "\uff1b"],
  ["a full-width letter", "\uff41"],
  ["a Greek question mark", "\u037e"],
  ["a small ampersand", "\ufe60"],
  ["an ellipsis", "\u2026"],
  ["a lone surrogate", "\ud800"],
  ["a private character", "\ue000"],
])("findSuspectCharacter() finds %s", (_, char) => {
  expect(findSuspectCharacter(`ls ${char}x`)).toBe(char);
});
