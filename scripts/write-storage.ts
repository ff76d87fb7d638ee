/**
 * Bring docs/storage.md up to date with the schemas of the Durable Objects: `npm run storage`.
 */
import { readFile, writeFile } from "node:fs/promises";

import { readScript } from "./command/read-script.ts";
import { readTables, updateStoragePage } from "./docs/storage-page.ts";

readScript({
  call: "npm run storage --",
  summary: "Bring the columns of docs/storage.md up to date",
  options: {},
});

const PAGE = new URL("../docs/storage.md", import.meta.url);
await writeFile(PAGE, updateStoragePage(await readFile(PAGE, "utf8"), await readTables()));
