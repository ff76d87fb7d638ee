import fc from "fast-check";
import { expect, test } from "vitest";

import { tokenize } from "../../../../src/features/orchestration/shell/tokenize.ts";
import { samples } from "../../../support/samples.ts";
import { anyCharacter } from "../../../support/any-character.ts";

const textsOf = (text: string): string[] => tokenize(text).tokens.map((token) => token.text);

test.each([
  ["", []],
  [" \t ", []],
  ["cat 'a b' | wc -l", ["cat", "a b", "|", "wc", "-l"]],
  ["a&&b||c;d", ["a", "&&", "b", "||", "c", ";", "d"]],
  ["a|&b &c\n(d)", ["a", "|&", "b", "&", "c", "\n", "(", "d", ")"]],
  ["case x in a) b;; esac", ["case", "x", "in", "a", ")", "b", ";;", "esac"]],
  ["a>b>>c<d<>e>|f>&g<&h&>i&>>j", "a > b >> c < d <> e >| f >& g <& h &> i &>> j".split(" ")],
  ["cat <<E <<-F <<<g", ["cat", "<<", "E", "<<-", "F", "<<<", "g"]],
  ["a b# c # d e\nf", ["a", "b#", "c", " d e", "\n", "f"]],
  ["a \\\nb", ["a", "b"]],
  ["a\\\nb", ["ab"]],
  ["''", [""]],
  ["*.ts ~/x [ab] {c,d}", ["*.ts", "~/x", "[ab]", "{c,d}"]],
])("tokenize() splits %j", (text, texts) => {
  expect(textsOf(text)).toEqual(texts);
  expect(tokenize(text).stoppedAt).toBeNull();
});

test("tokenize() tells words, operators, redirections and comments apart", () => {
  expect(tokenize("ls 2>&1 | wc # n").tokens.map((token) => token.kind)).toEqual(
    "word redirect word operator word comment".split(" "),
  );
});

test.each([
  ["ls 2>x", "2"],
  ["ls 12>>x", "12"],
  ["ls >x", ""],
  ["ls file2>x", ""],
  ["ls 2 >x", ""],
  ["ls '2'>x", ""],
])("tokenize() takes only digits right before a redirection for its number: %j", (text, fd) => {
  expect(tokenize(text).tokens).toContainEqual(expect.objectContaining({ kind: "redirect", fd }));
});

test.each(["$(a)", "`a`", "<(a)", ">(a)", "2>(a)", '"$(a)"', "${a:=b}", "'a", '"a', "$'a'"])(
  "tokenize() keeps what came before %j and stops there",
  (piece) => {
    const { tokens, stoppedAt } = tokenize(`ls x ; ${piece} ; rm y`);
    expect(tokens.slice(0, 3).map(({ text }) => text)).toEqual(["ls", "x", ";"]);
    expect(tokens.map(({ text }) => text)).not.toContain("rm");
    expect(stoppedAt).not.toBeNull();
  },
);

test("tokenize() never throws and always says where it stopped or reads everything", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const { tokens, stoppedAt } = tokenize(text);
      if (stoppedAt === null && text.trim() !== "")
        expect(tokens.length > 0 || /^[\s\\]*$/.test(text)).toBe(true);
    }),
  );
  const shellish = fc
    .array(fc.constantFrom(..."'\"\\$`#;&|<>(){}[]*?!=~ \n\tab1".split("")))
    .map((all) => all.join(""));
  fc.assert(
    fc.property(shellish, (text) => void tokenize(text)),
    { numRuns: samples(5_000) },
  );
});

const quotings: readonly ((text: string) => string)[] = [
  (text) => `'${text.replaceAll("'", "'\\''")}'`,
  (text) => `"${text.replaceAll(/[$`"\\]/g, "\\$&")}"`,
  (text) => (text === "" ? "''" : text.replaceAll(/[^\n]/g, "\\$&").replaceAll("\n", "'\n'")),
];

test("tokenize() gives back every word, however it was quoted", () => {
  // An exclamation mark in double quotes may stop it; that has its own test.
  const words = fc.array(
    fc.string({ unit: anyCharacter }).filter((text) => !text.includes("!")),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(words, fc.constantFrom(...quotings), (list, quote) => {
      const { tokens, stoppedAt } = tokenize(list.map(quote).join(" "));
      expect(stoppedAt).toBeNull();
      expect(tokens.map(({ kind, text }) => [kind, text])).toEqual(list.map((text) => ["word", text]));
      expect(tokens.map((token) => token.kind === "word" && token.raw)).toEqual(list.map(quote));
    }),
  );
});
