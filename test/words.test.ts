import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";

import { isRiddle, sentencesOf, textsOf, type Sentence } from "./support/prose.ts";
import { trial } from "./support/trial.ts";

/** Changelog entries stay as they were published; this file quotes riddles. */
const OURS = ["*.ts", "*.tsx", "*.md", ":!CHANGELOG.md", ":!test/words.test.ts"];
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "--deduplicate", ...OURS], {
  encoding: "utf8",
})
  .split("\n")
  .filter(Boolean);

type Reader = (file: string, text: string) => readonly Sentence[];

async function riddlesIn(of: readonly string[], read: Reader): Promise<readonly string[]> {
  const found = of.map(async (file) =>
    read(file, await readFile(file, "utf8"))
      .filter(({ text }) => isRiddle(text))
      .map(({ line, text }) => `${file}:${line} ${text}`),
  );
  return (await Promise.all(found)).flat();
}

describe("a sentence of a comment or a page", () => {
  trial("has a subject", async () => {
    expect(await riddlesIn(files, sentencesOf)).toEqual([]);
  });

  test.for([
    ["What is left is counted.", true],
    ["Of two calls the first one wins.", true],
    ["Whoever asks waits.", true],
    ["A place is free, so nobody waits.", true],
    ["Whatever breaks off leaves a sign that leads to nothing.", true],
    ["A caller in bursts is known with his pauses.", true],
    ["Dates with dots are refused, because they are not.", true],
    ["Nor on luck: random samples have one seed.", true],
    ["The list fills by itself.", true],
    ["May say the yes of a person.", true],
    ["The key has that may send the most.", true],
    ["Refuse tools that there are not.", true],
    ["Null where a text is none, or it is none.", true],
    ["It says none where it has none.", true],
    ["The reader is another one than the writer.", true],
    ["It lets no one in.", true],
    ["The person for whom it runs.", true],
    ["All but for what a test cuts.", true],
    ["What is left is claimed; what is there is used.", true],
    ["Neither is called again.", true],
    ["That is why it waits.", true],
    ["The data is to be had by a handle.", true],
    ["Any other answer is read as ever.", true],
    ["The earliest work, of that which has begun.", true],
    ["The index, and the entries thereof.", true],
    ["The caller waits for what is left.", false],
    ["An address that is none of ours waits.", false],
    ["It is nobody's turn.", false],
    ['"What is left" is the name of a row.', false],
  ] as const)("is a riddle if it has a turn that one reads twice: %s", ([sentence, riddle]) => {
    expect(sentencesOf("a.md", sentence).some(({ text }) => isRiddle(text))).toBe(riddle);
  });

  test("is found in each kind of comment, across lines, and in no code", () => {
    const code = [
      "/** What one line says. */",
      "/**",
      " * A block goes on. What it",
      " * says second counts.",
      " *",
      " * What a paragraph begins with counts.",
      " */",
      "const x = 1; // What trails counts.",
      "// Whoever reads on,",
      "// reads on.",
      'const text = "What a string says does not count.";',
      'const pattern = /[^"]*/; const url = "https://what.example"; // oxlint-disable-line',
    ].join("\n");
    const riddles = sentencesOf("a.ts", code).filter(({ text }) => isRiddle(text));
    expect(riddles.map(({ line }) => line)).toEqual([1, 3, 6, 8, 9]);
  });

  test("is found in paragraphs, lists and tables of a page, and in no heading or code", () => {
    const page = [
      "# What a heading says",
      "",
      "A paragraph. What goes",
      "on counts.",
      "- What a list says",
      "| What a cell says | fine |",
      "|---|---|",
      "```",
      "What code says",
      "```",
      "> What is cited",
    ].join("\n");
    const riddles = sentencesOf("a.md", page).filter(({ text }) => isRiddle(text));
    expect(riddles.map(({ line }) => line)).toEqual([3, 5, 6, 11]);
  });
});

describe("a text for people and models", () => {
  trial("has a subject, where it is a sentence: a heading or a question may open as it likes", async () => {
    const code = files.filter((file) => file.startsWith("src/"));
    const read: Reader = (_, text) =>
      textsOf(text).filter(({ text: said }) => /[.;]$/.test(said) && !said.includes("?"));
    expect(await riddlesIn(code, read)).toEqual([]);
  });
});
