/**
 * Write docs/pairs.md from the matrix of pairs in test/pairs: `npm run pairs`.
 */
import { writeFile } from "node:fs/promises";

import { readMatrix } from "../test/pairs/matrix.ts";
import { readScript } from "./command/read-script.ts";
import { writePairs } from "./docs/pairs-page.ts";

readScript({ call: "npm run pairs --", summary: "Bring docs/pairs.md up to date", options: {} });

await writeFile(new URL("../docs/pairs.md", import.meta.url), writePairs(await readMatrix()));
