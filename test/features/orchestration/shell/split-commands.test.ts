import { expect, test } from "vitest";

import { quoteText, splitCommands } from "../../../../src/features/orchestration/shell/split-commands.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";

test.each([
  ["ls -l", [["ls", "-l"]]],
  ["a 'b c' | d && e || f; g\nh", [["a", "b c"], ["d"], ["e"], ["f"], ["g"], ["h"]]],
  ["a;\n\nb\n", [["a"], ["b"]]],
  ["a |\n b &&\n c", [["a"], ["b"], ["c"]]],
  ["a 2>/dev/null b >&2 <c", [["a", "b"]]],
  [">/dev/null a", [["a"]]],
  ["a#b c", [["a#b", "c"]]],
])("splitCommands() takes %j apart", (text, commands) => {
  expect(valueOf(splitCommands(text)).map((words) => words.map((word) => word.text))).toEqual(commands);
});

test.each([
  ["", "there is no command"],
  ["a # b", "not every shell takes what stands behind '#' for a comment"],
  ["a; # b; c", "not every shell takes what stands behind '#' for a comment"],
  ["a > b", "'>' is not proven harmless"],
  ["a 2>b", "'2>' is not proven harmless"],
  ["a <<E\nE", "'<<' is not proven harmless"],
  ["a &", "'&' is not proven harmless"],
  ["(a)", "'(' is not proven harmless"],
  ["a;;b", "';;' is not proven harmless"],
  ["; a", "';' stands after nothing"],
  ["a | | b", "'|' stands after nothing"],
  ["a &&", "the last command is missing"],
  [">/dev/null", "a redirection has no command"],
  ["a; >/dev/null\nb", "a redirection has no command"],
  ["a; $(b)", "'$(' runs a command or evaluates an expression"],
])("splitCommands() refuses %j: %s", (text, reason) => {
  expect(errorOf(splitCommands(text))).toBe(reason);
});

test("quoteText() shows a piece of text cut, and what is invisible escaped", () => {
  expect(quoteText("a\u202eb")).toBe("'a\\u{202e}b'");
  expect(quoteText("x".repeat(50))).toBe(`'${"x".repeat(40)}…'`);
});
