/**
 * Let `npx volley` run the command of this clone, as it does in a project: npm links no package into its own folder.
 *
 *   node scripts/link-command.ts
 *
 * npm runs it after an install in the clone. No project does: the package that is published has no scripts.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { readScript } from "./command/read-script.ts";

const { values } = readScript({
  call: "node scripts/link-command.ts",
  summary: "Let npx volley run the command of this clone",
  options: { clone: { type: "string", value: "FOLDER", about: "the clone; this folder unless said" } },
});

const folder = join(values.clone ?? ".", "node_modules/.bin");
await mkdir(folder, { recursive: true });
const command = '#!/usr/bin/env node\nimport("../../scripts/volley.ts");\n';
await writeFile(join(folder, "volley"), command, { mode: 0o755 });
await writeFile(join(folder, "volley.cmd"), '@node "%~dp0\\..\\..\\scripts\\volley.ts" %*\r\n');
