import { readdir } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { countMutants, readMutants, replaceTried, type Report } from "./mutants.ts";
import { findShort, findUnexplained, findUnneeded, isOf, ROOMS, updatePage } from "./page.ts";
import { parseSlice, takeSlice } from "./slice.ts";
import { findTestFiles } from "./test-files.ts";
import { trial } from "../../test/support/trial.ts";

const SOURCE = `if (left > 0)
  return fail("Ask for fewer calls.", "TOO_MANY");
`;
const at = (line: number, from: number, to: number) => ({
  start: { line, column: from },
  end: { line, column: to },
});
const REPORT: Report = {
  files: {
    "src/core/plan/fewer.ts": {
      source: SOURCE,
      mutants: [
        {
          mutatorName: "ConditionalExpression",
          replacement: "true",
          status: "Killed",
          location: at(1, 5, 13),
        },
        {
          mutatorName: "EqualityOperator",
          replacement: "left >= 0",
          status: "Survived",
          location: at(1, 5, 13),
        },
        { mutatorName: "StringLiteral", replacement: '""', status: "NoCoverage", location: at(2, 15, 37) },
        { mutatorName: "StringLiteral", replacement: '""', status: "Timeout", location: at(2, 39, 49) },
        { mutatorName: "StringLiteral", replacement: '""', status: "Ignored", location: at(2, 39, 49) },
      ],
    },
  },
};
const mutants = readMutants(REPORT);
const WHY = "Nothing is left when nothing was asked.";

describe("npm run mutation", () => {
  test("complains of a survivor without a reason, and of no sentence", () => {
    expect(findUnexplained(mutants, {})).toEqual([
      "src/core/plan/fewer.ts:1 EqualityOperator survived: left > 0 → left >= 0",
    ]);
  });

  test("keeps a reason for as long as the line says what it said", () => {
    const reasons = { "src/core/plan/fewer.ts": [{ on: ["left > 0"], why: WHY }] };
    const moved = {
      files: { "src/core/plan/fewer.ts": { source: `\n${SOURCE.replace("left", "kept")}`, mutants: [] } },
    };
    expect(findUnexplained(mutants, reasons)).toEqual([]);
    expect(
      findUnexplained(mutants, { "src/core/plan/fewer.ts": [{ on: ["left > 1"], why: WHY }] }),
    ).toHaveLength(1);
    expect(
      findUnexplained(mutants, { "src/core/plan/fewer.ts": [{ as: ["BooleanLiteral"], why: WHY }] }),
    ).toHaveLength(1);
    expect(findUnexplained(readMutants(moved), reasons)).toEqual([]);
  });

  test("complains of a reason that nothing needs any more", () => {
    const reasons = {
      "src/core/plan/fewer.ts": [{ on: ["left", "right"], why: WHY }],
      "src/core/plan/other.ts": [{ why: WHY }],
    };
    expect(findUnneeded(mutants, reasons)).toEqual(["src/core/plan/fewer.ts: nothing survives on 'right'"]);
  });

  test("counts what no test passes as alive, and what ran without end as noticed", () => {
    const all = mutants["src/core/plan/fewer.ts"]!;
    expect(countMutants(all)).toEqual({
      all: 5,
      killed: 1,
      timeout: 1,
      survived: 1,
      unreached: 1,
      atLoad: 1,
      percent: 50,
    });
    expect(all.map(({ isSentence }) => isSentence)).toEqual([false, false, true, false, false]);
  });

  test("says which rooms notice too few, and which were never tried", () => {
    const short = findShort(mutants, 90);
    expect(short).toContain("core/plan: 50.0 %, less than 90 %");
    expect(short).toContain("core/egress: not tried yet");
    expect(short).toHaveLength(ROOMS.length);
    expect(findShort(mutants, 50)).not.toContain("core/plan: 50.0 %, less than 90 %");
  });

  test("takes in every room of src but the tools and the console, and each feature as one", async () => {
    const foldersIn = async (path: string): Promise<readonly string[]> => {
      const entries = await readdir(path, { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    };
    const inside = ["core/gate/state", "core/run/execute"];
    const divided = ["core", "features"];
    const parts = await Promise.all(
      divided.map(async (of) => (await foldersIn(`src/${of}`)).map((name) => `${of}/${name}`)),
    );
    const named = [...(await foldersIn("src")).filter((name) => !divided.includes(name)), ...parts.flat()];
    expect([...ROOMS, "tools", "console"].toSorted()).toEqual([...named, ...inside].toSorted());
  });

  trial(
    "tries each room with tests that are there, and with more than the list where a room has no folder of tests",
    async () => {
      for (const room of ROOMS) expect(await findTestFiles(room), room).not.toEqual([]);
      expect(await findTestFiles("features/keys")).toContain("test/features/keys/key-form.test.ts");
      expect(await findTestFiles("features/agent")).toContain("test/sdks/core/messages-relay.test.ts");
      expect(await findTestFiles("features/usage")).toEqual([
        "test/features/document/http/client.test.ts",
        "test/features/document/http/lists.test.ts",
        "test/features/document/http/operations.test.ts",
        "test/features/list.test.ts",
        "test/features/names.test.ts",
      ]);
      expect(await findTestFiles("core/kit")).not.toContain("test/features/document/http/client.test.ts");
    },
  );

  test("leaves the pages of features to the console, which is held in a real browser", () => {
    const room = (file: string): readonly string[] => ROOMS.filter((one) => isOf(one, file));
    expect(room("src/features/confirmations/console/confirmation-words.ts")).toEqual([]);
    expect(room("src/features/console/index.ts")).toEqual(["features/console"]);
    expect(room("src/features/confirmations/park-groups.ts")).toEqual(["features/confirmations"]);
  });

  test("divides the files into slices of about equal length, each file in exactly one", () => {
    const files = [120, 10, 900, 40, 40, 300, 5, 5, 250, 80].map((lines, index) => ({
      file: `src/kit/${index}.ts`,
      lines,
    }));
    for (const of of [1, 2, 3, 7, 20]) {
      const slices = Array.from({ length: of }, (_, at) => takeSlice(files, { part: at + 1, of }));
      expect(slices.flat()).toEqual(files.map(({ file }) => file));
    }
    expect(takeSlice(files, { part: 1, of: 2 })).toEqual(["src/kit/0.ts", "src/kit/1.ts", "src/kit/2.ts"]);
    expect(parseSlice("2/7")).toEqual({ part: 2, of: 7 });
    for (const wrong of ["0/7", "8/7", "2", "a/b", "2/7/1"]) expect(() => parseSlice(wrong)).toThrow("2/7");
  });

  test("takes from a report the files that were tried, whatever else it has of others", () => {
    const known = { "a.ts": ["killed", "survived"], "b.ts": ["survived", "survived"] };
    const reported = { "a.ts": ["killed"], "b.ts": ["killed", "killed"], "c.ts": ["killed"] };
    expect(replaceTried(known, reported, ["b.ts"])).toEqual({ ...known, "b.ts": ["killed", "killed"] });
    expect(replaceTried({}, reported, ["a.ts", "c.ts"])).toEqual({ "a.ts": ["killed"], "c.ts": ["killed"] });
  });

  test("refuses to count a mutant that could not be run", () => {
    const [broken] = REPORT.files["src/core/plan/fewer.ts"]!.mutants;
    const files = {
      "src/core/plan/a.ts": { source: SOURCE, mutants: [{ ...broken!, status: "RuntimeError" }] },
    };
    expect(() => readMutants({ files })).toThrow("RuntimeError");
  });

  test("writes the figures and the survivors with their reasons behind what a person wrote", () => {
    const page = "# Mutants\n\nBy hand.\n\n<!-- npm run mutation -- --write -->\n\nOld.\n";
    const written = updatePage(page, {
      mutants,
      reasons: { "src/core/plan/fewer.ts": [{ on: ["left"], why: WHY }] },
    });
    expect(written.startsWith("# Mutants\n\nBy hand.\n\n<!--")).toBe(true);
    expect(written).not.toContain("Old.");
    expect(written).toContain("| `core/plan` | 5 | 1 | 1 | 1 | 1 | 1 | 50.0 % | 66.7 % |");
    expect(written).toContain(`| \`core/plan/fewer.ts\` \`if (left > 0)\` | 1 | ${WHY} |`);
    expect(written).toContain("A text for people or models.");
  });

  test("keeps on the page what was found before of a room that has not been tried since, and says which never was", () => {
    const before = [
      "| `core/plan` | 7 | 7 | 0 | 0 | 0 | 0 | 100.0 % | 100.0 % |",
      "| `core/run` | 9 | 9 | 0 | 0 | 0 | 0 | 100.0 % | 100.0 % |",
      "| all | 16 | 16 | 0 | 0 | 0 | 0 | 100.0 % | 100.0 % |",
      "",
      "## What survives in `core/run`",
      "",
      "| `core/run/a.ts` | 1 | So it is. |",
      "",
      "## What survives in `core/plan`",
      "",
      "Old.",
    ];
    const page = `By hand.\n\n<!-- npm run mutation -- --write -->\n\n${before.join("\n")}\n`;
    const written = updatePage(page, { mutants, reasons: {} });
    expect(written).toContain(
      "| `core/run`, of an earlier version | 9 | 9 | 0 | 0 | 0 | 0 | 100.0 % | 100.0 % |",
    );
    expect(written).toContain("## What survives in `core/run`\n\n| `core/run/a.ts` | 1 | So it is. |\n");
    expect(written).toContain("| `core/egress`, not tried yet | | | | | | | | |");
    expect(written).toContain("| `core/plan` | 5 |");
    expect(written).not.toMatch(/Old\.|\| all/);
    expect(updatePage(written, { mutants, reasons: {} })).toBe(written);
  });
});
