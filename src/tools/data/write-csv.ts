const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;
/** Text that a spreadsheet takes for the beginning of a formula, in either width, whatever invisible stands before it. */
const FORMULA = /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/**
 * Write a table as CSV: RFC 4180, lines end in CRLF.
 *
 * Text that a spreadsheet would run as a formula gets an apostrophe in front, which makes it text there. Numbers are written as
 * they are: a negative one is no formula.
 *
 * Source: https://owasp.org/www-community/attacks/CSV_Injection
 *
 * @example
 * writeCsv(["name", "cents"], [["=1+1", -5], ['a "b"', null]]); // "name,cents\r\n'=1+1,-5\r\n\"a \"\"b\"\"\",\r\n"
 */
export function writeCsv(
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  return [columns, ...rows].map((row) => `${row.map(writeField).join(",")}\r\n`).join("");
}

function writeField(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
