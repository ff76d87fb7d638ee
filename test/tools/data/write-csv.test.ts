import fc from "fast-check";
import { expect, test } from "vitest";

import { writeCsv } from "../../../src/tools/data/csv-report.ts";

test("writeCsv() writes the example of its documentation", () => {
  const rows = [
    ["=1+1", -5],
    ['a "b"', null],
  ] as const;
  expect(writeCsv(["name", "cents"], rows)).toBe('name,cents\r\n\'=1+1,-5\r\n"a ""b""",\r\n');
});

test.each([
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  " =1",
  "\t=1",
  "\r\n=1",
  "\u0000=1",
  "\uFEFF=1",
  "\u200B-1",
  "\t1",
  "＝1",
  "＋1",
  "－1",
  "＠A1",
  "=cmd|' /C calc'!A0",
])("writeCsv() keeps a spreadsheet from running %j", (text) => {
  const [cell] = readCsv(writeCsv([], [[text]]))[1]!;
  expect(cell).toBe(`'${text}`);
});

test.each(["a=b", "1-2", "me@example.com", "", "'quoted'", "é", "12"])(
  "writeCsv() leaves %j as it is",
  (text) => {
    expect(readCsv(writeCsv([], [[text]]))[1]).toEqual([text]);
  },
);

test("a reader that follows RFC 4180 reads what was written", () => {
  const field = fc
    .string({ unit: fc.constantFrom("a", '"', ",", "\r", "\n", ";", " ", "é", "🙂") })
    .filter((text) => !/^[\s]/.test(text));
  const table = fc.array(fc.array(field, { minLength: 2, maxLength: 2 }), { maxLength: 5 });
  fc.assert(
    fc.property(table, (rows) => {
      expect(readCsv(writeCsv(["a", "b"], rows))).toEqual([["a", "b"], ...rows]);
    }),
  );
});

/** A reader of its own, letter by letter: https://www.rfc-editor.org/rfc/rfc4180#section-2. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!;
    if (quoted) {
      if (letter !== '"') field += letter;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === ",") {
      row.push(field);
      field = "";
    } else if (letter === "\r" && text[at + 1] === "\n") {
      rows.push([...row, field]);
      row = [];
      field = "";
      at += 1;
    } else field += letter;
  }
  return rows;
}
