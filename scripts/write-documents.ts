/**
 * Print the SQL that loads a folder of Markdown and text files as a tenant's documents. A file's path is its document's id, its
 * first heading the title.
 *
 *   npm run -s documents -- --tenant acme handbook > documents.sql
 */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { writeDocumentsSql } from "./data/documents-sql.ts";

const { values, positionals } = parseArgs({
  options: { tenant: { type: "string" } },
  allowPositionals: true,
});
const [folder] = positionals;
if (values.tenant === undefined || folder === undefined) {
  console.error("Usage: npm run -s documents -- --tenant TENANT FOLDER > documents.sql");
  process.exitCode = 1;
} else {
  const paths: string[] = [];
  for await (const path of glob("**/*.{md,txt}", { cwd: folder })) paths.push(path);
  const documents = paths.sort().map(async (path) => ({
    document_id: path.replaceAll("\\", "/"),
    text: await readFile(join(folder, path), "utf8"),
  }));
  process.stdout.write(writeDocumentsSql(values.tenant, await Promise.all(documents)));
}
