import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { measurePage, measurePages } from "../../scripts/docs/measure-pages.ts";
import { BOUNDS, findExcess } from "../../scripts/docs/page-bounds.ts";
import { readIndex, referencesOf } from "../../scripts/docs/read-index.ts";
import { trial } from "../support/trial.ts";

const root = process.cwd();
const pages = measurePages(root);
const textOf = (file: string): Promise<string> => readFile(`${root}/${file}`, "utf8");
const references = referencesOf(readIndex(await textOf("docs/index.md")));

trial(
  "The pages stay within their bounds: words by hand, words of a table, sentences that stand twice",
  () => {
    expect(findExcess(pages), "see: npm run docs:words").toEqual([]);
  },
);

test("Every page says behind its title for whom it is, and what its reader has at the end", async () => {
  const openings = await Promise.all(
    pages.map(async ({ file }) => {
      const [, , paragraph = ""] = (await textOf(file)).split(/^(#.*)\n+/m);
      return { file, opening: paragraph.split("\n\n", 1)[0]!.replaceAll("\n", " ") };
    }),
  );
  expect(openings.filter(({ opening }) => !/^For [^:]+: .*\bat the end\b/.test(opening))).toEqual([]);
});

test("Every page of tables says at its top how to search it", async () => {
  const tops = await Promise.all(
    references.map(async (file) => ({ file, top: (await textOf(file)).split("\n").slice(4, 7).join(" ") })),
  );
  expect(tops.filter(({ top }) => !/^(?:Search this page for|Find a row by) /.test(top))).toEqual([]);
});

describe("The count of words", () => {
  const sentence = "one two three four five six seven eight";

  test("tells a person's words from those that a command writes", () => {
    const marked =
      "A b.\n<!-- npm run x: begin -->\nc d e\n<!-- npm run x: end -->\nf\n<!-- npm run y -->\ng h";
    const { byHand, byCommand } = measurePage("docs/a.md", marked);
    expect([byHand, byCommand]).toEqual([3, 22]);
    expect(measurePage("docs/limits.md", "a b c")).toMatchObject({ byHand: 0, byCommand: 3 });
  });

  test("finds eight words that two pages share, across lines and whatever their case, and none of code", () => {
    const other = measurePage("docs/b.md", `${sentence.toUpperCase().replace(" four", "\nfour")}.`);
    const code = measurePage("docs/c.md", `\`\`\`bash\n${sentence}\n\`\`\`\n`);
    expect(findExcess([measurePage("docs/a.md", sentence), other, code])).toEqual([
      "docs/a.md and docs/b.md share 100.0 %",
    ]);
  });

  test("names the pages together, and a table, when they are too long", () => {
    const long = {
      file: "docs/a.md",
      byHand: BOUNDS.byHand + 1,
      byCommand: 12_001,
      sequences: new Set<string>(),
    };
    expect(findExcess([long])).toEqual([
      `docs has ${BOUNDS.byHand + 1} words by hand, more than ${BOUNDS.byHand}`,
      "docs/a.md has 12001 words, more than 12000",
    ]);
  });
});
