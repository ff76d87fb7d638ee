/**
 * Write the pages of the senders of webhooks, their list and their table: `npm run senders`.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";

import { readScript } from "./command/read-script.ts";
import {
  SENDER_NAMES,
  writePart,
  writeSenderList,
  writeSenderPage,
  writeSenderTable,
} from "./docs/sender-pages.ts";

readScript({ call: "npm run senders --", summary: "Write docs/senders anew", options: {} });

const DOCS = new URL("../docs/", import.meta.url);
await mkdir(new URL("senders/", DOCS), { recursive: true });
for (const name of SENDER_NAMES) await writeFile(new URL(`senders/${name}.md`, DOCS), writeSenderPage(name));
for (const [file, part] of [
  ["index.md", writeSenderList()],
  ["flows.md", writeSenderTable()],
] as const) {
  const page = new URL(file, DOCS);
  await writeFile(page, writePart(await readFile(page, "utf8"), part));
}
