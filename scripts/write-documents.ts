/**
 * Print the SQL that loads a folder of Markdown and text files as a tenant's documents. A file's path is its document's id, its
 * first heading the title.
 *
 *   npm run -s documents -- --tenant acme handbook > documents.sql
 */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

import { CommandError } from "./command/command-error.ts";
import { endScript, readScript } from "./command/read-script.ts";
import { writeDocumentsSql } from "./data/documents-sql.ts";

const { values, positionals } = readScript({
  call: "npm run -s documents --",
  summary: "Print the SQL that loads a folder of Markdown and text files as a tenant's documents",
  positionals: [{ name: "FOLDER", about: "the folder" }],
  options: {
    tenant: { type: "string", value: "TENANT", isRequired: true, about: "whose documents they are" },
  },
  examples: ["--tenant acme handbook > documents.sql"],
});
const [folder = ""] = positionals;
const paths: string[] = [];
for await (const path of glob("**/*.{md,txt}", { cwd: folder })) paths.push(path);
if (paths.length === 0) endScript(new CommandError(`'${folder}' has no file that ends with .md or .txt.`));
const documents = paths.sort().map(async (path) => ({
  document_id: path.replaceAll("\\", "/"),
  text: await readFile(join(folder, path), "utf8"),
}));
process.stdout.write(writeDocumentsSql(values.tenant, await Promise.all(documents)));
