/**
 * Write the pages of the known connectors and their index: `npm run connectors`.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";

import { readScript } from "./command/read-script.ts";
import {
  CONNECTOR_NAMES,
  writeConnectorIndex,
  writeConnectorList,
  writeConnectorPage,
} from "./docs/connector-pages.ts";
import { writePart } from "./docs/sender-pages.ts";

readScript({ call: "npm run connectors --", summary: "Write docs/connectors anew", options: {} });

const FOLDER = new URL("../docs/connectors/", import.meta.url);
await mkdir(FOLDER, { recursive: true });
for (const name of CONNECTOR_NAMES) await writeFile(new URL(`${name}.md`, FOLDER), writeConnectorPage(name));
await writeFile(new URL("index.md", FOLDER), writeConnectorIndex());
const LIST = new URL("../index.md", FOLDER);
await writeFile(LIST, writePart(await readFile(LIST, "utf8"), writeConnectorList(), "connectors"));
