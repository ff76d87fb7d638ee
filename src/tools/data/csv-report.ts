import * as z from "zod/mini";
import { fanOut } from "../kit/arguments.ts";
import { defineTool } from "../../core/catalog/define-tool.ts";
import * as LIMITS from "../kit/limits.ts";
import { keepObject } from "../kit/keep-object.ts";
import { queryRows } from "../kit/query-rows.ts";

/** The sources of a report: its columns, and the order of its rows. */
const SOURCES = {
  orders: {
    columns: ["order_id", "customer", "status", "ordered_at", "total_cents", "currency"],
    order: "ordered_at DESC, order_id",
  },
  contacts: { columns: ["contact_id", "email", "name", "company", "created_at"], order: "created_at, email" },
  documents: { columns: ["document_id", "title"], order: "document_id" },
} as const;

type Source = keyof typeof SOURCES;
type Row = Readonly<Record<string, string | number | null>>;

/**
 * Write a table of the caller's tenant as CSV into the bucket of kept objects.
 *
 * It changes no table, but leaves an object: a write, which the same key makes once.
 */
export const csvReport = defineTool({
  name: "csv_report",
  summary: "Write orders, contacts or documents as a CSV file",
  description:
    "Write orders, contacts or the list of documents as a CSV file, all columns unless some are named, at most 10000 rows, and say " +
    "where it is read: GET on its url with the same key. Columns of orders: order_id, customer, status, ordered_at, total_cents, " +
    "currency; of contacts: contact_id, email, name, company, created_at; of documents: document_id, title. Size: about 70 tokens.",
  category: "data",
  actions: ["export", "create"],
  isWrite: true,
  input: () =>
    z
      .strictObject({
        source: z
          .enum(Object.keys(SOURCES) as [Source, ...Source[]])
          .check(z.describe("The subject of the report.")),
        columns: z
          .optional(z.array(z.string().check(z.maxLength(64))).check(z.minLength(1), z.maxLength(10)))
          .check(z.describe("Columns of that source, in the order wanted; all unless said.")),
      })
      .check(
        z.superRefine(({ source, columns = [] }, check) => {
          const known: readonly string[] = SOURCES[source].columns;
          for (const [index, column] of columns.entries()) {
            if (!known.includes(column) || columns.indexOf(column) < index)
              check.addIssue({
                code: "custom",
                path: ["columns", index],
                message: `one of ${known.join(", ")}, each once`,
              });
          }
        }),
      ),
  hosts: [],
  bindings: ["DATA", "OBJECTS"],
  timeoutMs: 20_000,
  idempotent: "with-key",
  orchestration: fanOut(2, 500),
  run: async ({ source, columns = SOURCES[source].columns }, ctx) => {
    const most = LIMITS.reportRows;
    const sql = `SELECT ${columns.join(", ")} FROM ${source} WHERE tenant = ?1 ORDER BY ${SOURCES[source].order} LIMIT ?2`;
    const found = await queryRows<Row>(ctx, sql, most + 1);
    const rows = found.slice(0, most);
    const bytes = writeCsv(
      columns,
      rows.map((row) => columns.map((column) => row[column] ?? null)),
    );
    const kept = await keepObject(ctx, { bytes, contentType: "text/csv; charset=utf-8", extension: "csv" });
    return { ...kept, rows: rows.length, ...(found.length > most && { more: true }) };
  },
});

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;
/** Text that a spreadsheet takes for the beginning of a formula, in either width, whatever invisible stands before it. */
const FORMULA = /^[\s\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;

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
