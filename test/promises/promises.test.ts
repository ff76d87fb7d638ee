import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import {
  type TestReport,
  updatePromises,
  updatePromiseTable,
  withoutResults,
} from "../../scripts/docs/promise-tables.ts";
import { marksOf, readMatrix, triedPairs } from "../pairs/matrix.ts";
import { findMarks, readMarks } from "./find-marks.ts";
import { FAULTS, type MarkedRow, PROMISES, ROWS, THREATS } from "./rows.ts";
import { trial } from "../support/trial.ts";

const titles = await findMarks();
const matrix = await readMatrix();
const cells = matrix
  .flatMap((row) => row.cells.map(({ cell }) => cell))
  .filter((cell) => cell !== undefined && "risk" in cell);
const pairs = triedPairs(matrix);
const marked = new Set(titles.flatMap(({ marks }) => marks));

test("every threat and every fault has a test that is named after it", () => {
  expect(ROWS.map(({ mark }) => mark).filter((mark) => !marked.has(mark))).toEqual([]);
});

test("no test is named after a row that there is not", () => {
  const rows = new Set(ROWS.map(({ mark }) => mark));
  expect(titles.filter(({ marks }) => marks.some((mark) => !rows.has(mark)))).toEqual([]);
});

test("every promise, threat and fault has a pair of features that it is tried against, or the reason that there is none", () => {
  const tried = new Set<string>(pairs.flatMap(({ marks }) => marks));
  const rows: readonly MarkedRow[] = [...PROMISES, ...ROWS];
  expect(rows.filter(({ mark, alone }) => tried.has(mark) === (alone !== undefined))).toEqual([]);
});

test("a cell of a pair whose test is named after threats or faults tries these", () => {
  const missing = cells.flatMap((cell) => {
    const own = titles.filter(({ file, title }) => file === cell.test && title.includes(cell.title));
    const tries: readonly string[] = marksOf(cell);
    return own.flatMap(({ marks }) => marks).some((mark) => !tries.includes(mark)) ? [cell.title] : [];
  });
  expect(missing).toEqual([]);
});

test("a row that other tests try between two features has one of that title, which is named after it", () => {
  const also = cells.flatMap(({ also = {} }) => Object.entries(also));
  const stands = ([mark, title]: readonly [string, string]): boolean =>
    titles.some(({ marks, sentence }) => marks.includes(mark) && sentence.includes(title));
  expect(also.filter((one) => !stands(one))).toEqual([]);
});

test("rows stand in the order of their numbers, each once", () => {
  for (const rows of [PROMISES, THREATS, FAULTS]) {
    const numbers = rows.map(({ mark }) => Number(mark.slice(1)));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  }
});

trial.each([
  ["docs/threats.md", THREATS],
  ["docs/faults.md", FAULTS],
])(
  "%s has every row with the tests that are named after it; npm run promises writes it",
  async (path, rows) => {
    const page = await readFile(new URL(`../../${path}`, import.meta.url), "utf8");
    const written = updatePromiseTable(page, { rows, titles, pairs, reports: [] });
    expect(withoutResults(page), "run: npm run promises").toBe(withoutResults(written));
  },
);

test("docs/reliability.md has every promise; npm run promises writes it", async () => {
  const page = await readFile(new URL("../../docs/reliability.md", import.meta.url), "utf8");
  expect(page, "run: npm run promises").toBe(updatePromises(page, PROMISES, pairs));
});

/** Not written out below, where it would be a mark of this file's own. */
const [T01, T03] = ["T01", "T03"] as const;
const SOURCE = `
  test("${T01} F02 a key is refused", () => {});
  test.each(ROWS)("P7: ${T01} a %s is refused", () => {});
describe(\`${T03} a group of \${COUNT}\`, () => {
  test("${T03} has one", () => {});
});
  test("says ${T03} somewhere", () => {});`;

test("a mark is what a title begins with, behind the name of a promise", () => {
  expect(readMarks(SOURCE, "test/a.test.ts").map(({ marks, sentence }) => [marks, sentence])).toEqual([
    [["T01", "F02"], "a key is refused"],
    [["T01"], "a %s is refused"],
    [["T03"], "a group of ${COUNT}"],
    [["T03"], "a group of ${COUNT} has one"],
  ]);
});

describe("npm run promises", () => {
  const page = "# Page\n\n<!-- npm run promises: begin -->\nold\n<!-- npm run promises: end -->\n\nMore.\n";
  const rows = [
    { mark: "T01", when: "a key is wrong", seen: "401" },
    { mark: "T03", when: "a group", seen: "all of it", alone: "nothing meets it" },
  ];
  const tried = (["stream", "jobs", "loops", "added tools", "flows"] as const).map((other) => ({
    pair: ["batch", other] as const,
    marks: [T01],
  }));
  const result = (title: string, status: string, ...ancestorTitles: string[]) => ({
    title,
    status,
    ancestorTitles,
  });
  const reports: TestReport[] = [
    {
      testResults: [
        {
          name: "/somewhere/test/a.test.ts",
          assertionResults: [
            result(`P7: ${T01} a short key is refused`, "passed"),
            result(`P7: ${T01} a long key is refused`, "failed"),
            result(`${T03} has one`, "passed", `${T03} a group of 2`),
            result("two", "passed", `${T03} a group of 2`),
            result("three", "skipped", `${T03} a group of 2`),
          ],
        },
      ],
    },
  ];

  test("writes what the report says of each test, and leaves the rest of the page alone", () => {
    expect(
      updatePromiseTable(page, { rows, titles: readMarks(SOURCE, "test/a.test.ts"), pairs: tried, reports }),
    ).toBe(`# Page

<!-- npm run promises: begin -->

| | when | what is seen | shown by | pairs |
|---|---|---|---|---|
| T01 | a key is wrong | 401 | a key is refused (\`test/a.test.ts\`): *not run*<br>a … is refused (\`test/a.test.ts\`): *1 of 2 failed* | [batch × stream](pairs.md#batch)<br>[batch × jobs](pairs.md#batch)<br>[batch × loops](pairs.md#batch)<br>[batch × added tools](pairs.md#batch)<br>and 1 more: [pairs](pairs.md) |
| T03 | a group | all of it | a group of … (\`test/a.test.ts\`): *2 passed*<br>a group of … has one (\`test/a.test.ts\`): *1 passed* | none: nothing meets it |

<!-- npm run promises: end -->

More.
`);
  });

  test("keeps what the page says of a test that no report knows", () => {
    const source = { rows: rows.slice(1), titles: readMarks(SOURCE, "test/a.test.ts"), pairs: [] };
    const written = updatePromiseTable(page, { ...source, reports });
    const moved = { rows: source.rows, titles: readMarks(SOURCE, "test/b.test.ts"), pairs: [], reports: [] };
    expect(updatePromiseTable(written, moved)).toBe(written.replaceAll("test/a.test.ts", "test/b.test.ts"));
  });

  test("names four tests of a row and those that failed, and counts the others", () => {
    const source = [1, 2, 3, 4, 5, 6].map((n) => `test("${T01} case ${n}", () => {});`).join("\n");
    const failed = [
      {
        testResults: [{ name: "/test/a.test.ts", assertionResults: [result(`${T01} case 6`, "failed")] }],
      },
    ];
    const titlesOfMany = readMarks(source, "test/a.test.ts");
    const written = updatePromiseTable(page, {
      rows: rows.slice(0, 1),
      titles: titlesOfMany,
      pairs: [],
      reports: failed,
    });
    expect(written).toContain(
      `case 4 (\`test/a.test.ts\`): *not run*<br>case 6 (\`test/a.test.ts\`): *1 of 1 failed*<br>and 1 more: \`grep -rn '${T01} ' test\` |`,
    );
  });

  test("asks for the markers of a page that has none", () => {
    expect(() => updatePromiseTable("# Page", { rows, titles: [], pairs: [], reports })).toThrow(
      "needs '<!-- npm run promises",
    );
  });
});
