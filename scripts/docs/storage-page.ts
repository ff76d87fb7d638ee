import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** A table of a Durable Object, where its schema stands. */
export interface StoredTable {
  readonly name: string;
  /** From the project's root. */
  readonly file: string;
  readonly columns: readonly string[];
}

const ROOT = new URL("../../", import.meta.url);
const CREATED = /CREATE TABLE (?:IF NOT EXISTS )?(\w+) \(/g;
const ADDED = /ALTER TABLE (\w+) ADD COLUMN (\w+)/g;
const ROW = /^\| \[`(\w+)`\]\(\.\.\/([^)]+)\) \| [^|]* \| (.*) \|$/;
/** A schema's own book of which steps were taken. */
const STEPS = new Set(["schema_steps", "part_steps"]);

/** Every table that the source makes, by the `CREATE TABLE` and `ADD COLUMN` of its SQL. */
export async function readTables(): Promise<readonly StoredTable[]> {
  const files = globSync("src/**/*.ts", { cwd: fileURLToPath(ROOT) }).toSorted();
  const found = await Promise.all(
    files.map(async (file) => tablesIn(await readFile(new URL(file, ROOT), "utf8"), file)),
  );
  return found.flat();
}

function tablesIn(text: string, file: string): readonly StoredTable[] {
  const tables = [...text.matchAll(CREATED)].filter(([, name]) => !STEPS.has(name!));
  const added = [...text.matchAll(ADDED)];
  return tables.map(({ 0: { length }, 1: name = "", index }) => ({
    name,
    file,
    columns: [
      ...columnsOf(text.slice(index + length)),
      ...added.filter(([, table]) => table === name).map(([, , column]) => column!),
    ],
  }));
}

/** The names at which the parts of a schema begin, which stands up to the parenthesis that closes it. */
function columnsOf(schema: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const char of schema) {
    if (char === ")" && depth === 0) break;
    depth += char === "(" ? 1 : char === ")" ? -1 : 0;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts.flatMap((part) => /^\s*([a-z]\w*)/.exec(part)?.[1] ?? []);
}

/** Bring the columns of docs/storage.md up to date; rows of tables that are gone go. The rest is written by a person. */
export function updateStoragePage(page: string, tables: readonly StoredTable[]): string {
  const lines = page.split("\n").flatMap((line) => {
    const [, name, file, rest] = ROW.exec(line) ?? [];
    if (name === undefined) return [line];
    const table = tables.find((one) => one.name === name && one.file === file);
    return table === undefined ? [] : [`| [\`${name}\`](../${file}) | ${list(table.columns)} | ${rest} |`];
  });
  return lines.join("\n");
}

/** The tables that the page has no row for. */
export function findUnwritten(page: string, tables: readonly StoredTable[]): readonly string[] {
  const rows = page.split("\n").map((line) => ROW.exec(line));
  return tables
    .filter(({ name, file }) => !rows.some((row) => row?.[1] === name && row[2] === file))
    .map(({ name, file }) => `${name} of ${file}`);
}

function list(columns: readonly string[]): string {
  return columns.map((column) => `\`${column}\``).join(", ");
}
